// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { refusal, serve } from "@/testing/contract";
import { show } from "@/testing/show";
import { Component } from ".";

test("names my jobs, counts those of others, and lets an administrator move them", async () => {
  serve();
  await show(<Component />);
  expect(await screen.findByRole("link", { name: "resnet" })).toBeTruthy();
  expect(screen.getByText("mine")).toBeTruthy();
  expect(screen.getAllByRole("row")).toHaveLength(3);
  expect(screen.getByRole("button", { name: "Down: resnet" })).toBeTruthy();
});

test("says that nothing waits", async () => {
  serve({ list_queue: { json: { queue: [] } } });
  await show(<Component />);
  expect(await screen.findByRole("button", { name: "Submit job" })).toBeTruthy();
});

test("shows that it loads", async () => {
  serve({ list_queue: "never" });
  await show(<Component />);
  expect((await screen.findAllByText("Loading"))[0]).toBeTruthy();
});

test("says why there is nothing to see", async () => {
  serve({ list_queue: refusal("unavailable", "the database does not answer", 503) });
  await show(<Component />);
  expect((await screen.findByRole("alert")).textContent).toContain("the database does not answer");
});
