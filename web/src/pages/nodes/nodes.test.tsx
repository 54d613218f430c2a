// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { refusal, serve } from "@/testing/contract";
import { show } from "@/testing/show";
import { Component } from ".";

test("shows each machine with what is in use", async () => {
  serve();
  await show(<Component />);
  expect((await screen.findAllByText("node-01")).length).toBeGreaterThan(0);
});

test("shows that it loads", async () => {
  serve({ list_nodes: "never" });
  await show(<Component />);
  expect((await screen.findAllByText("Loading"))[0]).toBeTruthy();
});

test("says why there is nothing to see", async () => {
  serve({ list_nodes: refusal("forbidden", "sign in first", 403) });
  await show(<Component />);
  expect((await screen.findByRole("alert")).textContent).toContain("sign in first");
});
