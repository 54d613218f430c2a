#!/usr/bin/env python3
"""Kills the server at random moments under load and proves that nobody noticed.

usage: crash.py [--kills N] [--seed N] [--program FILE] [--keep] [--junit FILE]

Submitters, stoppers and log followers work without pause while the server is killed with SIGKILL again and again, in
the middle of whatever it is doing, sometimes before it is even up. Every task notes its start and end in its output
folder and writes a log whose every byte can be computed. At the end:
  submits      every submit that was answered is there, and the same Idempotency-Key never made two jobs
  once         every task ran exactly once, and ended as its command did
  logs         every log is, byte for byte, what its task wrote
  followers    what a follower saw is a beginning of that log
  undisturbed  every task kept its process and ended in its own time
  stops        every stop that was answered took effect
  restarts     the server came back after every kill
"""
import argparse
import contextlib
import os
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
import xml.sax.saxutils
from dataclasses import dataclass, field

import requests

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

from trainyard import FINAL, NotReady, PROGRAM, Server, free_port  # noqa: E402

SUBMITTERS = 4
FOLLOWERS = 3
SETTLE_WITHIN = 240
# How much longer than its own sleep a task may take on a machine as busy as this harness makes it. Busier than
# CALM_LOAD a core means that others work here too, and everything takes longer.
SLACK_FACTOR, SLACK_SECONDS, CALM_LOAD = 2.0, 20.0, 8.0

# Notes go to the output folder, where a second run of the same task would append a second pair: what happened, which
# process (its id and when it was born, as ids repeat in namespaces), and when. A line of the log is TOKEN INDEX NUMBER
# VALUE, and VALUE follows from NUMBER, so the whole log can be recomputed.
SCRIPT = """\
note() {
  read -r up _ < /proc/uptime
  read -r life < /proc/$$/stat
  set -- "$1" ${life##*) }
  echo "$1 $$.${21} $up" >> "$TRAINYARD_OUTPUT_DIR/notes.$TRAINYARD_INDEX"
}
note start
burst() { awk -v t=%(token)s -v i="$TRAINYARD_INDEX" -v a="$1" -v b="$2" \
  'BEGIN { for (n = a; n <= b; n++) print t, i, n, (n * 7919) %% 1000003 }'; }
from=1
for round in $(seq %(rounds)d); do
  burst $from $((from + %(lines)d - 1))
  from=$((from + %(lines)d))
  sleep %(pause)s
done
note end
exit %(code)d
"""
FILE = """\
name: crash-%(token)s
labels: {crash: "%(run)s"}
cpus: 0.25
memory: 32MB
stop_grace: 1s
count: %(count)d
run: |
%(script)s"""


@dataclass
class Plan:
    """One job: what it will do, and what we were told about it."""
    token: str
    count: int
    rounds: int
    lines: int
    pause: float
    code: int
    job: str = None            # its id, once a submit was answered
    answers: set = field(default_factory=set)
    stop_asked: bool = False   # a stop was sent, answered or not
    stop_answered: bool = False

    @property
    def duration(self):
        return self.rounds * self.pause

    def text(self, run):
        script = SCRIPT % vars(self)
        indented = "".join(f"  {line}\n" for line in script.splitlines())
        return FILE % {"token": self.token, "run": run, "count": self.count, "script": indented}

    def log(self, index):
        return "".join(f"{self.token} {index} {n} {n * 7919 % 1000003}\n"
                       for n in range(1, self.rounds * self.lines + 1))


def draw_plan(draw, token):
    """Mostly short jobs, some that live through several crashes, some loud, some failing, some of two tasks."""
    kind = draw.random()
    if kind < 0.6:
        rounds, lines, pause = 1, draw.randint(1, 20), draw.choice([0.01, 0.1, 0.5])
    elif kind < 0.9:
        rounds, lines, pause = draw.randint(4, 40), draw.randint(1, 50), 0.25
    else:
        rounds, lines, pause = draw.randint(2, 6), 5000, 0.5
    return Plan(token, 2 if draw.random() < 0.15 else 1, rounds, lines, pause, 3 if draw.random() < 0.1 else 0)


class Run:
    """The load, the kills and the verdicts of one call."""

    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.name = f"r{arguments.seed}"
        self.server = Server(folder / "data", listen=f"127.0.0.1:{free_port()}", program=arguments.program)
        self.plans = []
        self.seen = []            # (job, index, bytes) that a follower got
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.ready_times = []
        self.early_kills = 0
        self.busiest = 0.0        # the highest load a core had
        self.breaches = {name: [] for name in ("submits", "once", "logs", "followers", "undisturbed", "stops",
                                               "restarts")}

    def breach(self, rule, text):
        with self.lock:
            self.breaches[rule].append(text)

    # -- load

    def session(self):
        session = requests.Session()
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {self.token}"
        return session

    def submit_all_the_time(self, number):
        draw = random.Random(f"{self.arguments.seed}.{number}")
        session = self.session()
        count = 0
        while not self.over.is_set():
            plan = draw_plan(draw, f"{self.name}-{number}-{count}")
            count += 1
            with self.lock:
                self.plans.append(plan)
            self.submit(session, draw, plan)
            if plan.job and draw.random() < 0.1:
                time.sleep(draw.uniform(0, 1.5))
                self.ask_to_stop(session, plan)
            time.sleep(draw.uniform(0.1, 0.6))

    def submit(self, session, draw, plan):
        """Again with the same key until answered, as the client does; one in four gives up after the first try."""
        patient = draw.random() < 0.75
        while not self.over.is_set():
            try:
                answer = session.post(self.base + "/api/v1/jobs", data=plan.text(self.name).encode(),
                                      headers={"Idempotency-Key": plan.token}, timeout=10)
                if answer.status_code in (200, 201):
                    plan.job = answer.json()["id"]
                    plan.answers.add(plan.job)
                    # Asking again must find the same job, also across a crash.
                    if draw.random() > 0.1:
                        return
                elif answer.status_code not in (502, 503):
                    self.breach("submits", f"{plan.token}: {answer.status_code} {answer.text[:300]}")
                    return
            except requests.RequestException:
                if not patient:
                    return
            time.sleep(0.05)

    def ask_to_stop(self, session, plan):
        plan.stop_asked = True
        with contextlib.suppress(requests.RequestException):
            answer = session.post(self.base + f"/api/v1/jobs/{plan.job}/stop", timeout=10)
            plan.stop_answered = answer.status_code == 202

    def follow_all_the_time(self, number):
        draw = random.Random(f"{self.arguments.seed}.follow.{number}")
        session = self.session()
        while not self.over.is_set():
            with self.lock:
                recent = [plan for plan in self.plans[-40:] if plan.job]
            if not recent:
                time.sleep(0.1)
                continue
            plan = draw.choice(recent)
            index = draw.randrange(plan.count)
            got = bytearray()
            with contextlib.suppress(requests.RequestException):
                with session.get(self.base + f"/api/v1/jobs/{plan.job}/logs",
                                 params={"follow": "true", "task": f"main-{index}"}, stream=True,
                                 timeout=10) as answer:
                    if answer.status_code == 200:
                        for chunk in answer.iter_content(16384):
                            got += chunk
                            if self.over.is_set():
                                break
            with self.lock:
                self.seen.append((plan, index, bytes(got)))
            time.sleep(draw.uniform(0, 0.1))

    # -- kills

    def kill_again_and_again(self):
        draw = random.Random(self.arguments.seed)
        began = time.monotonic()
        for number in range(1, self.arguments.kills + 1):
            if draw.random() < 0.15:
                time.sleep(draw.uniform(0, 0.15))     # before it is up, in the middle of its recovery
                self.early_kills += 1
            else:
                self.come_up()
                time.sleep(draw.uniform(0.02, 1.4))
            if self.server.process.poll() is not None:
                raise NotReady("the server ended by itself", self.server.printed(), self.server.process.returncode)
            self.server.kill()
            self.server.spawn()
            self.busiest = max(self.busiest, os.getloadavg()[0] / (os.cpu_count() or 1))
            if number % 20 == 0 or number == self.arguments.kills:
                with self.lock:
                    answered = sum(1 for plan in self.plans if plan.job)
                print(f"crash: {number} of {self.arguments.kills} kills, {answered} jobs submitted, "
                      f"{time.monotonic() - began:.0f} s", flush=True)
        self.come_up()

    def come_up(self):
        before = time.monotonic()
        self.server.wait_ready(30)
        self.ready_times.append(time.monotonic() - before)

    # -- verdicts

    def settle(self):
        """Waits until every job has ended."""
        deadline = time.monotonic() + SETTLE_WITHIN
        while True:
            jobs = self.server.jobs(label=f"crash={self.name}", limit=500)
            open_jobs = [job for job in jobs if job["state"] not in FINAL]
            if not open_jobs:
                return jobs
            if time.monotonic() > deadline:
                for job in open_jobs:
                    self.breach("once", f"{job['name']} {job['id']} is still {job['state']} after {SETTLE_WITHIN} s")
                return jobs
            time.sleep(0.3)

    def judge(self, jobs):
        by_id = {job["id"]: job for job in jobs}
        by_token = {}
        for job in jobs:
            by_token.setdefault(job["name"].removeprefix("crash-"), []).append(job["id"])
        for plan in self.plans:
            ids = by_token.get(plan.token, [])
            if len(ids) > 1 or len(plan.answers) > 1:
                self.breach("submits", f"{plan.token}: one key, several jobs: {sorted(plan.answers | set(ids))}")
            if plan.job and plan.job not in by_id:
                self.breach("submits", f"{plan.token}: answered with {plan.job}, which is gone")
        plans = {plan.token: plan for plan in self.plans}
        for job in jobs:
            self.judge_job(plans[job["name"].removeprefix("crash-")], job)
        for plan, index, got in self.seen:
            if not plan.log(index).encode().startswith(got):
                self.breach("followers", f"{plan.token} task {index}: {len(got)} bytes that are no beginning of its log")

    def judge_job(self, plan, job):
        stopped = job["state"] == "cancelled"
        if stopped and not plan.stop_asked:
            self.breach("once", f"{plan.token} {job['id']} was cancelled by nobody")
        if plan.stop_answered and not stopped:
            # A stop that comes after the end, or after the verdict, changes nothing.
            notes = [self.notes(job["id"], index) for index in range(plan.count)]
            if any(kinds[-1:] != ["end"] for kinds, _, _ in notes):
                self.breach("stops", f"{plan.token} {job['id']} was asked to stop, and is {job['state']}")
        wanted = "failed" if plan.code else "succeeded"
        if not stopped and job["state"] != wanted:
            detail = self.server.job(job["id"])
            self.breach("once", f"{plan.token} {job['id']} is {job['state']}, not {wanted}: {detail.get('reason')}")
        for index in range(plan.count):
            self.judge_task(plan, job, index, stopped)

    def notes(self, job, index):
        """(kinds, pids, uptimes) of what task `index` noted."""
        path = self.server.output(job) / f"notes.{index}"
        try:
            rows = [line.split() for line in path.read_text().splitlines()]
        except FileNotFoundError:
            rows = []
        return [row[0] for row in rows], {row[1] for row in rows}, [float(row[2]) for row in rows]

    def judge_task(self, plan, job, index, stopped):
        name = f"{plan.token} {job['id']} task {index}"
        kinds, pids, times = self.notes(job["id"], index)
        # With one failing task of two, the other is stopped; whoever is stopped may have been so at any moment.
        cut_short = stopped or (plan.code != 0 and plan.count > 1)
        if kinds != ["start", "end"] and not (cut_short and kinds in ([], ["start"])):
            self.breach("once", f"{name} noted {kinds}, not one start and one end")
        if len(pids) > 1:
            self.breach("undisturbed", f"{name} changed its process: {sorted(pids)}")
        allowed = (plan.duration * SLACK_FACTOR + SLACK_SECONDS) * max(1.0, self.busiest / CALM_LOAD)
        if len(times) == 2 and times[1] - times[0] > allowed:
            self.breach("undisturbed", f"{name} took {times[1] - times[0]:.1f} s instead of {plan.duration:.1f} s")
        log = self.server.logs(job["id"], task=f"main-{index}")
        wanted = plan.log(index)
        # A task that was cut short has written a beginning of it.
        if log != wanted and not ("end" not in kinds and wanted.startswith(log)):
            at = next((i for i, (a, b) in enumerate(zip(log, wanted)) if a != b), min(len(log), len(wanted)))
            self.breach("logs", f"{name}: {len(log)} bytes instead of {len(wanted)}, first difference at byte {at}: "
                                f"{log[at:at + 60]!r} instead of {wanted[at:at + 60]!r}")
        self.compared += len(log)

    # -- all of it

    def go(self):
        self.server.start()
        self.base = self.server.url
        self.token = self.server.token
        workers = [threading.Thread(target=self.submit_all_the_time, args=(n,), daemon=True)
                   for n in range(SUBMITTERS)]
        workers += [threading.Thread(target=self.follow_all_the_time, args=(n,), daemon=True)
                    for n in range(FOLLOWERS)]
        for worker in workers:
            worker.start()
        try:
            self.kill_again_and_again()
        except NotReady as problem:
            self.breach("restarts", str(problem)[-2000:])
            return
        finally:
            self.over.set()
            for worker in workers:
                worker.join(15)
        self.compared = 0
        self.judge(self.settle())
        if self.server.process.poll() is not None:
            self.breach("restarts", f"the server ended by itself: {self.server.printed()[-2000:]}")

    def report(self):
        tasks = sum(plan.count for plan in self.plans if plan.job)
        answered = sum(1 for plan in self.plans if plan.job)
        times = sorted(self.ready_times)
        print(f"crash: {self.arguments.kills} kills, {self.early_kills} of them before the server was up; seed "
              f"{self.arguments.seed}")
        print(f"crash: {answered} answered submits, {tasks} tasks, {getattr(self, 'compared', 0) / 1e6:.1f} MB of log "
              f"compared, {len(self.seen)} followers")
        if self.busiest > CALM_LOAD:
            print(f"crash: others kept the machine busy (load {self.busiest:.0f} a core), so tasks were given more time")
        if times:
            print(f"crash: ready after a restart in {statistics.median(times) * 1000:.0f} ms (median), "
                  f"{times[-1] * 1000:.0f} ms (slowest)")
        for rule, texts in self.breaches.items():
            print(f"crash: {rule:<12}{'kept' if not texts else f'BROKEN {len(texts)} times'}")
            for text in texts[:10]:
                print(f"         {text}")
        return sum(1 for texts in self.breaches.values() if texts)


def write_junit(path, breaches):
    quote = xml.sax.saxutils.quoteattr
    with open(path, "w", encoding="utf-8") as file:
        file.write('<testsuite name="crash">\n')
        for rule, texts in breaches.items():
            failure = f"<failure message={quote(texts[0])}/>" if texts else ""
            file.write(f'<testcase classname="crash" name={quote(rule)}>{failure}</testcase>\n')
        file.write("</testsuite>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000)
    parser.add_argument("--program", type=pathlib.Path, default=PROGRAM)
    parser.add_argument("--keep", action="store_true", help="keep the data directory even when all is well")
    parser.add_argument("--junit", type=pathlib.Path, help="write a JUnit report there")
    arguments = parser.parse_args()

    folder = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-crash-"))
    run = Run(arguments, folder)
    try:
        run.go()
    finally:
        run.server.destroy()
    broken = run.report()
    if arguments.junit:
        write_junit(arguments.junit, run.breaches)
    if broken or arguments.keep:
        print(f"crash: kept {folder}")
    else:
        shutil.rmtree(folder)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
