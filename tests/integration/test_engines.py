"""Engines are chosen by name, and a job is the same over the API whichever runs it."""
import pytest
from trainyard import NotReady, Server, eventually

JOB = """\
image: python:3.12
roles:
  worker: {count: 2, ports: {http: 8888}, run: "fake: run 20s"}
"""


def test_an_engine_that_is_not_there_is_refused_with_those_there_are(tmp_path):
    with pytest.raises(NotReady) as refused:
        Server(tmp_path / "data", "--engine", "cloud").start()
    assert refused.value.code == 2
    assert '"cloud"' in refused.value.output and "local or fake" in refused.value.output, refused.value.output


def test_a_job_runs_from_end_to_end_without_anything_of_this_machine(tmp_path):
    with Server(tmp_path / "data", "--engine", "fake") as server:
        before = files_of_tasks(server)
        answer = server.act(201, "POST", "/api/v1/jobs", data=JOB.encode())
        assert answer["warnings"] == [], "each replica may have its port: they share no machine's"
        job = answer["id"]
        server.wait(job, "running")
        tasks = server.tasks(job)
        assert {task["state"] for task in tasks.values()} == {"running"}
        assert server.logs(job, task="worker-1") == "fake: started\n"
        seen = eventually(lambda: (now := usage(server, job)) and all(one["latest"] for one in now) and now, "it is sampled")
        assert all(one["latest"]["memory"] == 64 << 20 for one in seen), seen
        [hit] = server.get(f"/api/v1/jobs/{job}/logs/search?task=worker-0&q=started")["hits"]
        assert hit["line"] == 1

        server.stop_job(job)
        assert server.wait(job, "cancelled")
        lines = server.logs(job, task="worker-0").splitlines()
        assert lines[0] == "fake: started" and len(lines) == 2, lines
        assert "127.0.0.1" not in server.call("GET", f"/api/v1/jobs/{job}").text
        assert files_of_tasks(server) == before == [], "nothing was written for it here"
        server.delete(job)
        assert server.call("GET", f"/api/v1/jobs/{job}/logs").status_code == 404


def test_who_follows_a_log_gets_it_from_memory_as_it_grows(tmp_path):
    with Server(tmp_path / "data", "--engine", "fake") as server:
        job = server.submit('image: a\nrun: "fake: run 1s exit 3"')
        with server.call("GET", f"/api/v1/jobs/{job}/logs?follow=true", stream=True) as answer:
            text = b"".join(answer.iter_content(None)).decode()
        assert text == "fake: started\nfake: exit code 3\n", text
        assert server.wait(job, "failed")["reason"]


def usage(server, job):
    return server.get(f"/api/v1/jobs/{job}/metrics")["tasks"]


def files_of_tasks(server):
    """What lies below the folders of tasks; the server itself has no use for them."""
    return [path for name in ("runs", "logs", "outputs") for path in (server.data_dir / name).rglob("*")]
