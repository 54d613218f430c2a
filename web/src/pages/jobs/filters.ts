import type { JobState } from "@/api/client";
import { jobStates } from "@/shared/job/states";

/** What narrows the list. One description drives the address, the chips, the advanced search and saved views. */
export interface Filters {
  q: string;
  state: JobState[];
  owner: string;
  label: string;
  dialect: string;
  since: string;
  from: string;
  to: string;
  sort: Sort;
}
export type Sort = "newest" | "oldest" | "name" | "ended";
const sorts: Sort[] = ["newest", "oldest", "name", "ended"];
export const dialects = ["native", "openpai-v1", "openpai-v2", "ffdl", "gpu-manager", "volcano", "octopus"];
export const periods = ["1h", "24h", "7d", "30d"];

export const noFilters: Filters = {
  q: "",
  state: [],
  owner: "",
  label: "",
  dialect: "",
  since: "",
  from: "",
  to: "",
  sort: "newest",
};

/** Reads the address; what means nothing is reported, so that the page can say so. */
export function readFilters(query: URLSearchParams): { filters: Filters; ignored: string[] } {
  const ignored: string[] = [];
  const known = <T extends string>(name: string, value: string, values: readonly T[]): T | "" => {
    if (!value) return "";
    if ((values as readonly string[]).includes(value)) return value as T;
    ignored.push(`${name}=${value}`);
    return "";
  };
  const state = (query.get("state") ?? "")
    .split(",")
    .map((word) => known("state", word.trim(), jobStates))
    .filter((word): word is JobState => word !== "");
  return {
    filters: {
      q: query.get("q") ?? "",
      state,
      owner: query.get("user") ?? "",
      label: query.get("tag") ?? "",
      dialect: known("dialect", query.get("dialect") ?? "", dialects),
      since: known("since", query.get("since") ?? "", periods),
      from: query.get("from") ?? "",
      to: query.get("to") ?? "",
      sort: known("sort", query.get("sort") ?? "", sorts) || "newest",
    },
    ignored,
  };
}

/** Writes the filters into an address; parameters that are not ours stay as they are. */
export function writeFilters(filters: Filters, before = new URLSearchParams()): URLSearchParams {
  const query = new URLSearchParams(before);
  const put = (name: string, value: string) => (value ? query.set(name, value) : query.delete(name));
  put("q", filters.q);
  put("state", filters.state.join(","));
  put("user", filters.owner);
  put("tag", filters.label);
  put("dialect", filters.dialect);
  put("since", filters.since);
  put("from", filters.from);
  put("to", filters.to);
  put("sort", filters.sort === "newest" ? "" : filters.sort);
  return query;
}

const spans: Record<string, number> = { "1h": 3600e3, "24h": 86400e3, "7d": 7 * 86400e3, "30d": 30 * 86400e3 };

/** The filters in the words of the API. */
export function asQuery(filters: Filters, workspace: string, now = Date.now()): Record<string, string> {
  const query: Record<string, string> = {};
  if (filters.q) query.name = filters.q;
  if (filters.state.length) query.state = filters.state.join(",");
  if (filters.owner) query.owner = filters.owner;
  if (filters.label) query.label = filters.label;
  if (filters.dialect) query.dialect = filters.dialect;
  if (filters.since)
    query.created_from = new Date(Math.floor((now - (spans[filters.since] ?? 0)) / 60e3) * 60e3).toISOString();
  else if (filters.from && !Number.isNaN(Date.parse(filters.from)))
    query.created_from = new Date(filters.from).toISOString();
  if (filters.to && !Number.isNaN(Date.parse(filters.to))) query.created_to = new Date(filters.to).toISOString();
  if (filters.sort !== "newest") query.sort = filters.sort;
  if (workspace) query.workspace = workspace;
  return query;
}

export function isNarrowed(filters: Filters): boolean {
  return writeFilters({ ...filters, sort: "newest" }).size > 0;
}
