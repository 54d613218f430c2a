// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { clearInbox, noticesFrom } from "@/shared/inbox";
import { serve } from "@/testing/contract";
import { show } from "@/testing/show";
import Inbox from ".";

test("nothing has happened", async () => {
  serve();
  clearInbox();
  await show(<Inbox onClose={() => undefined} />);
  await userEvent.click(await screen.findByRole("button", { name: "All" }));
  expect(screen.queryAllByRole("link")).toHaveLength(0);
});

test("only news about a job's life become notices, each once", () => {
  const event = (id: number, kind: string) => ({
    id,
    at: "2026-11-15T06:39:00Z",
    kind,
    job: "k4",
    actor: "",
    data: {},
  });
  const told = noticesFrom(
    [event(1, "job.running"), event(2, "task.started"), event(3, "job.failed")],
    [],
    () => "mnist",
  );
  expect(told.map((one) => one.kind)).toEqual(["job.failed", "job.running"]);
  expect(noticesFrom([event(3, "job.failed")], told, () => "mnist")).toEqual([]);
});
