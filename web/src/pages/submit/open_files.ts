/** What was opened, sorted: a job file's text, code that goes along, or one that is too large to be a job file. */
export interface Opened {
  text: string | null;
  names: string;
  code: File | null;
  tooLarge: string | null;
}

const MAX_FILE = 1 << 20;
const isArchive = (name: string) => /\.(zip|tar|tgz|tar\.gz|tar\.zst)$/i.test(name);

export async function openFiles(files: File[]): Promise<Opened> {
  const code = files.find((file) => isArchive(file.name)) ?? null;
  const jobs = files.filter((file) => !isArchive(file.name));
  const tooLarge = jobs.find((file) => file.size > MAX_FILE)?.name ?? null;
  const names = jobs.map((file) => file.name).join(", ");
  if (jobs.length === 0 || tooLarge) return { text: null, names, code, tooLarge };
  const texts = await Promise.all(jobs.map((file) => file.text()));
  const text = texts.length === 1 ? (texts[0] ?? "") : `${texts.map((one) => one.trimEnd()).join("\n---\n")}\n`;
  return { text, names, code, tooLarge };
}
