// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Job, Schemas } from "@/api/client";
import { example, refusal, serve, type Answer } from "@/testing/contract";
import { show } from "@/testing/show";
import { Component } from ".";
import "./LogsTab";
import "./TasksTab";

const job = (more: Partial<Job> = {}): Answer => ({ json: { ...example<Job>("show_job"), ...more } });
const log = { read_job_logs: { text: "step 1 loss 0.5\nstep 2 loss 0.4\n" }, show_job_spec: { json: { roles: [] } } };
const place = (tab = "") => ({ path: "/jobs/:id/:tab?", at: `/jobs/${example<Job>("show_job").id}${tab}` });

test("heads the page with the job's state and name", async () => {
  serve(log);
  await show(<Component />, place("/tasks"));
  expect(await screen.findByRole("heading", { name: "mnist" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Stop" })).toBeTruthy();
  expect((await screen.findAllByText(/main-0/)).length).toBeGreaterThan(0);
});

test("reads a log line by line", async () => {
  const lines = { ...example<Schemas["LogLines"]>("list_job_log_lines"), total: 1, first: 1 };
  serve({ ...log, list_job_log_lines: { json: lines } });
  await show(<Component />, place("/logs"));
  expect(await screen.findByText(/step 12300 loss 0.4312/)).toBeTruthy();
});

test("says that a job of that name is not there", async () => {
  serve({ show_job: refusal("not_found", "there is no such job", 404) });
  await show(<Component />, place());
  expect(await screen.findByRole("link", { name: "All jobs" })).toBeTruthy();
});

test("shows that it loads", async () => {
  serve({ show_job: "never" });
  await show(<Component />, place());
  expect((await screen.findAllByText("Loading"))[0]).toBeTruthy();
});

test("says why there is nothing to see", async () => {
  serve({ show_job: refusal("unavailable", "the database does not answer", 503) });
  await show(<Component />, place());
  expect((await screen.findByRole("alert")).textContent).toContain("the database does not answer");
});

test("offers another run once it has ended", async () => {
  serve({ ...log, show_job: job({ state: "succeeded", ended_at: "2026-11-15T07:39:00.000Z", exit_code: 0 }) });
  await show(<Component />, place("/tasks"));
  expect(await screen.findByRole("button", { name: "Run again" })).toBeTruthy();
});
