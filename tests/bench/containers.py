"""The rows about containers: ours beside the bare Docker API, both on one daemon and on networks of the same kind."""
import datetime
import json
import random
import statistics
import threading
import time

import docker
from trainyard import Server, eventually

IMAGE = "bench:1"


def bare(daemon, network):
    """One container of `true`: create, start, wait, remove."""
    _, made = daemon("POST", "/v1.41/containers/create", {"Image": IMAGE, "Cmd": ["true"],
                                                          "HostConfig": {"NetworkMode": network, "LogConfig": {"Type": "none"}}})
    name = made["Id"]
    daemon("POST", f"/v1.41/containers/{name}/start")
    daemon("POST", f"/v1.41/containers/{name}/wait")
    daemon("DELETE", f"/v1.41/containers/{name}")


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


def rows_about_containers(folder, rows, row, rounds=15, count=32):
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

            def ours():
                server.wait(server.submit(job), {"succeeded"}, 120)

            ours()
            bare(daemon, "bench")
            theirs_each, ours_each = [], []
            for _ in range(rounds):
                for work, times in ((lambda: bare(daemon, "bench"), theirs_each), (ours, ours_each)):
                    began = time.monotonic()
                    work()
                    times.append(time.monotonic() - began)
                    # What is still being removed must not weigh on the other's turn.
                    eventually(lambda: not daemon.containers(), "nothing is left", 60)
            rows.append(row("one container task, docker runtime", 1000 * statistics.median(ours_each), "ms",
                            "bare Docker API", 1000 * statistics.median(theirs_each), 1.10, at_least=False))
            theirs = at_once(lambda: bare(daemon, "bench"), count, 4)
            began = time.monotonic()
            for _ in range(count):
                server.submit(job)
            done = count + rounds + 1
            eventually(lambda: server.get("/api/v1/jobs/counts")["states"]["succeeded"] == done, "all jobs", 300)
            rows.append(row("container tasks, 4 at a time", count / (time.monotonic() - began), "/s", "bare Docker API",
                            theirs, 0.9))
            eventually(lambda: not daemon.containers(), "nothing is left", 60)
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
    finally:
        daemon.destroy()
