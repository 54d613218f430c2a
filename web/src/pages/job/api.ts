import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { api, ApiError, fetchRaw, fetchText, type Job, type Schemas } from "@/api/client";
import { convert, type Dialect } from "@/api/job_files";
import { jobQuery, whyQuery } from "@/api/jobs";
import { keys } from "@/api/queries";
import type { Spec } from "@/shared/job/spec";

// Everything about one job lies under its id, so that an event about it renews all of it.

export function useJob(ref: string) {
  return useQuery({
    ...jobQuery(ref),
    // How far an image has come is no event: it is looked at while somebody waits for it.
    refetchInterval: (query) => (query.state.data?.state === "starting" ? 1000 : false),
  });
}

/** What its file means. */
export function useMeaning(id: string) {
  return useQuery({
    queryKey: [...keys.job(id), "meaning"],
    queryFn: async () => JSON.parse(await fetchText(`/api/v1/jobs/${id}/spec?format=json`)) as Spec,
    staleTime: Infinity,
  });
}

/** The file as it was handed in. */
export const originalQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.job(id), "spec", "original"],
    queryFn: () => fetchText(`/api/v1/jobs/${id}/spec?format=original`),
    staleTime: Infinity,
  });

/** The same in another dialect, with what cannot be said there; or what it means, with every default. */
export const readingQuery = (job: Job, original: string | undefined, form: "meaning" | Dialect) =>
  queryOptions({
    queryKey: [...keys.job(job.id), "spec", form],
    enabled: original !== undefined,
    queryFn: async () =>
      form === "meaning"
        ? { text: await fetchText(`/api/v1/jobs/${job.id}/spec?format=json`), issues: [] }
        : convert(original ?? "", job.dialect, form),
    staleTime: Infinity,
    retry: false,
  });

export function useWhy(id: string, wanted: boolean) {
  return useQuery({ ...whyQuery(id), enabled: wanted, refetchInterval: 10_000 });
}

export function useAttempts(id: string) {
  return useQuery({
    queryKey: [...keys.job(id), "attempts"],
    queryFn: async () =>
      ((await api.GET("/api/v1/jobs/{id}/attempts", { params: { path: { id } } })).data?.attempts ??
        []) as Schemas["Attempt"][],
  });
}

export function useTries(id: string, wanted = true) {
  return useQuery({
    queryKey: [...keys.job(id), "tries"],
    enabled: wanted,
    queryFn: async () =>
      ((await api.GET("/api/v1/jobs/{id}/tasks", { params: { path: { id } } })).data?.tries ?? []) as Schemas["Try"][],
  });
}

export function useJobEvents(id: string) {
  return useQuery({
    queryKey: [...keys.job(id), "events"],
    queryFn: async () => {
      const all: Schemas["Event"][] = [];
      for (let after = 0; ;) {
        const { data } = await api.GET("/api/v1/jobs/{id}/events", {
          params: { path: { id }, query: { after, limit: 1000 } },
        });
        all.push(...(data?.events ?? []));
        if (!data?.more || all.length >= 10_000) return all;
        after = data.seen;
      }
    },
  });
}

/** What its tasks used, in so many points each; of the last `minutes`, or of all time when there are none. */
export function useUsage(job: Job, part: { points: number; attempt?: number; minutes: number }, every: number | false) {
  const { points, attempt, minutes } = part;
  return useQuery({
    queryKey: [...keys.job(job.id), "metrics", attempt ?? "", minutes],
    queryFn: async () => {
      const since = minutes ? new Date(Date.now() - minutes * 60_000).toISOString() : undefined;
      const params = { path: { id: job.id }, query: { points, attempt, since } };
      return ((await api.GET("/api/v1/jobs/{id}/metrics", { params })).data?.tasks ?? []) as Schemas["TaskMetrics"][];
    },
    refetchInterval: every,
    placeholderData: keepPreviousData,
  });
}

/** The last lines of a task's log, or of all of them together. */
export const tailQuery = (id: string, lines: number, task = "") =>
  queryOptions({
    queryKey: [...keys.job(id), "tail", lines, task],
    queryFn: () => fetchText(`/api/v1/jobs/${id}/logs?${new URLSearchParams({ tail: String(lines), ...named(task) })}`),
  });
const named = (task: string) => (task ? { task } : undefined);

/** Which log: one task's, of one attempt. */
export interface LogPlace {
  job: string;
  task: string;
  attempt?: number;
}

type LinesPart = { first?: number; count?: number; at?: string };
export async function fetchLines({ job, ...place }: LogPlace, part: LinesPart): Promise<Schemas["LogLines"]> {
  const params = { path: { id: job }, query: { ...place, ...part } };
  return (await api.GET("/api/v1/jobs/{id}/logs/lines", { params })).data as Schemas["LogLines"];
}

/** The same; a task that has not begun yet has no log, which is no fault. */
export async function fetchLinesIfAny(place: LogPlace, part: LinesPart): Promise<Schemas["LogLines"]> {
  try {
    return await fetchLines(place, part);
  } catch (fault) {
    if (!(fault instanceof ApiError) || fault.status !== 404) throw fault;
    return { task: place.task, attempt: 0, total: 0, first: 1, lines: [] };
  }
}

/** Lines that a pattern fits, from a line on. */
export async function searchLines(
  { job, ...place }: LogPlace,
  words: { q: string; ignore_case: boolean; from?: number },
  signal: AbortSignal,
): Promise<Schemas["LogHits"]> {
  const params = { path: { id: job }, query: { ...place, ...words, limit: 500 } };
  return (await api.GET("/api/v1/jobs/{id}/logs/search", { params, signal })).data as Schemas["LogHits"];
}

const logAddress = (job: string, attempt: number | undefined, words: Record<string, string>): string =>
  `/api/v1/jobs/${job}/logs?${new URLSearchParams({ ...words, ...(attempt === undefined ? {} : { attempt: String(attempt) }) })}`;

/** Where the browser gets the file from when somebody saves a log. */
export const downloadAddress = (job: string, attempt: number | undefined, words: Record<string, string>): string =>
  logAddress(job, attempt, { ...words, download: "true" });

/** All tasks in order of time: the last lines, and with `follow` what comes after them, as it comes. */
export async function openMerged(
  place: { job: string; attempt?: number },
  words: { tail: number; follow: boolean },
  signal: AbortSignal,
): Promise<ReadableStream<string> | undefined> {
  const follow = words.follow ? { follow: "true" } : undefined;
  const address = logAddress(place.job, place.attempt, { merged: "true", tail: String(words.tail), ...follow });
  return (await fetchRaw(address, { signal })).body?.pipeThrough(new TextDecoderStream());
}

/** What is added to a task's log from now on. */
export async function openNew({ job, task }: LogPlace, signal: AbortSignal) {
  const answer = await fetchRaw(logAddress(job, undefined, { task, follow: "true", tail: "0" }), { signal });
  return answer.body?.getReader();
}
