#!/usr/bin/env python3
"""How short can the mean completion time be if no job may wait much longer than under strict FIFO?

usage: fifo_bound.py TRACE [--gpus 480] [--hours 24] [--step 3]        (TRACE as for `trainyard replay`; needs `clp`)

Prints a time below which no scheduler can stay: not one that knows the future, may stop and split jobs as it likes and
never has a fragmented node. It is the optimum of a linear program that allows more than any scheduler can do:

- time has steps of some hours; in each the GPUs are a liquid that is shared among the jobs,
- a job takes at most as many GPUs as it asked for, and has all its work before FIFO's end of it plus the allowance,
- a job that is worked on at the mean time m ends at m + duration / 2 at the earliest. That is what is minimised, each piece
  of work counted from the beginning of its step, and from the end of the step the job came in.

Jobs that come in the same step and need about as much work are one variable; what they differ by is counted in their favour.
"""
import argparse
import collections
import csv
import datetime
import gzip
import heapq
import math
import pathlib
import re
import subprocess
import tempfile

Job = collections.namedtuple("Job", "submitted duration gpus")
RATIO = 1.35  # jobs within this factor of each other's work are counted together


def read(path):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else path.open()
    with opened as file:
        rows = [Job(datetime.datetime.fromisoformat(row["timestamp"]).timestamp() / 3600, float(row["duration"]) / 3600,
                    int(float(row["num_gpus"]))) for row in csv.DictReader(file)]
    jobs = sorted((job for job in rows if job.gpus > 0 and job.duration > 0), key=lambda job: job.submitted)
    return [job._replace(submitted=job.submitted - jobs[0].submitted) for job in jobs]


def fifo_ends(jobs, gpus):
    """When strict FIFO ends each job: nobody starts before whoever came earlier."""
    running, free, now, ends = [], gpus, 0.0, []
    for job in jobs:
        now = max(now, job.submitted)
        while running and (running[0][0] <= now or free < job.gpus):
            end, back = heapq.heappop(running)
            now, free = max(now, end), free + back
        free -= job.gpus
        ends.append(now + job.duration)
        heapq.heappush(running, (ends[-1], job.gpus))
    return ends


def write_program(path, jobs, ends, gpus, allowance, step):
    """The linear program in CPLEX's text format: one variable per group of jobs and step."""
    work, width, largest, last = (collections.Counter() for _ in range(4))
    for job, end in zip(jobs, ends):
        amount = job.duration * job.gpus
        long = 0 if job.duration < step else 1 + int(math.log2(job.duration / step))
        group = (int(job.submitted // step), int(math.log(amount, RATIO)), long)
        work[group] += amount
        width[group] += job.gpus
        largest[group] = max(largest[group], amount)
        last[group] = max(last[group], math.ceil((end + allowance) / step))

    cost, needs, limits, steps = [], [], [], collections.defaultdict(list)
    for index, group in enumerate(sorted(work)):
        first, names = group[0], []
        for at in range(first, last[group]):
            name = f"x{index}_{at}"
            names.append(name)
            steps[at].append(name)
            limits.append(f"{name} <= {width[group] * step:.9g}")
            if at > first + 1:
                cost.append(f"{(at - first - 1) * step / largest[group]:.9g} {name}")
        needs.append(f"{' + '.join(names)} >= {work[group] * 0.999999:.9g}")
    with path.open("w") as out:
        out.write("Minimize\n cost: " + "\n + ".join(cost) + "\nSubject To\n")
        out.writelines(f" {line}\n".replace(" + ", "\n + ") for line in needs)
        out.writelines("\n + ".join(names) + f" <= {gpus * step}\n" for names in steps.values())
        out.write("Bounds\n" + "\n".join(limits) + "\nEnd\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("--gpus", type=int, default=480)
    parser.add_argument("--hours", type=float, default=24, help="what a job may wait longer than under FIFO")
    parser.add_argument("--step", type=float, default=3, help="hours; a shorter one gives a higher bound and takes longer")
    arguments = parser.parse_args()

    jobs = read(arguments.trace)
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "bound.lp"
        write_program(program, jobs, fifo_ends(jobs, arguments.gpus), arguments.gpus, arguments.hours, arguments.step)
        said = subprocess.run(["clp", program, "-dualSimplex"], capture_output=True, text=True, check=True).stdout
    optimum = re.search(r"Optimal - objective value (\S+)", said)
    if not optimum:
        raise SystemExit(said)
    half = sum(job.duration for job in jobs) / 2
    print(f"nobody {arguments.hours:g} h behind FIFO: mean completion is at least {(half + float(optimum[1])) / len(jobs):.2f} h")


if __name__ == "__main__":
    main()
