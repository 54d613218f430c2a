"""The same server over PostgreSQL: jobs run, restarts lose nothing, and a database that goes away comes back."""
import time

import pytest
from postgres import Postgres
from trainyard import eventually


@pytest.fixture(scope="module")
def postgres():
    with Postgres() as running:
        yield running


def test_jobs_run_and_lists_work(postgres, make_server):
    server = make_server("--database", postgres.database("jobs")).start()
    good = server.submit("name: good\nlabels: {team: x}\nrun: echo hello")
    bad = server.submit("name: bad\nrun: exit 3")
    server.wait(good, "succeeded")
    assert server.wait(bad, "failed")["exit_code"] == 3
    assert server.logs(good) == "hello\n"
    assert [job["name"] for job in server.jobs()] == ["bad", "good"]
    assert [job["id"] for job in server.jobs(label="team=x")] == [good]
    assert [job["id"] for job in server.jobs(name="OO")] == [good]
    kinds = [event["kind"] for event in server.get(f"/api/v1/jobs/{good}/events")["events"]]
    assert kinds[0] == "job.submitted" and kinds[-1] == "job.succeeded"
    assert not (server.data_dir / "trainyard.db").exists()


def test_a_crash_loses_nothing(postgres, make_server):
    server = make_server("--database", postgres.database("crash")).start()
    jobs = [server.submit(f"name: kept-{i}\nrun: echo {i}; sleep 0.5; echo $$ >> $TRAINYARD_OUTPUT_DIR/ran")
            for i in range(20)]
    server.restart()
    for i, job in enumerate(jobs):
        server.wait(job, "succeeded")
        assert server.logs(job) == f"{i}\n"
        assert len((server.output(job) / "ran").read_text().splitlines()) == 1


def test_keys_and_the_administrator_are_kept(postgres, make_server):
    server = make_server("--database", postgres.database("kept")).start()
    token = server.token
    first = server.submit("run: true", headers={"Idempotency-Key": "k"})
    server.restart()
    assert server.token == token
    again = server.call("POST", "/api/v1/jobs", data="run: true", headers={"Idempotency-Key": "k"})
    assert again.json()["id"] == first


def test_a_database_that_restarts_is_waited_for(make_server):
    """Its own PostgreSQL: others of this file must not notice."""
    with Postgres() as own:
        server = make_server("--database", own.database("away")).start()
        job = server.submit("run: |\n  sleep 3\n  echo done\n")
        server.wait(job, "running")
        own.stop()
        refused = server.call("POST", "/api/v1/jobs", data="run: true")
        assert refused.status_code in (500, 503), refused.text
        assert refused.json()["message"]
        time.sleep(0.5)
        own.start()
        eventually(lambda: server.call("GET", "/api/v1/jobs").status_code == 200, "the list answers again")
        server.wait(job, "succeeded")
        assert server.logs(job) == "done\n"
        after = eventually(lambda: accepted(server), "submits are taken again")
        server.wait(after, "succeeded")


def accepted(server):
    answer = server.call("POST", "/api/v1/jobs", data="run: true")
    return answer.json()["id"] if answer.status_code == 201 else None
