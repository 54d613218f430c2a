"""FfDL's data stores with S3: data are there when the command starts, results are in their bucket when it has ended."""
import io
import json
import threading
import zipfile

import pytest
import s3
from trainyard import eventually

ACCESS, SECRET = "AKIAOFATEST", "the+secret/key-of-the-test"

PROGRAM = """
import os, pathlib
data = pathlib.Path(os.environ["DATA_DIR"])
print(sorted(str(path.relative_to(data)) for path in data.rglob("*") if path.is_file()))
print((data / "images/one.txt").read_text())
results = pathlib.Path(os.environ["RESULT_DIR"])
(results / "checkpoints").mkdir(parents=True)
(results / "checkpoints/last.pt").write_text("weights of " + os.environ["TRAINING_ID"])
(results / "stolen").symlink_to("/etc/passwd")
"""


@pytest.fixture
def store():
    made = s3.Store(ACCESS, SECRET)
    made.buckets["training"].update({"images/one.txt": b"the first image", "labels.csv": b"1,2\n", "odd names/ä b.txt": b"x"})
    made.buckets["results"] = {}
    yield made
    made.hold = lambda method, key: None
    made.close()


def manifest(store, kind="s3_datastore", secret=SECRET, url=None, name="s3", data="training", results="results"):
    return json.dumps({
        "name": name, "cpus": 0.1, "memory": "128MiB", "learners": 1,
        "data_stores": [{"id": "objects", "type": kind, "training_data": {"container": data},
                         "training_results": {"container": results},
                         "connection": {"auth_url": url or store.url, "user_name": ACCESS, "password": secret}}],
        "framework": {"name": "python", "version": "3.11", "command": "python3 train.py"}})


def code_zip(program=PROGRAM):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("train.py", program)
    return out.getvalue()


def submit(server, text, status=201, program=PROGRAM):
    answer = server.call("POST", "/api/v1/jobs", files={"job": ("manifest.yml", text), "code": ("code.zip", code_zip(program))})
    assert answer.status_code == status, answer.text
    return answer.json()["id"] if status == 201 else answer.text


@pytest.mark.parametrize("kind", ["s3_datastore", "mount_cos"])
def test_data_come_and_results_go(make_server, store, kind):
    server = make_server(TRAINYARD_JOBS__OBJECT_STORES=store.url + "/").start()
    job = submit(server, manifest(store, kind))
    server.wait(job, "succeeded", patience=120)
    log = server.logs(job)
    assert "['images/one.txt', 'labels.csv', 'odd names/ä b.txt']\nthe first image\n" in log, log
    assert store.buckets["results"] == {f"training-{job}/checkpoints/last.pt": f"weights of training-{job}".encode()}
    assert (server.output(job) / f"training-{job}/checkpoints/last.pt").exists()  # kept here, too
    shown = [server.call("GET", path).text for path in (f"/api/v1/jobs/{job}", f"/api/v1/jobs/{job}/spec", "/api/v1/jobs",
                                                        f"/api/v1/jobs/{job}/events", f"/api/v1/jobs/{job}/tasks")]
    assert not any(SECRET in text for text in [*shown, log])
    for file in server.data_dir.rglob("*"):
        if file.is_file() and not file.is_symlink():
            assert SECRET.encode() not in file.read_bytes(), file


def test_a_key_that_is_wrong_is_told_and_nothing_runs(make_server, store):
    server = make_server(TRAINYARD_JOBS__OBJECT_STORES="*").start()
    job = submit(server, manifest(store, secret="wrong"))
    task = server.tasks(server.wait(job, "failed", patience=120))["learner-0"]
    assert task["reason"] == "data_failed" and "training" in task["message"], task
    assert "wrong" not in task["message"] and server.logs(job) == ""
    job = submit(server, manifest(store, data="nobody-has-this", name="no-bucket"))
    task = server.tasks(server.wait(job, "failed", patience=120))["learner-0"]
    assert task["reason"] == "data_failed" and "nobody-has-this" in task["message"], task


def test_results_that_cannot_be_sent_fail_the_job_and_are_kept(make_server, store):
    server = make_server(TRAINYARD_JOBS__OBJECT_STORES="*").start()
    job = submit(server, manifest(store, results="full"))
    task = server.tasks(server.wait(job, "failed", patience=120))["learner-0"]
    assert task["reason"] == "output_failed" and "kept on this machine" in task["message"], task
    assert (server.output(job) / f"training-{job}/checkpoints/last.pt").exists()


def test_a_store_that_nobody_allowed_is_refused_at_once(make_server, store):
    server = make_server(TRAINYARD_JOBS__OBJECT_STORES="https://another.example.org").start()
    said = submit(server, manifest(store), status=400)
    assert "jobs.object_stores" in said and store.url in said and SECRET not in said, said


@pytest.mark.parametrize("method, key", [("GET", "images/one.txt"), ("PUT", "last.pt")])
def test_a_server_killed_half_way_goes_on(make_server, store, method, key):
    """Killed while data come, or while results go: the next server finishes it, the command runs once."""
    server = make_server(TRAINYARD_JOBS__OBJECT_STORES=store.url).start()
    reached, released = threading.Event(), threading.Event()

    def hold(asked, name):
        if asked == method and name.endswith(key):
            reached.set()
            released.wait(120)

    store.hold = hold
    job = submit(server, manifest(store), program="print('runs', flush=True)" + PROGRAM)
    assert reached.wait(120)
    server.kill()
    released.set()
    server.start()
    server.wait(job, "succeeded", patience=120)
    assert server.logs(job).count("runs\n") == 1
    assert f"training-{job}/checkpoints/last.pt" in store.buckets["results"]


def test_a_job_can_be_stopped_while_its_data_come(make_server, store):
    server = make_server(TRAINYARD_JOBS__OBJECT_STORES=store.url).start()
    reached, released = threading.Event(), threading.Event()
    store.hold = lambda method, key: (reached.set(), released.wait(120)) if method == "GET" else None
    job = submit(server, manifest(store))
    assert reached.wait(120)
    assert server.job(job)["state"] == "starting"
    server.stop_job(job)
    server.wait(job, "cancelled")
    released.set()
    eventually(lambda: not list((server.data_dir / "runs").glob(f"*/{job}/*")), "nothing of it is left")
