/** What a job file means, as the server's check tells it; only the parts this page shows. */
export interface Spec {
  name?: string;
  description?: string;
  workspace?: string;
  priority?: number;
  labels?: Record<string, string>;
  env?: Record<string, string | null>;
  time_limit?: number;
  roles: SpecRole[];
}

export interface SpecRole {
  name: string;
  count?: number;
  image?: string;
  command?: { shell?: string; script?: string; argv?: string[]; args?: string[]; pre?: string[]; post?: string[] };
  resources?: { cpu_milli?: number; memory?: number; shm?: number; gpus?: number; gpu_types?: string[] };
  ports?: Array<{ label?: string; count?: number; first?: number }>;
  mounts?: Array<{ source?: string; target?: string; read_only?: boolean; name?: string }>;
  env?: Record<string, string | null>;
  node_labels?: Record<string, string>;
}

export const countOf = (role: SpecRole): number => role.count ?? 1;
export const tasksOf = (spec: Spec): number => spec.roles.reduce((sum, role) => sum + countOf(role), 0);
export const gpusOf = (spec: Spec): number =>
  spec.roles.reduce((sum, role) => sum + countOf(role) * (role.resources?.gpus ?? 0), 0);

const quoted = (word: string) => (/^[\w./@:=,+%-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The command as a shell would be told it. */
export function commandOf(role: SpecRole): string {
  const { script, argv = [], args = [] } = role.command ?? {};
  const tail = args.map(quoted).join(" ");
  if (script !== undefined && script !== "") return tail ? `${script.trimEnd()} ${tail}` : script;
  return [argv.map(quoted).join(" "), tail].filter(Boolean).join(" ");
}
