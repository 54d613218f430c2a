"""Many jobs wait: why, in which order, and what an administrator can do about it."""
import json

import pytest
from trainyard import Server, eventually

pytestmark = pytest.mark.core

WAITING = 60


def submit(server, name):
    return server.submit(json.dumps({"name": name, "run": ["sleep", "600"], "cpus": 1}))


def names(server):
    return [entry["name"] for entry in server.get("/api/v1/queue?limit=50")["queue"]]


@pytest.fixture
def busy(tmp_path):
    """A server whose only CPU is taken, and many who wait for it."""
    with Server(tmp_path / "data", TRAINYARD_NODE__CPUS="1") as server:
        holder = submit(server, "holder")
        server.wait(holder, "running")
        jobs = [submit(server, f"wait-{i:02}") for i in range(WAITING)]
        eventually(lambda: len(names(server)) == 50, "all of them wait")
        yield server, holder, jobs


def test_why_says_it_in_numbers_and_the_queue_has_an_order(busy):
    server, holder, jobs = busy
    assert names(server) == [f"wait-{i:02}" for i in range(50)]
    shown = server.cli("why", jobs[20], check=0).stdout
    assert "needs 1 CPU at once" in shown
    assert f"position  21 of {WAITING}" in shown
    assert "to start it now: " in shown
    assert "start     about " in shown
    table = server.cli("queue", "--limit", "5", "--offset", "10", check=0).stdout.splitlines()
    assert [line.split()[2] for line in table[1:]] == [f"wait-{i}" for i in range(10, 15)]
    # What it says would start it does: the front of the queue, and the only CPU.
    why = json.loads(server.cli("why", jobs[20], "-o", "json", check=0).stdout)
    assert "move it to the front of the queue" in why["change"]["text"]
    assert "stop holder" in why["change"]["text"]
    server.cli("move", jobs[20], check=0)
    server.cli("stop", holder, check=0)
    server.wait(jobs[20], "running")


def test_an_administrator_moves_jobs_and_a_restart_remembers(busy):
    server, _, jobs = busy
    assert "goes first" in server.cli("move", jobs[30], check=0).stdout
    server.cli("move", jobs[40], "--before", jobs[2], check=0)
    expected = ["wait-30", "wait-00", "wait-01", "wait-40", "wait-02"]
    assert names(server)[:5] == expected
    moved = [event for event in server.get(f"/api/v1/jobs/{jobs[40]}/events")["events"] if event["kind"] == "job.moved"]
    assert moved[0]["actor"] and moved[0]["data"]["before"] == jobs[2]
    server.restart()
    eventually(lambda: len(names(server)) == 50, "all of them wait again")
    assert names(server)[:5] == expected
    # Later moves go before earlier ones, also after a restart.
    server.cli("move", jobs[50], check=0)
    assert names(server)[:2] == ["wait-50", "wait-30"]


def test_what_cannot_be_moved_is_told(busy):
    server, holder, jobs = busy
    refused = server.cli("move", holder)
    assert refused.returncode == 1 and "only a waiting job" in refused.stderr
    refused = server.cli("move", jobs[0], "--before", holder)
    assert refused.returncode == 1 and "is not waiting" in refused.stderr
    refused = server.cli("move", "ffffffff")
    assert refused.returncode == 1


def test_a_dry_run_foretells_the_start_and_disturbs_nobody(make_server):
    server = make_server(TRAINYARD_NODE__CPUS="4").start()

    def foretold(text):
        answer = server.call("POST", "/api/v1/jobs?dry_run=true", data=text)
        assert answer.status_code == 200, answer.text
        return answer.json()["forecast"]

    small = {"name": "small", "run": "true", "cpus": 3, "memory": "64MB"}
    assert foretold(json.dumps(small))["verdict"] == "starts_now"
    holder = server.submit(json.dumps({**small, "name": "holder", "run": "sleep 600", "time_limit": "1h"}))
    server.wait(holder, "running")
    waiting = server.submit(json.dumps({**small, "name": "in-line"}))
    told = foretold(json.dumps(small))
    assert told["verdict"] == "waits" and "CPU" in told["text"]
    assert (told["position"], told["waiting"]) == (2, 2)
    assert told["estimate"]["early"] <= told["estimate"]["likely"] <= told["estimate"]["late"]
    assert foretold(json.dumps({**small, "cpus": 900}))["verdict"] == "impossible"
    assert [entry["id"] for entry in server.get("/api/v1/queue")["queue"]] == [waiting]
    server.stop_job(holder)
    server.wait(waiting, "succeeded")
