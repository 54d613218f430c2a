// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { queries } from "@/api/queries";
import { changeLists, type JobsPage } from "@/shared/job/lists";
import { example, refusal, serve } from "@/testing/contract";
import { show } from "@/testing/show";
import { Component } from ".";

const page = () => example<JobsPage>("list_jobs");

test("lists the jobs there are", async () => {
  serve();
  await show(<Component />);
  for (const job of page().jobs) expect(await screen.findByRole("row", { name: job.handle })).toBeTruthy();
  expect(screen.getByText("2 jobs")).toBeTruthy();
});

test("says in the row what an event said, without asking", async () => {
  const asked = serve();
  await show(<Component />);
  const row = await screen.findByRole("row", { name: "mnist" });
  expect(row.textContent).toContain("Running");
  const before = asked.length;
  const { id } = page().jobs[0] ?? { id: "" };
  changeLists(queries, [{ id: 1, at: "2026-11-15T07:00:00Z", kind: "job.succeeded", job: id, actor: "", data: {} }]);
  expect((await screen.findByRole("row", { name: "mnist" })).textContent).toContain("Succeeded");
  expect(asked.length).toBe(before);
});

test("shows that it loads", async () => {
  serve({ list_jobs: "never" });
  await show(<Component />);
  expect((await screen.findAllByText("Loading"))[0]).toBeTruthy();
});

test("offers a first job where there is none, and a way back where filters hide all", async () => {
  serve({ list_jobs: { json: { jobs: [], next_cursor: "" } } });
  await show(<Component />, { at: "/jobs?state=failed" });
  await userEvent.click(await screen.findByRole("button", { name: /Clear/ }));
  expect(await screen.findByRole("button", { name: "Submit job" })).toBeTruthy();
});

test("says why there is no list, and tries again", async () => {
  serve({ list_jobs: refusal("unavailable", "the database does not answer", 503) });
  await show(<Component />);
  expect((await screen.findByRole("alert")).textContent).toContain("the database does not answer");
  serve();
  await userEvent.click(screen.getByRole("button", { name: "Retry" }));
  expect(await screen.findByRole("row", { name: "mnist" })).toBeTruthy();
});
