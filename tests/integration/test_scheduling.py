"""How a site shares its machines: policy, quotas, reservations, drain; set by administrators, kept over a restart."""
import json

import pytest
from trainyard import Server, eventually

pytestmark = pytest.mark.core


def submit(server, name, cpus=1, **fields):
    return server.submit(json.dumps({"name": name, "run": ["sleep", "600"], "cpus": cpus, **fields}))


def state(server, job):
    return server.job(job)["state"]


def waits_for(server, job, words):
    eventually(lambda: words in server.cli("why", job, check=0).stdout, f"{job} waits: {words}")


@pytest.fixture
def server(tmp_path):
    with Server(tmp_path / "data", TRAINYARD_NODE__CPUS="2", TRAINYARD_NODE__NAME="n1") as running:
        yield running


def test_a_limit_holds_back_until_it_is_raised_and_a_restart_remembers_it(server):
    shown = server.cli("scheduling", "quota", "default", "--limit-cpus", "1", check=0).stdout
    assert "1 CPUs" in shown
    first, second = submit(server, "first"), submit(server, "second")
    server.wait(first, "running")
    waits_for(server, second, "workspace default uses 1 of 1 CPUs")
    server.restart()
    waits_for(server, second, "workspace default uses 1 of 1 CPUs")
    server.cli("scheduling", "quota", "default", "--limit-cpus", "2", check=0)
    server.wait(second, "running")
    server.cli("scheduling", "quota", "default", "--remove", check=0)
    assert json.loads(server.cli("scheduling", "show", "-o", "json", check=0).stdout)["quotas"] == []


def test_a_drained_machine_takes_nothing_new(server):
    running = submit(server, "before")
    server.wait(running, "running")
    assert "no new tasks start there" in server.cli("drain", "n1", check=0).stdout
    later = submit(server, "later")
    waits_for(server, later, "n1")
    assert state(server, running) == "running"
    assert "draining" in server.cli("nodes", check=0).stdout
    server.restart()
    waits_for(server, later, "n1")
    server.cli("undrain", "n1", check=0)
    server.wait(later, "running")
    refused = server.cli("drain", "nowhere")
    assert refused.returncode == 1 and "no node nowhere" in refused.stderr


def test_a_guarantee_is_lent_to_preemptible_work_and_taken_back(server):
    server.cli("workspace", "create", "vision", check=0)
    server.cli("scheduling", "quota", "vision", "--guarantee-cpus", "1", check=0)
    firm = submit(server, "firm", cpus=2)
    waits_for(server, firm, "not guaranteed to other workspaces")
    server.stop_job(firm)
    borrower = submit(server, "borrower", cpus=2, preemptible=True)
    server.wait(borrower, "running")
    mine = submit(server, "mine", workspace="vision")
    server.wait(mine, "running")
    server.wait(borrower, "queued")


def test_reserved_machines_are_for_those_named(server):
    server.cli("workspace", "create", "vision", check=0)
    server.cli("scheduling", "reserve", "course", "--nodes", "n1", "--workspaces", "vision", "--to", "2h", check=0)
    guest = submit(server, "guest")
    waits_for(server, guest, "reserved")
    mine = submit(server, "mine", workspace="vision")
    server.wait(mine, "running")
    assert "course" in server.cli("scheduling", "show", check=0).stdout
    server.cli("scheduling", "reserve", "course", "--remove", check=0)
    server.wait(guest, "running")
    assert server.cli("scheduling", "reserve", "course", "--remove").returncode == 1


def test_least_service_stops_preemptible_jobs_only(server):
    assert server.get("/api/v1/scheduling")["policy"] == "fair"
    rules = {"policy": "service", "quantum_minutes": 0.1}
    server.act(200, "PUT", "/api/v1/scheduling", data=json.dumps(rules))
    shown = server.cli("scheduling", "show", check=0).stdout
    assert "policy      service" in shown
    firm = submit(server, "firm", cpus=1)
    soft = submit(server, "soft", cpus=1, preemptible=True)
    server.wait(firm, "running")
    server.wait(soft, "running")
    # After its quantum the preemptible one makes room for one that has had nothing; the other stays.
    newcomer = submit(server, "newcomer", cpus=1)
    server.wait(newcomer, "running")
    server.wait(soft, "queued")
    assert state(server, firm) == "running"
    server.cli("scheduling", "policy", "fair", check=0)
    assert server.get("/api/v1/scheduling")["quantum_minutes"] == 0.1


def test_wrong_rules_are_told_and_change_nothing(server):
    def refused(status, rules, words):
        answer = server.act(status, "PUT", "/api/v1/scheduling", data=json.dumps(rules))
        assert words in answer["message"]

    refused(400, {"polcy": "fair"}, "did you mean policy?")
    refused(400, {"policy": "chance"}, "expected fair or service")
    refused(400, {"quotas": [{"workspace": "nobody"}]}, "/quotas/0/workspace: ")
    refused(400, {"quotas": [{"workspace": "default", "guarantee": {"gpus": 2}, "limit": {"gpus": 1}}]}, "/quotas/0/guarantee: ")
    refused(400, {"quotas": [{"workspace": "default"}, {"workspace": "default"}]}, "/quotas/1/workspace: ")
    night = {"name": "night", "nodes": ["n9"], "from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"}
    refused(400, {"reservations": [night]}, "/reservations/0/nodes")
    refused(400, {"reservations": [{**night, "nodes": ["n1"], "to": "2025-01-01T00:00:00Z"}]}, "/reservations/0")
    refused(400, [], "expected an object")
    before = server.get("/api/v1/scheduling")
    assert before["version"] == 0 and before["quotas"] == []
    server.act(200, "PUT", "/api/v1/scheduling", data=json.dumps(before))
    refused(409, before, "")


def test_only_administrators_change_the_rules(server):
    token = server.create_user("ann")
    assert server.get("/api/v1/scheduling", token=token)["policy"] == "fair"
    for path, body in [("/api/v1/scheduling", {"policy": "service"}), ("/api/v1/nodes/n1/draining", {"draining": True}),
                       ("/api/v1/workspaces/default/members/ann", {"role": "manager"})]:
        server.act(403, "PUT", path, token=token, data=json.dumps(body))
    server.act(403, "POST", "/api/v1/workspaces", token=token, data=json.dumps({"name": "own"}))


def test_workspaces_have_members(server):
    server.cli("workspace", "create", "vision", check=0)
    token = server.create_user("ann")
    job = json.dumps({"name": "a", "run": "true", "workspace": "vision"})
    assert server.call("POST", "/api/v1/jobs", token=token, data=job).status_code in (403, 404)
    server.cli("workspace", "add", "vision", "ann", check=0)
    eventually(lambda: server.call("POST", "/api/v1/jobs", token=token, data=job).status_code == 201, "ann may submit")
    server.cli("workspace", "remove", "vision", "ann", check=0)
    eventually(lambda: server.call("POST", "/api/v1/jobs", token=token, data=job).status_code in (403, 404), "she may not")
    assert server.cli("workspace", "delete", "default").returncode == 1
    refused = server.cli("workspace", "delete", "vision")
    assert refused.returncode == 1 and "still has jobs" in refused.stderr
