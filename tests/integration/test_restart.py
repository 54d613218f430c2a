"""Tasks outlive the server, and the server takes them back: nothing started twice, nothing lost."""
import contextlib
import sqlite3
import time

import pytest
from trainyard import NotReady, eventually

pytestmark = pytest.mark.core

TICKING = """\
name: ticking
stop_grace: 2s
run: |
  echo $$ >> $TRAINYARD_OUTPUT_DIR/starts
  for i in $(seq 1 %d); do echo tick $i; sleep 0.1; done
"""


def starts(server, job):
    path = server.output(job) / "starts"
    return len(path.read_text().splitlines()) if path.exists() else 0


def ticks(count):
    return "".join(f"tick {i}\n" for i in range(1, count + 1))


def test_a_task_that_outlives_the_server_is_taken_back_once(make_server):
    server = make_server().start()
    job = server.submit(TICKING % 30)
    server.wait(job, "running")
    server.kill()
    server.start()
    assert server.job(job)["state"] == "running"
    assert server.wait(job, "succeeded")["attempt"] == 0
    assert starts(server, job) == 1
    assert server.logs(job) == ticks(30)


def test_a_task_that_ends_while_the_server_is_down_is_known_afterwards(make_server):
    server = make_server().start()
    good = server.submit(TICKING % 3)
    bad = server.submit("run: |\n  sleep 0.5\n  echo last words\n  exit 9\n")
    server.wait(good, "running")
    server.wait(bad, "running")
    server.kill()
    time.sleep(1.5)     # long enough for both to end with nobody watching
    server.start()
    server.wait(good, "succeeded")
    ended = server.wait(bad, "failed")
    assert ended["exit_code"] == 9
    assert server.logs(bad) == "last words\n"
    assert starts(server, good) == 1


def test_jobs_that_waited_still_wait_and_then_run(make_server):
    server = make_server(TRAINYARD_NODE__CPUS="1").start()
    first = server.submit(TICKING % 15 + "cpus: 1\n")
    second = server.submit("run: echo second\ncpus: 1\n")
    server.wait(first, "running")
    assert server.job(second)["state"] == "queued"
    server.restart()
    assert server.job(second)["state"] in ("queued", "starting", "running", "succeeded")
    server.wait(first, "succeeded")
    server.wait(second, "succeeded")
    assert starts(server, first) == 1
    assert server.logs(second) == "second\n"


def test_the_time_limit_holds_while_the_server_is_down(make_server):
    server = make_server().start()
    job = server.submit("time_limit: 1s\nstop_grace: 1s\nrun: |\n  date +%s.%N > $TRAINYARD_OUTPUT_DIR/began\n"
                        "  while :; do date +%s.%N >> $TRAINYARD_OUTPUT_DIR/alive; sleep 0.1; done\n")
    server.wait(job, "running")
    server.kill()
    time.sleep(3)
    server.start()
    ended = server.wait(job, "failed")
    assert ended["decision"]["reason"] == "time_limit", ended
    folder = server.output(job)
    last = (folder / "alive").read_text().split()[-1]
    ran = float(last) - float((folder / "began").read_text())
    assert ran < 2.5


def test_a_stop_that_was_answered_holds_over_a_crash(make_server):
    server = make_server().start()
    job = server.submit("stop_grace: 1s\nrun: |\n  trap '' TERM\n  while :; do sleep 0.1; done\n")
    server.wait(job, "running")
    server.stop_job(job)
    server.restart()
    server.wait(job, "cancelled")


def test_what_was_submitted_is_there_after_a_crash(make_server):
    server = make_server().start()
    jobs = [server.submit(f"name: burst-{i}\nrun: echo {i}") for i in range(50)]
    server.kill()
    server.start()
    for i, job in enumerate(jobs):
        assert server.job(job)["name"] == f"burst-{i}"
        server.wait(job, "succeeded")
        assert server.logs(job) == f"{i}\n"


def test_a_supervisor_that_is_killed_is_noticed_and_the_job_tried_again(make_server):
    server = make_server().start()
    job = server.submit("run: |\n  echo attempt $TRAINYARD_ATTEMPT\n  sleep 2\n")
    server.wait(job, "running")
    server.kill_tasks(job)
    # A loss is the platform's fault: a new attempt, uncounted.
    ended = server.wait(job, "succeeded", patience=90)
    assert ended["attempt"] == 1
    assert ended["retries"]["platform"] == 1 and ended["retries"]["counted"] == 0
    assert server.logs(job, attempt=0) == "attempt 0\n"
    assert server.logs(job) == "attempt 1\n"


def test_many_restarts_in_a_row_change_nothing(make_server):
    server = make_server().start()
    job = server.submit(TICKING % 40)
    server.wait(job, "running")
    for _ in range(8):
        server.restart()
        assert server.job(job)["state"] == "running"
    server.wait(job, "succeeded")
    assert starts(server, job) == 1
    assert server.logs(job) == ticks(40)


def test_an_upgrade_by_sigterm_disturbs_no_task(make_server):
    server = make_server().start()
    job = server.submit(TICKING % 20)
    server.wait(job, "running")
    assert server.stop() == 0
    eventually(lambda: starts(server, job) == 1, "the task goes on")
    server.start()
    server.wait(job, "succeeded")
    assert server.logs(job) == ticks(20)


def test_a_damaged_job_file_is_named_and_its_tasks_run_on(make_server):
    server = make_server().start()
    job = server.submit(TICKING % 200)
    server.wait(job, "running")
    server.kill()
    database = server.data_dir / "trainyard.db"
    with contextlib.closing(sqlite3.connect(database)) as link, link:
        (kept,) = link.execute("select body from job_files").fetchone()
        link.execute("update job_files set body = ?", (b"no job file",))
    with pytest.raises(NotReady, match=f"{job} .ticking.: a stored job file is damaged"):
        server.start()
    with contextlib.closing(sqlite3.connect(database)) as link, link:
        link.execute("update job_files set body = ?", (kept,))
    server.start()
    assert server.wait(job)["state"] == "succeeded"
    assert server.logs(job) == ticks(200)
    assert starts(server, job) == 1


def test_a_failed_job_whose_file_is_damaged_still_says_why_it_failed(make_server):
    server = make_server().start()
    job = server.submit("name: broken\nrun: |\n  echo \"ModuleNotFoundError: No module named 'torch'\"; exit 3\n")
    server.wait(job, "failed")
    before = server.get(f"/api/v1/jobs/{job}/why")
    assert "torch" in before["clue"]["said"]
    server.kill()
    with contextlib.closing(sqlite3.connect(server.data_dir / "trainyard.db")) as link, link:
        link.execute("update job_files set body = ?", (b"no job file",))
    server.start()
    after = server.get(f"/api/v1/jobs/{job}/why")
    assert (after["decision"], after["clue"]) == (before["decision"], None)
