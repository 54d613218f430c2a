import { expect, test } from "vitest";
import { folded, levelOf, plainText, runs } from "./ansi";

test("colours become looks, other orders vanish", () => {
  expect(runs("plain")).toEqual([{ text: "plain", look: "" }]);
  expect(runs("a\u001b[31;1mred\u001b[0m b")).toEqual([
    { text: "a", look: "" },
    { text: "red", look: "bold red" },
    { text: " b", look: "" },
  ]);
  expect(runs("\u001b[2K\u001b[1Gdone")).toEqual([{ text: "done", look: "" }]);
  expect(runs("\u001b[38;5;208morange\u001b[39m")).toEqual([{ text: "orange", look: "" }]);
  expect(runs("\u001b]0;title\u0007text")).toEqual([{ text: "text", look: "" }]);
});

test("a progress bar is its last state", () => {
  expect(folded("10%\r50%\r100%")).toBe("100%");
  expect(folded("100%\r")).toBe("100%");
  expect(plainText("10%\r50%\nnext\u001b[31m!\u001b[0m\r\n")).toBe("50%\nnext!\n");
});

test("loud lines are heard in both languages", () => {
  expect(levelOf("RuntimeError: CUDA out of memory")).toBe("error");
  expect(levelOf("UserWarning: old API")).toBe("");
  expect(levelOf("warning: old API")).toBe("warning");
  expect(levelOf("加载失败")).toBe("error");
  expect(levelOf("step 1 loss 0.4")).toBe("");
});
