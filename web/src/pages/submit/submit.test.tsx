// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Issue } from "@/api/client";
import { refusal, serve } from "@/testing/contract";
import { show } from "@/testing/show";
import { Component } from ".";

const place = { path: "/jobs/new", at: "/jobs/new" };
const issue = (more: Partial<Issue>): Issue => ({
  ...{ severity: "error", code: "", pointer: "", path: "", line: 0, column: 0, message: "" },
  ...more,
});

const taken = { code: "job_name_taken", data: { name: "ann-1", id: "k4zx", state: "running" } };

test("shows what the text means and hands it in", async () => {
  const asked = serve();
  await show(<Component />, place);
  const name = await screen.findByRole("textbox", { name: /Job name/ });
  expect((name as HTMLInputElement).value).toBe("ann-1");
  await userEvent.click(screen.getByRole("button", { name: "Submit" }));
  await expect.poll(() => localStorage.getItem("ty.submit.number"), { timeout: 20_000 }).toBe("2");
  expect(asked).toContain("submit_job");
});

test("says why it was not taken, and what is wrong before that", async () => {
  serve({
    check_job_file: {
      json: { ok: false, dialect: "native", jobs: [], issues: [issue({ message: "no such image" })] },
    },
    submit_job: refusal("conflict", "there is a job of that name", 409, taken),
  });
  await show(<Component />, place);
  expect(await screen.findByText(/1 fault/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Submit" }));
  expect(await screen.findByText(/you already have a job called ann-1/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: /ann-2/ }));
  expect((screen.getByRole("textbox", { name: /Job name/ }) as HTMLInputElement).value).toBe("ann-2");
});

test("says what is wrong in the reader's language", async () => {
  const near = { code: "unknown_key_near", data: { near: "memory" } };
  const fault = issue({ pointer: "/name", line: 2, message: "unknown key; did you mean memory?", says: near });
  serve({
    check_job_file: { json: { ok: false, dialect: "native", jobs: [], issues: [fault] } },
    submit_job: refusal("conflict", "you have a job of that name", 409, taken),
  });
  await show(<Component />, { ...place, language: "zh" });
  expect((await screen.findAllByText("未知的键；是不是 memory？"))[0]).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: /^提\s?交$/ }));
  expect(await screen.findByText(/你已有名为 ann-1 的作业/)).toBeTruthy();
});

test("says so when the job to clone is gone", async () => {
  serve({
    show_job: refusal("not_found", "there is no such job", 404),
    show_job_spec: refusal("not_found", "there is no such job", 404),
  });
  await show(<Component />, { ...place, at: "/jobs/new?from=k4" });
  expect(await screen.findByRole("link", { name: "Start from an empty form" })).toBeTruthy();
});
