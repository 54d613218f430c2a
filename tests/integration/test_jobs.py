"""A job's life from outside: submit, look, wait, stop, change, repeat, remove."""
import json
import pathlib
import time

import pytest
from trainyard import eventually

pytestmark = pytest.mark.core

ENDLESS = "stop_grace: 1s\nrun: |\n  echo up\n  while :; do sleep 0.1; done\n"


# -- submit

def test_a_submitted_job_runs_to_its_end(server):
    answer = server.call("POST", "/api/v1/jobs", data="name: first\nrun: echo hello")
    assert answer.status_code == 201
    body = answer.json()
    assert body["name"] == "first" and body["warnings"] == []
    assert answer.headers["Location"].endswith(body["id"])
    ended = server.wait(body["id"], "succeeded")
    assert ended["owner"] == "admin"
    assert ended["workspace"] == "default"
    task = server.tasks(ended)["main-0"]
    assert task["state"] == "succeeded" and task["exit_code"] == 0
    assert ended["exit_code"] == 0 and ended["reason"] == ""
    assert ended["created_at"] <= ended["started_at"] <= ended["ended_at"]
    assert server.logs(body["id"]) == "hello\n"


def test_the_content_type_is_only_a_hint(server):
    for kind in ("application/json", "text/plain", "application/x-nonsense"):
        server.submit("run: true", headers={"Content-Type": kind})
    server.submit('{"run": "true"}', headers={"Content-Type": "application/yaml"})


def test_a_dry_run_checks_and_keeps_nothing(server):
    before = len(server.jobs())
    answer = server.call("POST", "/api/v1/jobs?dry_run=true", data="name: dry\nrun: true")
    assert answer.status_code == 200, answer.text
    assert answer.json()["name"] == "dry"
    assert answer.json()["forecast"]["verdict"] == "starts_now"
    assert server.call("POST", "/api/v1/jobs?dry_run=true", data="run: ''").status_code == 400
    assert len(server.jobs()) == before


def test_warnings_come_with_the_answer(server):
    answer = server.call("POST", "/api/v1/jobs", data="run: true\nimage: python:3.12\nenv: {MASTER_ADDR: me}")
    assert answer.status_code == 201
    text = answer.text
    assert "MASTER_ADDR" in text and "image" in text


def test_the_same_key_is_the_same_job(server):
    first = server.submit("name: keyed\nrun: true", headers={"Idempotency-Key": "k-1"})
    again = server.call("POST", "/api/v1/jobs", data="name: keyed\nrun: true", headers={"Idempotency-Key": "k-1"})
    assert again.status_code in (200, 201)
    assert again.json()["id"] == first
    assert server.submit("name: keyed\nrun: true", headers={"Idempotency-Key": "k-2"}) != first


def test_the_same_key_for_another_file_is_a_conflict(server):
    server.submit("name: one\nrun: true", headers={"Idempotency-Key": "k-3"})
    other = server.call("POST", "/api/v1/jobs", data="name: two\nrun: true", headers={"Idempotency-Key": "k-3"})
    assert other.status_code == 409
    assert "idempotency key" in other.json()["message"]


def test_names_repeat_and_handles_do_not(server):
    jobs = [server.job(server.submit("name: twin\nrun: true")) for _ in range(3)]
    assert {job["name"] for job in jobs} == {"twin"}
    assert len({job["handle"] for job in jobs}) == 3
    for job in jobs:
        assert server.job(f"admin~{job['handle']}")["id"] == job["id"]
        assert server.job(job["handle"])["id"] == job["id"], "one's own job answers to its name"
        assert server.job(job["id"][:12])["id"] == job["id"]


def test_a_job_without_a_name_gets_one_from_its_id(server):
    job = server.submit("run: true")
    assert server.job(job)["name"] == f"job-{job[:7]}"


def test_the_file_comes_back_byte_for_byte(server):
    text = "# a comment, kept\nname:   odd-spaces\r\nrun: 'true'   \n"
    job = server.submit(text)
    assert server.call("GET", f"/api/v1/jobs/{job}/spec").content == text.encode()


# -- ends

def test_a_failing_command_fails_the_job_with_its_code(server):
    ended = server.wait(server.submit("run: exit 42"), "failed")
    assert ended["exit_code"] == 42
    assert server.tasks(ended)["main-0"]["exit_code"] == 42
    assert "42" in ended["reason"]


def test_a_command_that_does_not_exist_is_named(server):
    ended = server.wait(server.submit("run: [no-such-program-anywhere]"), "failed")
    assert ended["decision"]["reason"] == "command_not_found"
    assert "no-such-program-anywhere" in ended["reason"]


def test_a_command_killed_by_a_signal_says_which(server):
    ended = server.wait(server.submit("run: kill -SEGV $$"), "failed")
    assert server.tasks(ended)["main-0"]["signal"] == 11


def test_memory_over_the_limit_is_said(server):
    """Where the machine lets us set limits; elsewhere the job's timeline says that it does not."""
    job = server.submit("memory: 64MB\nrun: /usr/bin/python3 -c 'x = bytearray(300 << 20); print(len(x))'\n")
    ended = server.wait(job)
    if ended["state"] == "failed":
        assert ended["decision"]["reason"] == "oom", ended
        assert "64" in ended["reason"]
    else:
        assert "memory" in json.dumps(server.get(f"/api/v1/jobs/{job}/events")), ended


def test_a_failing_task_ends_the_others(server):
    job = server.submit("stop_grace: 1s\nroles:\n  bad: {run: 'sleep 0.3; exit 3'}\n  good: {count: 2, run: sleep 60}\n")
    began = time.monotonic()
    ended = server.wait(job, "failed")
    assert time.monotonic() - began < 20
    states = {name: task["state"] for name, task in server.tasks(ended).items()}
    assert states == {"bad-0": "failed", "good-0": "stopped", "good-1": "stopped"}


def test_children_of_a_task_end_with_it(server):
    marker = "61.618033"
    job = server.submit(f"run: |\n  (setsid sleep {marker} &)\n  sleep {marker} &\n  echo done\n")
    server.wait(job, "succeeded")
    eventually(lambda: not running(marker), "no child is left")


def running(marker):
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == f"sleep\0{marker}\0".encode():
                return True
        except OSError:
            continue
    return False


def test_a_retry_is_a_new_attempt(server):
    job = server.submit("retry: {count: 2, backoff: 1s}\nrun: |\n  echo attempt $TRAINYARD_ATTEMPT\n"
                        "  test $TRAINYARD_ATTEMPT -ge 1\n")
    ended = server.wait(job, "succeeded")
    assert ended["attempt"] == 1
    assert server.logs(job) == "attempt 1\n"
    assert server.logs(job, attempt=0) == "attempt 0\n"


def test_a_restart_of_one_task_leaves_the_others_alone(server):
    job = server.submit("roles:\n"
                        "  flaky: {restart: 2, run: 'test $TRAINYARD_TASK_ATTEMPT -ge 1'}\n"
                        "  steady: {run: 'echo once; sleep 2'}\n")
    ended = server.wait(job, "succeeded")
    assert ended["attempt"] == 0
    assert server.logs(job, task="steady-0") == "once\n"


# -- wait

def test_a_waiting_job_says_what_it_waits_for(make_server):
    server = make_server(TRAINYARD_NODE__CPUS="2").start()
    blocker = server.submit("cpus: 2\n" + ENDLESS)
    server.wait(blocker, "running")
    waiting = server.submit("cpus: 1\nrun: echo x")
    reason = eventually(lambda: server.job(waiting)["reason"], "a reason")
    assert server.job(waiting)["state"] == "queued"
    assert "CPU" in reason and any(letter.isdigit() for letter in reason), reason
    why = server.get(f"/api/v1/jobs/{waiting}/why")
    assert why["verdict"] == "waits" and why["position"] == 1 and why["text"], why
    assert [entry["id"] for entry in server.get("/api/v1/queue")["queue"]] == [waiting]
    server.stop_job(blocker)
    server.wait(waiting, "succeeded")


def test_a_job_that_no_machine_can_run_is_told_so_at_once(make_server):
    """It is kept all the same: a larger machine may come."""
    server = make_server(TRAINYARD_NODE__CPUS="2").start()
    answer = server.act(201, "POST", "/api/v1/jobs", data="cpus: 3\nrun: true")
    warning = next(warning for warning in answer["warnings"] if warning["code"] == "impossible")
    assert "3" in warning["message"] and "2" in warning["message"]
    why = server.get(f"/api/v1/jobs/{answer['id']}/why")
    assert why["state"] == "queued" and why["verdict"] == "impossible", why
    server.stop_job(answer["id"])
    server.wait(answer["id"], "cancelled")


def test_a_gang_starts_whole_or_not_at_all(make_server):
    server = make_server(TRAINYARD_NODE__CPUS="3").start()
    holder = server.submit("cpus: 2\ntime_limit: 1h\n" + ENDLESS)
    server.wait(holder, "running")
    gang = server.submit("count: 3\ncpus: 1\nrun: echo x")
    # Meanwhile the free CPU is not wasted: this one is surely done before the gang's turn.
    small = server.submit("cpus: 1\ntime_limit: 1m\nrun: echo small")
    server.wait(small, "succeeded")
    assert {task["state"] for task in server.tasks(gang).values()} == {"waiting"}
    server.stop_job(holder)
    server.wait(gang, "succeeded")


def test_priority_goes_first(make_server):
    server = make_server(TRAINYARD_NODE__CPUS="1").start()
    holder = server.submit("cpus: 1\n" + ENDLESS)
    server.wait(holder, "running")
    low = server.submit("cpus: 1\npriority: low\nrun: sleep 0.5")
    high = server.submit("cpus: 1\npriority: high\nrun: sleep 0.5")
    server.stop_job(holder)
    server.wait(high, "succeeded")
    assert server.job(low)["state"] != "succeeded"
    server.wait(low, "succeeded")


# -- stop

def test_stop_ends_a_running_job(server):
    job = server.submit(ENDLESS)
    server.wait(job, "running")
    assert server.stop_job(job)["state"] in ("stopping", "cancelled")
    ended = server.wait(job, "cancelled")
    assert server.tasks(ended)["main-0"]["state"] == "stopped"


def test_a_task_may_say_goodbye_before_it_is_killed(server):
    job = server.submit("stop_grace: 20s\nrun: |\n  trap 'echo goodbye; exit 0' TERM\n  echo up\n"
                        "  while :; do sleep 0.05; done\n")
    eventually(lambda: server.logs(job) == "up\n", "the task is up")
    server.stop_job(job)
    server.wait(job, "cancelled")
    assert server.logs(job).startswith("up\n") and server.logs(job).endswith("goodbye\n")


def test_a_task_that_ignores_sigterm_is_killed_after_its_grace(server):
    job = server.submit("stop_grace: 1s\nrun: |\n  trap '' TERM\n  echo up\n  while :; do sleep 0.05; done\n")
    eventually(lambda: server.logs(job) == "up\n", "the task is up")
    began = time.monotonic()
    server.stop_job(job)
    server.wait(job, "cancelled")
    assert 0.5 < time.monotonic() - began < 15


def test_a_waiting_job_stops_at_once(make_server):
    server = make_server(TRAINYARD_NODE__CPUS="1").start()
    holder = server.submit("cpus: 1\n" + ENDLESS)
    server.wait(holder, "running")
    waiting = server.submit("cpus: 1\nrun: echo never")
    server.stop_job(waiting)
    ended = server.wait(waiting, "cancelled")
    assert ended["started_at"] is None and server.logs(waiting) == ""


def test_stopping_what_has_ended_is_a_conflict(server):
    job = server.submit("run: true")
    server.wait(job, "succeeded")
    answer = server.call("POST", f"/api/v1/jobs/{job}/stop")
    assert answer.status_code == 409
    assert "succeeded" in answer.json()["message"]


# -- time limit

def test_the_time_limit_fails_the_job(server):
    ended = server.wait(server.submit("time_limit: 1s\n" + ENDLESS), "failed")
    assert ended["decision"]["reason"] == "time_limit"


def test_a_new_limit_holds_for_a_running_job(server):
    job = server.submit("time_limit: 1h\n" + ENDLESS)
    server.wait(job, "running")
    server.set_limit(job, "1s")
    assert server.wait(job, "failed")["decision"]["reason"] == "time_limit"


def test_a_limit_can_be_taken_away(server):
    job = server.submit("time_limit: 2s\nrun: sleep 4")
    server.wait(job, "running")
    server.set_limit(job, None)
    server.wait(job, "succeeded")


# -- repeat and remove

def test_a_clone_is_the_same_file_as_a_new_job(server):
    job = server.submit("name: original\nrun: echo same")
    server.wait(job, "succeeded")
    clone = server.clone(job)
    assert clone != job
    server.wait(clone, "succeeded")
    assert server.logs(clone) == "same\n"
    named = server.clone(job, name="renamed")
    assert server.job(named)["name"] == "renamed"


def test_a_retry_by_hand_is_a_new_job_of_the_ended_one(server):
    job = server.submit("run: exit 1")
    running_job = server.submit(ENDLESS)
    server.wait(job, "failed")
    again = server.retry(job)
    assert again != job
    server.wait(again, "failed")
    refused = server.call("POST", f"/api/v1/jobs/{running_job}/retry")
    assert refused.status_code == 409
    server.stop_job(running_job)


def test_delete_removes_record_log_and_outputs(server):
    job = server.submit("run: echo x > $TRAINYARD_OUTPUT_DIR/y")
    server.wait(job, "succeeded")
    assert (server.output(job) / "y").exists()
    server.delete(job)
    assert server.call("GET", f"/api/v1/jobs/{job}").status_code == 404
    assert job not in [each["id"] for each in server.jobs()]
    eventually(lambda: not server.output(job).exists(), "its outputs are gone")


def test_delete_is_refused_while_it_runs_unless_asked(server):
    job = server.submit(ENDLESS)
    server.wait(job, "running")
    refused = server.call("DELETE", f"/api/v1/jobs/{job}")
    assert refused.status_code == 409
    assert "force" in refused.text
    assert server.job(job)["state"] == "running"
    server.delete(job, force=True)
    assert server.call("GET", f"/api/v1/jobs/{job}").status_code == 404


# -- list

@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A server with jobs of all kinds."""
    from trainyard import Server
    with Server(tmp_path_factory.mktemp("filled") / "data") as server:
        jobs = {}
        for i in range(6):
            jobs[f"good-{i}"] = server.submit(f"name: good-{i}\nlabels: {{team: vision, n: '{i}'}}\nrun: true")
        jobs["bad"] = server.submit("name: bad-one\nlabels: {team: speech}\nrun: exit 1")
        jobs["busy"] = server.submit("name: busy\n" + ENDLESS)
        for name, job in jobs.items():
            server.wait(job, {"good": "succeeded", "bad": "failed"}.get(name.split("-")[0], "running"))
        server.filled = jobs
        yield server


def names(jobs):
    return [job["name"] for job in jobs]


def test_the_newest_come_first(filled):
    assert names(filled.jobs()) == ["busy", "bad-one"] + [f"good-{i}" for i in range(5, -1, -1)]
    assert names(filled.jobs(sort="oldest"))[0] == "good-0"
    assert names(filled.jobs(sort="name"))[:2] == ["bad-one", "busy"]


def test_filters_narrow_the_list(filled):
    assert names(filled.jobs(state="failed")) == ["bad-one"]
    assert sorted(names(filled.jobs(state="failed,running"))) == ["bad-one", "busy"]
    assert len(filled.jobs(name="OOD-")) == 6
    assert len(filled.jobs(label="team=vision")) == 6
    assert len(filled.jobs(label="team")) == 7
    assert names(filled.jobs(label="n=3")) == ["good-3"]
    assert len(filled.jobs(owner="admin")) == 8
    assert filled.jobs(dialect="ffdl") == []
    assert filled.jobs(created_from="2099-01-01T00:00:00Z") == []
    assert len(filled.jobs(created_to="2099-01-01T00:00:00Z")) == 8


def test_pages_follow_each_other_without_gap_or_repeat(filled):
    assert names(filled.jobs(limit=3)) == names(filled.jobs())
    assert names(filled.jobs(limit=1, state="succeeded")) == [f"good-{i}" for i in range(5, -1, -1)]


def test_a_page_stays_right_while_new_jobs_come(filled):
    first = filled.get("/api/v1/jobs?limit=2&state=succeeded")
    late = filled.submit("name: latecomer\nrun: true")
    filled.wait(late, "succeeded")
    second = filled.get(f"/api/v1/jobs?limit=2&state=succeeded&cursor={first['next_cursor']}")
    assert names(first["jobs"] + second["jobs"]) == ["good-5", "good-4", "good-3", "good-2"]


def test_counts_agree_with_the_list(filled):
    counts = filled.get("/api/v1/jobs/counts")["states"]
    assert sum(counts.values()) == len(filled.jobs())
    assert counts["failed"] == 1 and counts["running"] == 1


def test_nodes_show_what_there_is_and_what_is_used(filled):
    nodes = filled.get("/api/v1/nodes")["nodes"]
    assert len(nodes) == 1
    assert nodes[0]["name"] and nodes[0]["healthy"]
    assert nodes[0]["cpus"] == 64 and nodes[0]["cpus_used"] == 1


# -- tell the story

def test_the_timeline_tells_what_happened(server):
    job = server.submit("run: exit 1")
    server.wait(job, "failed")
    page = server.get(f"/api/v1/jobs/{job}/events")
    kinds = [event["kind"] for event in page["events"]]
    assert kinds[0] == "job.submitted" and kinds[-1] == "job.failed", kinds
    assert [event["id"] for event in page["events"]] == sorted(event["id"] for event in page["events"])
    assert {event["job"] for event in page["events"]} == {job}


def test_attempts_and_tries_are_kept(server):
    job = server.submit("retry: {count: 1, backoff: 1s}\nrun: exit $((5 + TRAINYARD_ATTEMPT))")
    server.wait(job, "failed")
    assert [a["attempt"] for a in server.get(f"/api/v1/jobs/{job}/attempts")["attempts"]] == [0, 1]
    tries = server.get(f"/api/v1/jobs/{job}/tasks")["tries"]
    assert [(t["attempt"], t["exit_code"]) for t in tries] == [(0, 5), (1, 6)]


def test_a_paused_job_waits_until_it_is_resumed(server):
    job = server.submit("stop_grace: 1s\nrun: sleep 2\n")
    server.wait(job, "running")
    server.act(202, "POST", f"/api/v1/jobs/{job}/pause")
    server.wait(job, "paused")
    server.act(202, "POST", f"/api/v1/jobs/{job}/resume")
    server.wait(job, "succeeded")
