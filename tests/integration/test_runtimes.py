"""Which runtime is taken, and what is said about it."""
import random

import docker
import pytest
from trainyard import NotReady, Server, eventually


def events_of(server, job):
    return server.get(f"/api/v1/jobs/{job}/events")["events"]


def test_a_runtime_that_is_not_there_is_named_with_what_to_do(tmp_path):
    with pytest.raises(NotReady) as refused:
        Server(tmp_path / "data", TRAINYARD_RUNTIME="docker", TRAINYARD_DOCKER__SOCKET=tmp_path / "no.sock").start()
    assert "Docker does not answer" in refused.value.output and "--runtime process" in refused.value.output
    with pytest.raises(NotReady) as refused:
        Server(tmp_path / "data", TRAINYARD_RUNTIME="oci").start()
    assert refused.value.code == 2 and "write docker, process or auto" in refused.value.output


def test_auto_takes_docker_where_it_answers_and_stays_with_it(tmp_path, tmp_path_factory):
    daemon = docker.Daemon(tmp_path_factory.mktemp("dockerd"), live_restore=False)
    server = Server(tmp_path / "data", TRAINYARD_RUNTIME="auto", TRAINYARD_DOCKER__SOCKET=daemon.socket,
                    TRAINYARD_DOCKER__SUBNETS=f"10.{random.randrange(64, 250)}.0.0/16")
    try:
        server.start()
        assert "docker" in server.get("/api/v1/version")["engine"]
        [node] = server.get("/api/v1/nodes")["nodes"]
        assert node["runtime"] == "docker" and any("live-restore" in text for text in node["warnings"]), node
        assert "live-restore" in server.cli("nodes", check=0).stdout
        server.stop()
        daemon.stop()
        server.start()
        [node] = server.get("/api/v1/nodes")["nodes"]
        assert not node["healthy"] and "Docker does not answer" in node["problem"]
        daemon.start()
        eventually(lambda: server.get("/api/v1/nodes")["nodes"][0]["healthy"], "Docker is found again")
    finally:
        server.destroy()
        daemon.destroy()


def test_auto_without_docker_runs_processes_and_says_that_images_are_not_used(make_server, tmp_path):
    server = make_server(TRAINYARD_RUNTIME="auto", TRAINYARD_DOCKER__SOCKET=tmp_path / "no.sock").start()
    assert "process" in server.get("/api/v1/version")["engine"]
    [node] = server.get("/api/v1/nodes")["nodes"]
    assert (node["runtime"], node["images"]) == ("process", False)
    printed = server.cli("nodes", check=0).stdout
    assert "RUNTIME" in printed and "images are not used" in printed, printed
    answer = server.call("POST", "/api/v1/jobs", data="image: python:3.12\nrun: echo here")
    assert answer.status_code == 201
    assert [issue["code"] for issue in answer.json()["warnings"]] == ["ignored"]
    assert "without images" in answer.json()["warnings"][0]["message"]
    job = answer.json()["id"]
    assert server.wait(job)["state"] == "succeeded"


def test_what_could_not_be_done_for_a_task_stands_in_the_jobs_timeline_once(server):
    job = server.submit("count: 3\nmemory: 32MB\nworkdir: /no/such/folder\nrun: 'true'")
    assert server.wait(job)["state"] == "succeeded"
    told = [event for event in events_of(server, job) if event["kind"] == "task.warning"]
    about = [event for event in told if "/no/such/folder" in event["data"]["text"]]
    # The text names the folder it starts in instead, which is each task's own.
    assert {event["data"]["task"] for event in about} == {"main-0", "main-1", "main-2"}, told
    assert "/no/such/folder" in server.cli("events", job, check=0).stdout


def test_what_a_process_uses_is_seen_while_it_runs_and_kept_after_it(make_server):
    server = make_server().start()
    job = server.submit("memory: 64MB\nrun: |\n  while [ ! -e $TRAINYARD_OUTPUT_DIR/enough ]; do sleep 0.1; done")
    server.wait(job, {"running"})
    [node] = server.get("/api/v1/nodes")["nodes"]
    if any("not limited" in text for text in node["warnings"]):
        [task] = server.get(f"/api/v1/jobs/{job}/metrics")["tasks"]
        assert task["latest"] is None, "without cgroups nobody knows"
        server.stop_job(job)
    else:
        seen = eventually(lambda: server.get(f"/api/v1/jobs/{job}/metrics")["tasks"][0]["latest"], "its use is seen")
        assert 0 < seen["memory"] <= seen["memory_peak"] <= 64 << 20 and seen["cpu_seconds"] > 0, seen
        (server.output(job) / "enough").touch()
        assert server.wait(job)["state"] == "succeeded"
        [task] = server.get(f"/api/v1/jobs/{job}/metrics?points=10")["tasks"]
        assert task["points"] and task["latest"]["memory_peak"] >= seen["memory"], task
        other = server.create_user("bob")
        assert server.call("GET", f"/api/v1/jobs/{job}/metrics?points=5000", token=other).status_code in (400, 404, 422)
