import { expect, test } from "vitest";
import { readLine } from "./read_line";

const figures = (text: string) => Object.fromEntries(readLine(text)?.values ?? []);

test.each([
  ["loss=0.41", null, null, { loss: 0.41 }],
  ["epoch 3 loss: 0.2 acc: 0.9", null, 3, { loss: 0.2, acc: 0.9 }],
  ["step 120 lr 1e-4 accuracy 0.93", 120, null, { lr: 1e-4, accuracy: 0.93 }],
  ["step 12 loss 2.139 acc 0.080", 12, null, { loss: 2.139, acc: 0.08 }],
  [
    "2026-11-15 10:44:02,118 INFO train.py:31 Epoch 2/10, Train Loss: 0.31, Val Loss: 0.44, Val Acc: 91.2%",
    null,
    2,
    { train_loss: 0.31, val_loss: 0.44, val_acc: 91.2 },
  ],
  [
    "{'loss': 0.4512, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 0.3}",
    null,
    0.3,
    { loss: 0.4512, grad_norm: 1.2, learning_rate: 5e-5 },
  ],
  [
    '{"global_step": 500, "train/loss": 0.25, "eval/accuracy": 0.8}',
    500,
    null,
    { "train/loss": 0.25, "eval/accuracy": 0.8 },
  ],
  [
    "60000/60000 [==============================] - 3s 45us/step - loss: 0.2212 - acc: 0.9350 - val_loss: 0.11",
    null,
    null,
    { loss: 0.2212, acc: 0.935, val_loss: 0.11 },
  ],
  [
    "Epoch: [1][  10/500]\tTime  0.105 ( 0.2)\tLoss 6.9e+00 (7.0e+00)\tAcc@1   0.39 (  0.1)",
    510,
    1,
    { loss: 6.9, "acc@1": 0.39 },
  ],
  ["Epoch [3/10], Step [100/600], Loss: 0.2", 1900, 3, { loss: 0.2 }],
  ["iter 7 | loss 1.5 | wd=0.01 | eta: 12s", 7, null, { loss: 1.5, wd: 0.01 }],
  ["第 3 轮 损失：0.5，准确率：0.8", null, 3, { 损失: 0.5, 准确率: 0.8 }],
  ["epoch 4: loss nan", null, 4, { loss: null }],
])("%s", (text, step, epoch, values) => {
  expect(readLine(text)).toEqual({ step, epoch, values: Object.entries(values) });
});

test.each([
  "",
  "Training on node-1 with 8 CPUs",
  "Listening on port: 8080",
  "GET / HTTP/1.1 200",
  "epoch 3 took 12s, eta: 40",
  "downloaded 41% of model.bin",
  "loss",
  "no loss today",
  "at 10:44:02 error 0x1f",
  `${"x".repeat(5000)} loss=1`,
])("says nothing about a model: %.60s", (text) => {
  expect(readLine(text)).toBeNull();
});

test("a name counts once a line, and a number that goes on is none", () => {
  expect(figures("loss=1 loss=2")).toEqual({ loss: 1 });
  expect(figures("loss=1.2.3 acc=4:05")).toEqual({});
});

test("long lines of nonsense are read in no time", () => {
  const from = performance.now();
  for (let i = 0; i < 200; i += 1) readLine(`${"a.b-c_".repeat(600)} ${i}`);
  expect(performance.now() - from).toBeLessThan(10_000);
});
