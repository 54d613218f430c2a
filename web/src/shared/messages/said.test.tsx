// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { ApiError } from "@/api/client";
import { serve } from "@/testing/contract";
import { show } from "@/testing/show";
import { SaidText, thrown, useSaid } from ".";

const exit = { code: "exit_code", data: { code: 3 } };

function Reason({ reason, says }: { reason: string; says?: typeof exit }) {
  return useSaid()({ reason, reason_says: says }, "reason");
}

test("a sentence is worded from the value beside it", async () => {
  serve();
  await show(<Reason reason="exit code 3" says={exit} />, { language: "zh" });
  expect(await screen.findByText("退出码 3")).toBeTruthy();
});

test("a sentence without a value, or of a newer server, stays as it came", async () => {
  serve();
  await show(
    <>
      <p>
        <Reason reason="stored long ago" />
      </p>
      <p>
        <Reason reason="said in a later version" says={{ ...exit, code: "from_the_future" }} />
      </p>
    </>,
    { language: "zh" },
  );
  expect(await screen.findByText("stored long ago")).toBeTruthy();
  expect(await screen.findByText("said in a later version")).toBeTruthy();
});

test("a refusal is worded too, and a lost connection in the page's own words", async () => {
  serve();
  const problem = { code: "invalid", message: "exit code 3", says: exit, details: [], request_id: "" } as const;
  await show(
    <>
      <p>
        <SaidText of={new ApiError(400, { ...problem, details: [] })} />
      </p>
      <p>
        <SaidText of={ApiError.offline(new TypeError("Failed to fetch"))} />
      </p>
      <p>
        <SaidText of={thrown("a text")} />
      </p>
    </>,
    { language: "zh" },
  );
  expect(await screen.findByText("退出码 3")).toBeTruthy();
  expect(screen.getByText("连不上服务器")).toBeTruthy();
  expect(screen.getByText("a text")).toBeTruthy();
});
