/** From `/src/pages/jobs/locales/zh.json` to the namespace `jobs`. */
export function collect(files: Record<string, unknown>): Record<string, Record<string, unknown>> {
  const words: Record<string, Record<string, unknown>> = {};
  for (const [path, bundle] of Object.entries(files)) {
    const namespace = path.split("/").at(-3);
    if (namespace) words[namespace] = bundle as Record<string, unknown>;
  }
  return words;
}
