/** What one line of a log says about how training goes. */
export interface Reading {
  step: number | null;
  epoch: number | null;
  /** Names in small letters, in the order they stand; a value that is no number is null. */
  values: Array<[name: string, value: number | null]>;
}

const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf(?:inity)?)`;
const PART = String.raw`(?:(train(?:ing)?|val(?:id(?:ation)?)?|test(?:ing)?|eval(?:uation)?|dev|avg|mean|训练|验证|测试)[ _]+)?`;
const NAME = String.raw`([\p{L}_][\p{L}\p{N}_./@-]*)`;
// A name, a sign or blanks, a number that ends there: `loss=0.41`, `"acc": 0.9`, `Loss 6.9e+00 (7.0)`, `lr: 1e-4,`. A number
// that goes on is something else: `12s`, `10:44:02`, `3/10`.
const PAIR = new RegExp(
  String.raw`(?<![\p{L}\p{N}_./@-])${PART}['"]?${NAME}['"]?(\s*[=:：]\s*|\s+)['"]?(${NUMBER})(?=%?(?:$|[\s,;|)\]}'"，；。]|\.(?:\s|$)))`,
  "giu",
);
const COUNTED = String.raw`['"]?[\s:=：\[]{0,6}(\d+(?:\.\d+)?)(?:\s*\/\s*(\d+))?(?![\p{L}\p{N}]|[.:]\d)`;
const STEP = new RegExp(
  String.raw`(?<![\p{L}\p{N}_])(?:global[_ ]?step|steps?|iters?|iteration|batch|步数?|迭代)${COUNTED}`,
  "iu",
);
const EPOCH = new RegExp(String.raw`(?<![\p{L}\p{N}_])(?:epochs?|轮次?|第)${COUNTED}`, "iu");
/** `Epoch: [3][ 120/5005]`, as the examples of PyTorch print it. */
const WITHIN = /\]\s*\[\s*(\d+)\s*\/\s*(\d+)\s*\]/;

const KNOWN =
  /^(?:loss|acc|accuracy|lr|learning_?rate|f1|auc|auroc|bleu|rouge[-_]?\w*|ppl|perplexity|map|miou|iou|err|error|error_rate|mse|rmse|mae|r2|psnr|ssim|fid|reward|return|score|precision|recall|dice|wer|cer|kl|grad_?norm|top-?[15]|acc@\d+|map@[\d.]+|throughput|samples_per_sec(?:ond)?|tokens_per_sec(?:ond)?|nll|elbo|entropy|损失|准确率|精度|学习率|误差)$/u;
// Figures about the run, not about the model.
const DULL =
  /(?:^|_)(?:time|eta|port|pid|rank|seed|took|elapsed|size|workers?|gpus?|device|num|count|total|epochs?|steps?|iters?|iteration|batch|version|world|node|line|id|step_time|data|memory|mem|runtime|samples)$/u;
const isKnown = (name: string): boolean => KNOWN.test(name) || name.split(/[_./-]/).some((part) => KNOWN.test(part));

function numberOf(text: string): number | null {
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** Most lines say nothing; they are told apart before anything is taken apart. */
const HINT = /\d|nan|inf/i;

/** Null when the line has no figure of a model. `text` is without colours. */
export function readLine(text: string): Reading | null {
  if (text.length > 4000 || !HINT.test(text)) return null;
  const steps = STEP.exec(text);
  const epochs = EPOCH.exec(text);
  const within = epochs && WITHIN.exec(text);
  const epoch = epochs ? Number(epochs[1]) : null;
  let step = steps ? Number(steps[1]) : null;
  const [at, all] = steps?.[2]
    ? [Number(steps[1]), Number(steps[2])]
    : within
      ? [Number(within[1]), Number(within[2])]
      : [0, 0];
  // Steps that begin anew with each epoch go on counting here, so that a curve runs from left to right.
  if (all > 0 && epoch !== null && Number.isInteger(epoch) && (within || !/global/i.test(steps?.[0] ?? "")))
    step = epoch * all + at;
  const placed = step !== null || epoch !== null;
  const values: Reading["values"] = [];
  const seen = new Set<string>();
  for (const [, part, word, sign, figure] of text.matchAll(PAIR)) {
    const bare = (word ?? "").toLowerCase().replace(/[.\-/]+$/, "");
    const said = (sign ?? "").trim() !== "";
    if (!isKnown(bare) && !(said && placed && bare.length > 1 && !bare.includes(".") && !DULL.test(bare))) continue;
    const name = part ? `${part.toLowerCase()}_${bare}` : bare;
    if (seen.has(name)) continue;
    seen.add(name);
    values.push([name, numberOf(figure ?? "")]);
  }
  return values.length ? { step, epoch, values } : null;
}
