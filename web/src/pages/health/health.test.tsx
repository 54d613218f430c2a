// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { example, serve } from "@/testing/contract";
import { show } from "@/testing/show";
import { Component } from ".";

const well = {
  check_ready: { text: "ready\n" },
  show_metrics: { text: "trainyard_store_failing 0\ntrainyard_jobs_live 3\n" },
};

test("says of each part how it is", async () => {
  serve(well);
  await show(<Component />);
  expect(await screen.findByText("1 of 1 well")).toBeTruthy();
});

test("a server that is not ready says why", async () => {
  serve({ ...well, check_ready: { status: 503, text: "the database is locked\n" } });
  await show(<Component />);
  expect(await screen.findByText("the database is locked")).toBeTruthy();
});

test("is for administrators", async () => {
  serve({ ...well, show_me: { json: { ...example<object>("show_me"), administrator: false } } });
  await show(<Component />);
  expect(await screen.findByRole("link")).toBeTruthy();
});
