#!/usr/bin/env python3
"""make bench: every figure of docs/benchmarks.md beside its peer, measured in one run.

    bench.py [--only WORD] [--jobs N] [--write]

`--only` runs the rows whose name holds the word, `--jobs` is how many jobs the large database keeps (1,000,000),
`--write` puts the table with date and machine into docs/benchmarks.md. Absolute figures depend on the machine and on
what else it does; the ratios are what counts. Ends with 1 when a goal is missed.
"""
import argparse
import contextlib
import datetime
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
from trainyard import Server, eventually  # noqa: E402
import slurm  # noqa: E402
from containers import rows_about_containers  # noqa: E402

BUILD = ROOT / "build"


class Row:
    """One figure of ours against one of a peer's; `goal` is a bound on ours ÷ peer, or on ours when there is no peer."""

    def __init__(self, what, ours, unit, peer, theirs, goal, at_least=True):
        self.what, self.ours, self.unit, self.peer, self.theirs = what, ours, unit, peer, theirs
        self.goal, self.at_least = goal, at_least
        self.value = ours / theirs if theirs else ours

    @property
    def reached(self):
        return self.goal is None or (self.value >= self.goal if self.at_least else self.value <= self.goal)

    def cells(self):
        number = lambda n: f"{n:,.0f}" if abs(n) >= 100 else f"{n:.3g}"
        bound = "" if self.goal is None else f"{'≥' if self.at_least else '≤'} {self.goal:g}{' ×' if self.theirs else ' ' + self.unit}".rstrip()
        return [self.what, f"{number(self.ours)} {self.unit}".rstrip(), self.peer or "–",
                f"{number(self.theirs)} {self.unit}" if self.theirs else "–",
                f"{self.value:.3g} ×" if self.theirs else "–", bound or "–",
                "–" if self.goal is None else "yes" if self.reached else "**no**"]


HEAD = ["What", "Trainyard", "Peer", "Peer's", "Ratio", "Goal", "Reached"]


def say(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def program(name):
    """One of our benchmark programs, from the release build."""
    subprocess.run([ROOT / "tools/build", "release", name], check=True, stdout=subprocess.DEVNULL)
    return next(p for p in BUILD.rglob(name) if p.is_file() and os.access(p, os.X_OK))


def median(values):
    return statistics.median(values)


# -- loads

def wrk(url, script, seconds, connections=64, threads=1):
    """Requests a second, p50 and p99 in ms, and how many answers were not 2xx."""
    out = subprocess.run(["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script, url],
                         capture_output=True, text=True, check=True).stdout
    unit = {"us": 0.001, "ms": 1, "s": 1000}
    def percentile(p):
        number, word = re.search(rf"{p}%\s+([\d.]+)(us|ms|s)", out).groups()
        return float(number) * unit[word]
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), percentile(50), percentile(99), int(bad.group(1)) if bad else 0


def job_of_3_kb():
    return json.dumps({"name": "bench", "run": ["true"], "cpus": 64,
                       "env": {f"SETTING_{i:02}": "x" * 60 for i in range(38)}})


def post_script(folder, token, body=None):
    (folder / "body.json").write_text(body or job_of_3_kb())
    script = folder / "post.lua"
    script.write_text(f"""
wrk.method = "POST"
local file = io.open("{folder}/body.json"); wrk.body = file:read("*a"); file:close()
wrk.headers["Authorization"] = "Bearer {token}"
wrk.headers["Content-Type"] = "application/json"
""")
    return script


# -- rows

def submissions(folder, rows, args):
    """Durable submissions: HTTP, signed in, 3 KB job, 64 connections. The node is too small, so nothing runs meanwhile."""
    raws, insides, rates, secure = [], [], [], []
    # In turns: a machine that is slower for a minute is so for both.
    for turn in range(3):
        store = subprocess.run([program("store_bench"), "--jobs", "10000", "--submits", "20000", "--dir", folder / f"store-{turn}"],
                               capture_output=True, text=True, check=True).stdout
        raws += [float(x) for x in re.findall(r"raw SQLite, batches of 50: (\d+)", store)]
        insides += [float(x) for x in re.findall(r"ours, 64 writers: (\d+)", store)]
        with Server(folder / f"submit-{turn}", TRAINYARD_NODE__CPUS="1", TRAINYARD_LOG__LEVEL="error") as server:
            script = post_script(folder, server.token)
            rate, _, _, bad = wrk(server.url + "/api/v1/jobs", script, 8)
            assert bad == 0, f"{bad} submissions were refused"
            rates.append(rate)
        with Server(folder / f"submit-tls-{turn}", "--tls-self-signed", TRAINYARD_NODE__CPUS="1", TRAINYARD_LOG__LEVEL="error") as server:
            rate, _, _, bad = wrk(server.url + "/api/v1/jobs", post_script(folder, server.token), 8)
            assert bad == 0, f"{bad} submissions were refused"
            secure.append(rate)
    raw, inside, rate = median(raws), median(insides), median(rates)
    rows.append(Row("durable submissions inside the store, 64 writers", inside, "/s", "SQLite FULL, batches of 50", raw, 0.7))
    rows.append(Row("durable submissions over HTTP, 64 connections", rate, "/s", "SQLite FULL, batches of 50", raw, 0.7))
    rows.append(Row("durable submissions over HTTPS, 64 connections", median(secure), "/s", "over HTTP", rate, 0.5))
    if slurm.installed():
        with slurm.Slurm(folder / "slurm-submit", tuned=True) as peer:
            theirs = peer.submissions_per_second(4000)
        rows.append(Row("durable submissions over HTTP, 64 connections", rate, "/s", "Slurm's C API, 16 threads (not durable)", theirs, 6))


def kill_nine(folder, rows, args):
    """kill -9 under load: every answered submission is there afterwards."""
    answered, lost = set(), 0
    with Server(folder / "kill", TRAINYARD_NODE__CPUS="1", TRAINYARD_LOG__LEVEL="error") as server:
        while len(answered) < 20_000:
            stop, threads = threading.Event(), []
            def submit():
                import http.client
                link = http.client.HTTPConnection(*server.url.removeprefix("http://").split(":"))
                headers = {"Authorization": f"Bearer {server.token}"}
                with contextlib.suppress(Exception):
                    while not stop.is_set():
                        link.request("POST", "/api/v1/jobs", job_of_3_kb(), headers)
                        answer = link.getresponse()
                        body = answer.read()
                        if answer.status == 201:
                            answered.add(json.loads(body)["id"])
            for _ in range(8):
                threads.append(threading.Thread(target=submit))
                threads[-1].start()
            time.sleep(1.5)
            server.kill()
            stop.set()
            for thread in threads:
                thread.join()
            server.start()
        database = folder / "kill" / "trainyard.db"
        server.stop()
        import sqlite3
        kept = {row[0] for row in sqlite3.connect(f"file:{database}?mode=ro", uri=True).execute("select id from jobs")}
        lost = len(answered - kept)
    rows.append(Row(f"answered submissions lost by kill -9, of {len(answered):,}", lost, "", None, None, 0, at_least=False))


def end_to_end(folder, rows, args):
    """`true` jobs from the first submit to the last end, log kept, process runtime, 64 slots as Slurm has."""
    count = 2000
    with Server(folder / "jobs", TRAINYARD_NODE__CPUS="64", TRAINYARD_LOG__LEVEL="error") as server:
        import http.client
        def submit(n):
            link = http.client.HTTPConnection(*server.url.removeprefix("http://").split(":"))
            for _ in range(n):
                link.request("POST", "/api/v1/jobs", '{"run": ["true"], "memory": "16MB"}', {"Authorization": f"Bearer {server.token}"})
                answer = link.getresponse()
                answer.read()
                assert answer.status == 201
        submit(50)
        eventually(lambda: server.get("/api/v1/jobs/counts")["states"]["succeeded"] == 50, "the warm-up")
        began = time.monotonic()
        threads = [threading.Thread(target=submit, args=(count // 4,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        eventually(lambda: server.get("/api/v1/jobs/counts")["states"]["succeeded"] == count + 50, "all jobs", 120)
        ours = count / (time.monotonic() - began)
        time.sleep(1)
        first = []
        for i in range(15):
            out = folder / f"stamp.{i}"
            began = time.time()
            job = server.submit(json.dumps({"run": "date +%s.%N", "memory": "16MB"}))
            server.wait(job)
            first.append(float(server.logs(job)) - began)
    spawn = subprocess.run([program("spawn_bench"), "--ways", "4", "--rounds", "3", "--count", "300"],
                           capture_output=True, text=True, check=True).stdout
    bwrap = float(re.search(r"bwrap --unshare-all\s+([\d.]+)", spawn).group(1))
    rows.append(Row("`true` jobs end to end", ours, "/s", "bare bubblewrap, 4 at a time", bwrap, 0.7))
    if not slurm.installed():
        return
    with slurm.Slurm(folder / "slurm-default", tuned=False) as peer:
        rows.append(Row("`true` jobs end to end", ours, "/s", "Slurm as installed", peer.jobs_per_second(200), 15))
    with slurm.Slurm(folder / "slurm-tuned", tuned=True) as peer:
        rows.append(Row("`true` jobs end to end", ours, "/s", "Slurm tuned", peer.jobs_per_second(500), 6))
        rows.append(Row("submit to first instruction, idle", 1000 * median(first), "ms", "Slurm tuned, sbatch",
                        1000 * peer.first_instruction(7), 0.05, at_least=False))


FILTERS = {
    "latest": "", "state": "&state=succeeded", "workspace": "&workspace=default", "owner": "&owner=admin",
    "name": "&name=resnet", "oldest": "&sort=oldest", "by name": "&sort=name", "label": "&label=team",
}


def lists(folder, rows, args):
    """The job list over HTTP with 10,000 and with a million jobs kept; memory and restart with the latter."""
    filled = subprocess.run([program("store_bench"), "--jobs", str(args.jobs), "--submits", "0", "--dir", folder / "fill", "--keep", "yes"],
                            check=True, capture_output=True, text=True).stdout
    bare = float(re.search(rf"^{args.jobs} jobs: bare SQLite, newest page: ([\d.]+) ms", filled, re.M).group(1))
    small, large = {}, {}
    for size, into in ((10_000, small), (args.jobs, large)):
        data = folder / f"list-{size}"
        data.mkdir()
        for end in ("", "-wal", "-shm"):
            file = folder / "fill" / f"list-{size}.db{end}"
            if file.exists():
                shutil.move(file, data / f"trainyard.db{end}")
        began = time.monotonic()
        with Server(data, TRAINYARD_LOG__LEVEL="error") as server:
            ready = time.monotonic() - began
            script = folder / "get.lua"
            script.write_text(f'wrk.headers["Authorization"] = "Bearer {server.token}"\n')
            for name, query in FILTERS.items():
                rate, p50, p99, bad = wrk(f"{server.url}/api/v1/jobs?limit=50{query}", script, 2, connections=1)
                assert bad == 0, f"{name}: {bad} refused"
                into[name] = (p50, p99)
            if size == args.jobs:
                wrk(f"{server.url}/api/v1/jobs?limit=50", script, 3, connections=64)
                memory = resident(server.process.pid)
                rows.append(Row(f"memory with {size:,} jobs and 64 clients", memory, "MB", None, None, 150, at_least=False))
                rows.append(Row(f"restart to serving with {size:,} jobs", ready, "s", None, None, 2, at_least=False))
    worst = max(FILTERS, key=lambda f: large[f][0] / small[f][0] if f != "name" else 0)
    rows.append(Row(f"job list, the filter that grows most ({worst}), p50", large[worst][0], "ms", "the same with 10,000 jobs", small[worst][0], 1.5, at_least=False))
    rows.append(Row(f"job list, newest page, {args.jobs:,} jobs, p50", large["latest"][0], "ms", "the bare SQLite query, no HTTP", bare, 4, at_least=False))
    plain = [f for f in FILTERS if f != "name"]
    rows.append(Row("job list, slowest filter, p50", max(large[f][0] for f in plain), "ms", None, None, 1, at_least=False))
    rows.append(Row("job list, slowest filter, p99", max(large[f][1] for f in plain), "ms", None, None, 10, at_least=False))
    rows.append(Row("search by part of a name, p50", large["name"][0], "ms", None, None, 5, at_least=False))


def logs(folder, rows, args):
    """Capture: a task that writes 400 MB against the same straight into a file. Streaming: that log to a follower."""
    write = "yes 0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789 | head -c 400000000"
    job_file = json.dumps({"run": write, "memory": "512MB", "cpus": os.cpu_count()})  # the peer has the whole machine too
    direct, captured, streamed, piped = [], [], [], []
    with Server(folder / "logs", TRAINYARD_LOG__LEVEL="error") as server:
        for _ in range(5):
            os.sync()  # neither pays for what the other left to be written back
            began = time.monotonic()
            subprocess.run(["sh", "-c", f"{write} > {folder}/direct.log"], check=True)
            direct.append(400 / (time.monotonic() - began))
            os.remove(folder / "direct.log")
            os.sync()
            job = server.submit(job_file)
            tasks = server.tasks(server.wait(job, patience=120))
            begin, end = (datetime.datetime.fromisoformat(tasks["main-0"][k].replace("Z", "+00:00")) for k in ("started_at", "ended_at"))
            captured.append(400 / (end - begin).total_seconds())
        url = f"{server.url}/api/v1/jobs/{job}/logs?follow=true"
        for _ in range(3):
            began = time.monotonic()
            subprocess.run(["curl", "-sS", "-o", "/dev/null", "-H", f"Authorization: Bearer {server.token}", url], check=True)
            streamed.append(400 / (time.monotonic() - began))
            log = next((server.data_dir / "logs" / job[:2] / job).glob("*.log"))
            began = time.monotonic()
            subprocess.run(["sh", "-c", f"cat {log} | cat > /dev/null"], check=True)
            piped.append(400 / (time.monotonic() - began))
    rows.append(Row("log capture", median(captured), "MB/s", "straight into a file", median(direct), 0.8))
    rows.append(Row("log streaming to a follower", median(streamed), "MB/s", "cat \\| cat", median(piped), 1.0))


def resident(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


def rest(folder, rows, args):
    with Server(folder / "rest", TRAINYARD_LOG__LEVEL="error") as server:
        server.wait(server.submit('run: "true"'))
        time.sleep(2)
        ticks = lambda: sum(map(int, pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
        before = ticks()
        time.sleep(5)
        rows.append(Row("memory at rest", resident(server.process.pid), "MB", None, None, 40, at_least=False))
        rows.append(Row("CPU at rest", (ticks() - before) / 5 / os.sysconf("SC_CLK_TCK") * 100, "%", None, None, 1, at_least=False))


def scheduler(folder, rows, args):
    """A scheduling decision with a thousand and a hundred thousand jobs waiting, 1,000 nodes."""
    cost = {}
    for waiting in (1_000, 100_000):
        out = subprocess.run([program("ty_sched_bench"), "1000", str(waiting)], capture_output=True, text=True, check=True).stdout
        cost[waiting] = [float(x) for x in re.search(r"median\s+([\d.]+) us\s+p99\s+([\d.]+) us", out).groups()]
    rows.append(Row("scheduling decision, 100,000 waiting, median", cost[100_000][0], "µs", "1,000 waiting", cost[1_000][0], 2, at_least=False))
    rows.append(Row("scheduling decision, 100,000 waiting, p99", cost[100_000][1] / 1000, "ms", None, None, 5, at_least=False))


def questions(folder, rows, args):
    """What people ask while 20,000 and 100,000 jobs wait, each about another job: nothing is told from memory. And one submission after
    the other, alone and beside somebody who asks all the time."""
    import http.client
    with Server(folder / "questions", TRAINYARD_NODE__CPUS="1", TRAINYARD_LOG__LEVEL="error") as server:
        address, headers = server.url.removeprefix("http://").split(":"), {"Authorization": f"Bearer {server.token}"}
        job = lambda name: json.dumps({"name": name, "run": ["sleep", "3600"], "cpus": 1})

        def timed(link, method, path, body=None):
            began = time.perf_counter()
            link.request(method, path, body, headers)
            answer = link.getresponse()
            said = answer.read()
            assert answer.status in (200, 201), said
            return 1000 * (time.perf_counter() - began), json.loads(said)

        script = post_script(folder, server.token, job("train"))
        server.wait(server.submit(job("holder")), "running")
        for goal in (20_000, 100_000):
            while server.get("/api/v1/jobs/counts")["states"]["queued"] < goal:
                assert wrk(server.url + "/api/v1/jobs", script, 1)[3] == 0, "submissions were refused"
            known = [entry["id"] for i in range(20) for entry in server.get(f"/api/v1/queue?limit=1&offset={i * goal // 20}")["queue"]]
            link = http.client.HTTPConnection(*address)
            cost = {"why": median([timed(link, "GET", f"/api/v1/jobs/{id}/why")[0] for id in known]),
                    "a page of the queue": median([timed(link, "GET", f"/api/v1/queue?limit=50&offset={50 * i}")[0] for i in range(20)]),
                    "a dry run": median([timed(link, "POST", "/api/v1/jobs?dry_run=true", job(f"next-{i}"))[0] for i in range(20)])}
            for (what, ms), bound in zip(cost.items(), (100, 10, 100)):
                rows.append(Row(f"{what}, {goal:,} waiting, p50", ms, "ms", None, None, bound, at_least=False))
        submit = lambda count: sorted(timed(link, "POST", "/api/v1/jobs", job("beside"))[0] for _ in range(count))
        alone, stop = submit(300), threading.Event()

        def ask():
            other = http.client.HTTPConnection(*address)
            for i in range(1_000_000):
                if stop.is_set():
                    return
                timed(other, "GET", f"/api/v1/jobs/{known[i * 7919 % len(known)]}/why")
                timed(other, "POST", "/api/v1/jobs?dry_run=true", job(f"asked-{i}"))

        asker = threading.Thread(target=ask)
        asker.start()
        beside = submit(300)
        stop.set()
        asker.join()
        rows.append(Row("a submission beside endless questions, 100,000 waiting, p50", median(beside), "ms", "nobody asks", median(alone), 3,
                        at_least=False))


def containers(folder, rows, args):
    """Needs root and docker.io."""
    rows_about_containers(folder, rows, Row, program("usage_bench"))


def replay(folder, rows, args):
    """The Philly trace (82,247 jobs) on 60 nodes with 8 GPUs through the scheduler, beside an oracle that knows every duration."""
    trace = ROOT.parent / "shared/traces/philly.csv.gz"
    if not trace.exists():
        say(f"  no trace: put philly.csv.gz at {trace}")
        return
    out = subprocess.run([program("trainyard"), "replay", trace, "--nodes", "60", "--gpus-per-node", "8", "--estimate-every", "0",
                          "-o", "json"], capture_output=True, text=True, check=True).stdout
    by_name = {entry["policy"]: entry for entry in json.loads(out)["policies"]}
    ours, oracle = (by_name[name]["completion_hours"]["mean"] for name in ("service", "oracle"))
    rows.append(Row("replay of 82,247 jobs, one core", by_name["service"]["cpu_seconds"], "s", None, None, 2, at_least=False))
    rows.append(Row("replay, mean completion, least service first", ours, "h", "an oracle, counting GPUs only", oracle, 1.3, at_least=False))
    rows.append(Row("replay, longest wait beyond FIFO's, least service first", by_name["service"]["worst_behind_fifo_hours"], "h",
                    None, None, 24, at_least=False))


def compiling(folder, rows, args):
    """The release program from nothing, in CPU time: an empty compiler cache and build folder, the page built already. Then the
    inner loop: one of the three longest files of control changed, dev preset, until the program is linked."""
    build = folder / "build"
    fresh = {**os.environ, "CCACHE_DIR": str(folder / "ccache")}
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["cmake", "--preset", "release", "-B", build], cwd=ROOT, **quiet)
    subprocess.run(["cmake", "--build", build, "--target", "src/api/page.pack"], env=fresh, **quiet)
    cpu = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    before = cpu()
    subprocess.run(["cmake", "--build", build, "--target", "trainyard"], env=fresh, **quiet)
    rows.append(Row("compiling the release program from nothing, CPU time", (cpu() - before) / 60, "min", None, None, 6, at_least=False))

    subprocess.run([ROOT / "tools/build", "dev"], **quiet)
    took = []
    for source in sorted((ROOT / "src/control").rglob("*.cc"), key=lambda path: path.stat().st_size)[-3:]:
        source.touch()
        began = time.monotonic()
        subprocess.run([ROOT / "tools/build", "dev"], env={**os.environ, "CCACHE_RECACHE": "1"}, **quiet)
        took.append(time.monotonic() - began)
    rows.append(Row("one file of control changed until the dev program is linked", median(took), "s", None, None, 5, at_least=False))


PARTS = {"compiling": compiling, "submissions": submissions, "kill-9": kill_nine, "end-to-end": end_to_end, "lists": lists, "logs": logs, "rest": rest,
         "scheduler": scheduler, "questions": questions, "replay": replay, "containers": containers}


# -- the table

def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()).group(1)
    memory = int(re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1)) / 2**20
    kernel = ".".join(os.uname().release.split(".")[:2])
    return f"{os.cpu_count()} × {model}, {memory:.0f} GB, Linux {kernel}"


def table(rows):
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    return "\n".join(lines + ["| " + " | ".join(row.cells()) + " |" for row in rows])


def write_page(rows):
    page = ROOT / "docs/benchmarks.md"
    text = page.read_text()
    begin, end = "<!-- measured -->", "<!-- /measured -->"
    head, _, rest_ = text.partition(begin)
    tail = rest_.partition(end)[2]
    page.write_text(f"{head}{begin}\n{datetime.date.today()}, {machine()}\n\n{table(rows)}\n{end}{tail}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows, broken = [], []
    for name, part in PARTS.items():
        if args.only not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="trainyard-bench-") as folder:
            say(name)
            os.chmod(folder, 0o755)  # munge runs as a user of its own
            before = len(rows)
            try:
                part(pathlib.Path(folder), rows, args)
            except Exception as problem:  # one broken peer must not hide the other figures
                broken.append(f"{name}: {problem!r}")
                say(f"{name} broke: {problem!r}")
            for row in rows[before:]:
                say("  " + " · ".join(cell for cell in row.cells() if cell != "–"))
    print("\n" + table(rows))
    missed = [row.what for row in rows if not row.reached]
    print(f"\n{len(rows)} figures, {len(missed)} below their goal" + "".join(f"\n  {what}" for what in missed + broken))
    if args.write:
        write_page(rows)
    sys.exit(1 if missed or broken else 0)


if __name__ == "__main__":
    main()
