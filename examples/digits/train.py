"""Learns to read handwritten digits: a small network in plain numpy, in a few seconds on one core.

Prints one line per epoch with the loss, saves a checkpoint after each, and goes on from it when the job is retried.
"""
import argparse
import gzip
import os
import pathlib
import time

import numpy

HERE = pathlib.Path(__file__).resolve().parent


def load_digits():
    """1,797 pictures of 8 × 8 points and the digit each one shows, split 4 : 1 into training and test."""
    with gzip.open(HERE / "digits.csv.gz", "rt") as file:
        table = numpy.loadtxt(file, delimiter=",")
    order = numpy.random.default_rng(0).permutation(len(table))
    pictures, digits = table[order, :-1] / 16.0, table[order, -1].astype(int)
    cut = len(table) * 4 // 5
    return (pictures[:cut], digits[:cut]), (pictures[cut:], digits[cut:])


class Network:
    """64 points → 48 hidden units → 10 digits, trained by gradient descent with momentum."""

    def __init__(self, seed=1, hidden=48):
        draw = numpy.random.default_rng(seed)
        self.weights = [draw.normal(0, (2 / 64) ** 0.5, (64, hidden)), numpy.zeros(hidden),
                        draw.normal(0, (1 / hidden) ** 0.5, (hidden, 10)), numpy.zeros(10)]
        self.speed = [numpy.zeros_like(w) for w in self.weights]
        self.epoch = 0

    def forward(self, pictures):
        w1, b1, w2, b2 = self.weights
        hidden = numpy.maximum(pictures @ w1 + b1, 0)
        scores = hidden @ w2 + b2
        scores -= scores.max(axis=1, keepdims=True)
        likely = numpy.exp(scores)
        return hidden, likely / likely.sum(axis=1, keepdims=True)

    def learn(self, pictures, digits, rate):
        """One step on one batch; returns the loss before it."""
        rows = numpy.arange(len(digits))
        hidden, likely = self.forward(pictures)
        loss = -numpy.log(likely[rows, digits] + 1e-12).mean()
        error = likely.copy()
        error[rows, digits] -= 1
        error /= len(digits)
        back = (error @ self.weights[2].T) * (hidden > 0)
        slopes = [pictures.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0)]
        for weight, speed, slope in zip(self.weights, self.speed, slopes):
            speed *= 0.9
            speed -= rate * slope
            weight += speed
        return loss

    def accuracy(self, pictures, digits):
        return float((self.forward(pictures)[1].argmax(axis=1) == digits).mean())

    def save(self, path):
        """Written beside and renamed, so that a kill at any moment leaves a whole checkpoint."""
        fresh = path.with_suffix(".new.npz")
        numpy.savez(fresh, *self.weights, *self.speed, epoch=self.epoch)
        fresh.rename(path)

    def restore(self, path):
        with numpy.load(path) as saved:
            arrays = [saved[f"arr_{i}"] for i in range(8)]
            self.weights, self.speed, self.epoch = arrays[:4], arrays[4:], int(saved["epoch"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--rate", type=float, default=0.03, help="learning rate")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--pace", type=float, default=0.0, help="seconds an epoch takes at least, to watch it live")
    arguments = parser.parse_args()

    output = pathlib.Path(os.environ.get("TRAINYARD_OUTPUT_DIR", "."))
    checkpoint = output / "checkpoint.npz"
    (pictures, digits), test = load_digits()
    print(f"{len(digits)} pictures to learn from, {len(test[1])} to test with", flush=True)

    network = Network()
    if int(os.environ.get("TRAINYARD_ATTEMPT", "0")) > 0 and checkpoint.exists():
        network.restore(checkpoint)
        print(f"going on after epoch {network.epoch}", flush=True)

    while network.epoch < arguments.epochs:
        began = time.monotonic()
        order = numpy.random.default_rng(network.epoch).permutation(len(digits))
        batches = numpy.array_split(order, len(order) // arguments.batch)
        loss = numpy.mean([network.learn(pictures[b], digits[b], arguments.rate) for b in batches])
        network.epoch += 1
        network.save(checkpoint)
        print(f"epoch {network.epoch:2d}/{arguments.epochs}  loss={loss:.4f}", flush=True)
        time.sleep(max(0.0, arguments.pace - (time.monotonic() - began)))

    print(f"test accuracy={network.accuracy(*test):.4f}", flush=True)


if __name__ == "__main__":
    main()
