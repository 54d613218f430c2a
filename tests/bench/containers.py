"""The rows about containers: ours beside the bare Docker API, both on one daemon and on networks of the same kind."""
import datetime
import json
import pathlib
import random
import statistics
import subprocess
import threading
import time

import docker
from trainyard import Server, eventually

IMAGE = "bench:1"


class Connection(threading.local):
    """One kept connection for each thread, as a client that means it would have."""

    def __init__(self, daemon):
        self.wire = docker.UnixConnection(daemon.socket)

    def __call__(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        self.wire.request(method, path, data, {"Content-Type": "application/json"} if data else {})
        answer = self.wire.getresponse()
        text = answer.read()
        assert answer.status < 400, text
        return json.loads(text) if text else None


def bare(call, network):
    """One container of `true`: create, start, wait, remove."""
    made = call("POST", "/v1.41/containers/create", {"Image": IMAGE, "Cmd": ["true"], "HostConfig": {
        "NetworkMode": network, "LogConfig": {"Type": "none"}}})
    name = made["Id"]
    call("POST", f"/v1.41/containers/{name}/start")
    call("POST", f"/v1.41/containers/{name}/wait")
    call("DELETE", f"/v1.41/containers/{name}")


class Removals:
    """Counts containers as they go, told by Docker itself: nobody has to ask in a loop."""

    def __init__(self, daemon):
        self.count = 0
        self.changed = threading.Condition()
        self.wire = docker.UnixConnection(daemon.socket, timeout=600)
        self.wire.request("GET", "/v1.41/events?filters=%7B%22event%22%3A%5B%22destroy%22%5D%7D")
        self.answer = self.wire.getresponse()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        try:
            while self.answer.readline():
                with self.changed:
                    self.count += 1
                    self.changed.notify_all()
        except (OSError, ValueError, AttributeError):
            pass  # the daemon has ended, and so do we

    def wait(self, count, patience=300):
        with self.changed:
            assert self.changed.wait_for(lambda: self.count >= count, patience), f"{self.count} of {count} were removed"


def seconds(begin, end):
    parse = datetime.datetime.fromisoformat
    return (parse(end.replace("Z", "+00:00")) - parse(begin.replace("Z", "+00:00"))).total_seconds()


def at_once(work, count, ways):
    """How many a second when `ways` threads share `count` of them."""
    left = list(range(count))
    began = time.monotonic()

    def worker():
        while True:
            try:
                left.pop()
            except IndexError:
                return
            work()

    threads = [threading.Thread(target=worker) for _ in range(ways)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count / (time.monotonic() - began)


def cpu_seconds(pid):
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / 100


def usage_row(daemon, program, rows, row, messages=8):
    """CPU time of one look at a running container: ours against what dockerd spends on one message of its stats stream."""
    _, made = daemon("POST", "/v1.41/containers/create", {"Image": IMAGE, "Cmd": ["sleep", "600"], "HostConfig": {
        "NetworkMode": "bench", "LogConfig": {"Type": "none"}, "Memory": 64 << 20}})
    daemon("POST", f"/v1.41/containers/{made['Id']}/start")
    _, seen = daemon("GET", f"/containers/{made['Id']}/json")
    ours = float(subprocess.run([program, str(seen["State"]["Pid"])], capture_output=True, text=True, check=True).stdout)
    wire = docker.UnixConnection(daemon.socket)
    wire.request("GET", f"/v1.41/containers/{made['Id']}/stats")
    stream = wire.getresponse()
    stream.readline()
    began = cpu_seconds(daemon.process.pid)
    for _ in range(messages):
        stream.readline()
    theirs = 1000 * (cpu_seconds(daemon.process.pid) - began) / messages
    wire.close()
    daemon("DELETE", f"/v1.41/containers/{made['Id']}?force=true")
    rows.append(row("metrics sample of one task (CPU)", ours, "ms", None, None, 0.2, at_least=False))
    rows.append(row("metrics sample of one task (CPU)", ours, "ms", "Docker's stats API, dockerd alone", theirs or 0.01, 1.0,
                    at_least=False))


def stream_row(server, daemon, rows, row, lines=400000):
    """Reading a container's log: ours over HTTP against Docker's logs API with its default driver, the same bytes."""
    line = "0123456789" * 10
    text = f"yes {line} | head -n {lines}"
    job = server.submit(json.dumps({"image": IMAGE, "run": text, "memory": "1GB", "cpus": 2}))
    server.wait(job, {"succeeded"}, 300)
    _, made = daemon("POST", "/v1.41/containers/create", {"Image": IMAGE, "Cmd": ["sh", "-c", text], "HostConfig": {
        "NetworkMode": "bench", "LogConfig": {"Type": "json-file"}}})
    daemon("POST", f"/v1.41/containers/{made['Id']}/start")
    daemon("POST", f"/v1.41/containers/{made['Id']}/wait")

    def drain(answer):
        got = 0
        while piece := answer.read(1 << 20):
            got += len(piece)
        return got

    def theirs():
        wire = docker.UnixConnection(daemon.socket)
        wire.request("GET", f"/v1.41/containers/{made['Id']}/logs?stdout=true")
        assert drain(wire.getresponse()) >= lines * 101
        wire.close()

    def ours():
        with server.http.get(f"{server.url}/api/v1/jobs/{job}/logs", headers={"Authorization": f"Bearer {server.token}"},
                             stream=True) as answer:
            assert drain(answer.raw) == lines * 101

    speeds = []
    for read in (ours, theirs):
        took = []
        for _ in range(3):
            began = time.monotonic()
            read()
            took.append(time.monotonic() - began)
        speeds.append(lines * 101 / 1e6 / statistics.median(took))
    daemon("DELETE", f"/v1.41/containers/{made['Id']}?force=true")
    rows.append(row("log of a container, read whole", speeds[0], "MB/s", "Docker's logs API", speeds[1], 30))


def rows_about_containers(folder, rows, row, usage_program, rounds=15, count=32):
    daemon = docker.Daemon(folder / "dockerd")
    try:
        daemon.busybox(IMAGE)
        second = random.randrange(64, 250)
        status, said = daemon("POST", "/networks/create", {"Name": "bench", "Driver": "bridge",
                                                           "IPAM": {"Config": [{"Subnet": f"10.{second}.255.0/24"}]}})
        assert status == 201, said
        settings = {"TRAINYARD_RUNTIME": "docker", "TRAINYARD_DOCKER__SOCKET": daemon.socket, "TRAINYARD_NODE__CPUS": "4",
                    "TRAINYARD_DOCKER__SUBNETS": f"10.{second}.0.0/17", "TRAINYARD_LOG__LEVEL": "error"}
        with Server(folder / "containers", **settings) as server:
            job = json.dumps({"image": IMAGE, "run": ["true"], "memory": "64MB", "cpus": 1})
            call, removals = Connection(daemon), Removals(daemon)
            theirs_each, ours_each = [], []

            def theirs():
                bare(call, "bench")

            def ours():
                """From the submission until its container is removed."""
                gone = removals.count
                server.submit(job)
                removals.wait(gone + 1)

            for turn in range(rounds + 1):
                for work, times in ((theirs, theirs_each), (ours, ours_each)):
                    gone = removals.count
                    began = time.monotonic()
                    work()
                    if turn > 0:  # the first warms up
                        times.append(time.monotonic() - began)
                    removals.wait(gone + 1)
            rows.append(row("one container task, docker runtime, until it is removed", 1000 * statistics.median(ours_each), "ms",
                            "bare Docker API, create to remove", 1000 * statistics.median(theirs_each), 1.10, at_least=False))
            rates = []
            for round in range(2):
                gone = removals.count
                rate = at_once(theirs, count, 4)
                removals.wait(gone + count)
                began = time.monotonic()
                for _ in range(count):
                    server.submit(job)
                removals.wait(gone + 2 * count)
                rates.append((count / (time.monotonic() - began), rate))
            done = 2 * count + rounds + 1
            eventually(lambda: server.get("/api/v1/jobs/counts")["states"]["succeeded"] == done, "all jobs succeeded", 60)
            rows.append(row("container tasks, 4 at a time", statistics.mean(ours for ours, _ in rates), "/s", "bare Docker API",
                            statistics.mean(theirs for _, theirs in rates), 0.9))
            usage_row(daemon, usage_program, rows, row)
            line = "0123456789" * 10
            took = {}
            for name, target in (("file", "> /tmp/log"), ("log", "")):
                found = server.submit(json.dumps({"image": IMAGE, "run": f"yes {line} | head -n 2000000 {target}",
                                                  "memory": "1GB", "cpus": 2}))
                server.wait(found, {"succeeded"}, 300)
                task = next(iter(server.tasks(found).values()))
                took[name] = seconds(task["started_at"], task["ended_at"])
            size = 2000000 * 101 / 1e6
            rows.append(row("log capture in a container", size / took["log"], "MB/s", "direct to a file", size / took["file"], 0.8))
            stream_row(server, daemon, rows, row)
    finally:
        daemon.destroy()
