import { inUnits } from "@/shared/said";

/** Amounts come in the server's words: `30 CPUs`, `4 A100 or H100`, `64 GB of memory`, joined by commas. */
export function amountInChinese(text: string): string {
  return inUnits(text)
    .split(/, | and /)
    .map((part) =>
      part
        .replace(/^no GPUs$/, "没有 GPU")
        .replace(/^(jobs|tasks)$/, (word) => (word === "jobs" ? "个作业" : "个任务"))
        .replace(/ (job is|jobs are)$/, " 个作业")
        .replace(/^CPUs?$/, "核 CPU")
        .replace(/^GPUs?$/, "块 GPU")
        .replace(/(\d) CPUs?\b/, "$1 核 CPU")
        .replace(/(\d) GPUs?\b/, "$1 块 GPU")
        .replace(/ of memory\b/, " 内存")
        .replace(/^(\d+) (?![KMGT]?i?B\b)([A-Za-z][\w.-]*)( or .+)?$/, "$1 块 $2$3")
        .replaceAll(" or ", " 或 "),
    )
    .join("、");
}
