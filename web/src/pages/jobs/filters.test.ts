import { expect, test } from "vitest";
import { asQuery, isNarrowed, noFilters, readFilters, writeFilters } from "./filters";

test("what is in the address comes out as it went in", () => {
  const filters = {
    ...noFilters,
    q: "mnist",
    state: ["running" as const, "queued" as const],
    owner: "me",
    since: "7d",
    sort: "name" as const,
  };
  const query = writeFilters(filters, new URLSearchParams("ws=vision&kept=1"));
  expect(query.toString()).toBe("ws=vision&kept=1&q=mnist&state=running%2Cqueued&user=me&since=7d&sort=name");
  expect(readFilters(query)).toEqual({ filters, ignored: [] });
});

test("words that mean nothing are dropped and named", () => {
  const { filters, ignored } = readFilters(new URLSearchParams("state=running,foo&sort=upside-down&dialect=klingon"));
  expect(filters.state).toEqual(["running"]);
  expect(filters.sort).toBe("newest");
  expect(ignored).toEqual(["state=foo", "dialect=klingon", "sort=upside-down"]);
});

test("the API hears moments, not periods", () => {
  const now = Date.parse("2026-11-15T12:00:30Z");
  expect(asQuery({ ...noFilters, since: "24h" }, "vision", now)).toEqual({
    created_from: "2026-11-14T12:00:00.000Z",
    workspace: "vision",
  });
  expect(asQuery({ ...noFilters, from: "no time", to: "2026-11-15T00:00:00Z" }, "")).toEqual({
    created_to: "2026-11-15T00:00:00.000Z",
  });
});

test("an order alone narrows nothing", () => {
  expect(isNarrowed({ ...noFilters, sort: "name" })).toBe(false);
  expect(isNarrowed({ ...noFilters, q: "a" })).toBe(true);
});
