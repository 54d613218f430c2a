export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The samples of a Prometheus text, in the order they stand. */
export function readMetrics(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})? (\S+)$/.exec(line);
    if (!found) continue;
    const labels: Record<string, string> = {};
    for (const pair of (found[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[pair[1] ?? ""] = pair[2] ?? "";
    samples.push({ name: found[1] ?? "", labels, value: Number(found[3]) });
  }
  return samples;
}

/** The sum over all samples of a name that match; undefined when there is none. */
export function sumOf(
  samples: Sample[],
  name: string,
  match: (labels: Record<string, string>) => boolean = () => true,
): number | undefined {
  const found = samples.filter((sample) => sample.name === name && match(sample.labels));
  return found.length ? found.reduce((sum, sample) => sum + sample.value, 0) : undefined;
}
