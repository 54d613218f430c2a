"""A secret that came with a job file is known to the task and to nobody else."""
import json
import sqlite3

import pytest

pytestmark = pytest.mark.core

VALUE = "hunter22&<%x%>'\"$HOME"
FILE = """protocolVersion: 2
name: keeper
type: job
prerequisites:
  - {type: dockerimage, name: img, uri: "python:3.12", auth: {username: ann, password: registry-pass-77}}
secrets:
  token: %s   # a remark about it
taskRoles:
  main:
    dockerImage: img
    resourcePerInstance: {cpu: 1, memoryMB: 128, gpu: 0}
    commands:
      - |
        cat > secret.txt <<'END'
        <%% $secrets.token %%>
        END
      - python3 -c 'import hashlib; print(hashlib.sha256(open("secret.txt","rb").read().rstrip(b"\\n")).hexdigest())'
""" % json.dumps(VALUE)


def digest():
    import hashlib
    return hashlib.sha256(VALUE.encode()).hexdigest()


@pytest.fixture(scope="module")
def job(server):
    answer = server.call("POST", "/api/v1/jobs", data=FILE)
    assert answer.status_code == 201, answer.text
    assert "hunter22" not in answer.text
    job = answer.json()["id"]
    server.wait(job, "succeeded")
    return job


def test_the_task_gets_it_unchanged(server, job):
    assert digest() in server.logs(job)


@pytest.mark.parametrize("path", ["", "/spec", "/spec?format=json", "/spec?format=native", "/events", "/tasks", "/attempts", "/why"])
def test_no_answer_shows_it(server, job, path):
    answer = server.call("GET", f"/api/v1/jobs/{job}{path}")
    assert answer.status_code == 200
    for secret in ("hunter22", "registry-pass-77"):
        assert secret not in answer.text


def test_the_file_is_shown_as_it_was_around_it(server, job):
    shown = server.call("GET", f"/api/v1/jobs/{job}/spec").text
    assert '"******"' in shown
    assert shown.startswith(FILE[:FILE.index("password:")])
    assert shown.endswith(FILE[FILE.index("taskRoles:"):])


def test_it_is_nowhere_on_the_disk(server, job):
    """Not in the database, its journal, or any other file that outlives the task."""
    with sqlite3.connect(server.data_dir / "trainyard.db") as db:
        db.execute("pragma wal_checkpoint(passive)")
    for path in server.data_dir.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert b"hunter22" not in content and b"registry-pass-77" not in content, path
    assert b"hunter22" not in server.log_path.read_bytes()


def test_the_key_is_for_the_server_alone(server, job):
    key = server.data_dir / "secret.key"
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_clone_knows_it_too(server, job):
    again = server.clone(job)
    server.wait(again, "succeeded")
    assert digest() in server.logs(again)


def test_a_covered_file_says_what_is_missing(server, job):
    shown = server.call("GET", f"/api/v1/jobs/{job}/spec").text
    answer = server.call("POST", "/api/v1/jobs", data=shown)
    assert answer.status_code == 400
    assert "write" in answer.json()["message"] and "again" in answer.json()["message"]


def test_it_survives_a_restart_of_the_server(make_server):
    own = make_server()
    own.start()
    first = own.submit(FILE)
    own.wait(first, "succeeded")
    own.kill()
    own.start()
    again = own.retry(first)
    own.wait(again, "succeeded")
    assert digest() in own.logs(again)


def test_a_lost_key_fails_the_job_with_the_reason(make_server):
    own = make_server()
    own.start()
    first = own.submit(FILE)
    own.wait(first, "succeeded")
    own.stop()
    (own.data_dir / "secret.key").unlink()
    own.start()
    again = own.retry(first)
    ended = own.wait(again, "failed", patience=120)
    assert "sealed with another key" in json.dumps(ended)
    assert "hunter22" not in json.dumps(ended)


def test_faults_do_not_quote_it(server):
    for text in (FILE.replace("gpu: 0", "gpu: many"), FILE.replace("token: ", "token: [") , FILE.replace("secrets:\n  token: ", "secrets: ")):
        answer = server.call("POST", "/api/v1/jobs", data=text)
        assert answer.status_code == 400
        assert "hunter22" not in answer.text and "registry-pass-77" not in answer.text
