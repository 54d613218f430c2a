"""One member fills the disk. The others keep what is theirs: their jobs can be stopped, paused and given a limit at once, what was
answered is not lost, and the server comes back while the disk is still full."""
import contextlib
import os
import subprocess
import time

import pytest
import requests

from trainyard import Server, eventually

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="a small file system can only be mounted by root")

SECONDS = 5   # within which a person must have an answer


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def server(small_disk):
    with Server(small_disk / "data") as running:
        yield running


def is_full(folder):
    """Not a page is left."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize < 4096 * 4


FILLERS = {
    "log": "run: while :; do head -c 1M /dev/zero; done",
    "outputs": "run: while :; do cat /dev/zero 2>/dev/null >> $TRAINYARD_OUTPUT_DIR/all || sleep 0.01; done",
}


def fill(server, how):
    """A member's job that fills the disk and goes on trying."""
    eve = server.create_user("eve")
    server.submit(FILLERS[how], token=eve)
    eventually(lambda: is_full(server.data_dir), "a full disk", patience=30)


def hog(server, path="ballast"):
    """Takes what is left, without a job: for the moments in which every byte counts."""
    with (server.data_dir.parent / path).open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)


def timed(call):
    began = time.monotonic()
    answer = call()
    assert time.monotonic() - began < SECONDS, answer.text
    return answer


@pytest.mark.parametrize("how", FILLERS)
def test_others_stop_pause_and_limit_their_jobs(server, how):
    alice = server.create_user("alice")
    jobs = {wish: server.submit(f"run: sleep 1000\nname: {wish}", token=alice) for wish in ("stop", "pause", "limit", "kept")}
    for job in jobs.values():
        server.wait(job, "running")
    fill(server, how)
    for wish, body in (("stop", None), ("pause", None), ("limit", {"time_limit": "1s"})):
        answer = timed(lambda: server.call("POST", f"/api/v1/jobs/{jobs[wish]}/{wish}", token=alice, json=body))
        assert answer.status_code in (200, 202), (wish, answer.text)
    server.wait(jobs["stop"], "cancelled", patience=20)
    server.wait(jobs["pause"], "paused", patience=20)
    server.wait(jobs["limit"], "failed", patience=20)
    assert server.job(jobs["kept"])["state"] == "running"

    # Killed while it is full, it comes back while it is full, and knows what it has answered.
    server.restart()
    states = {wish: server.job(job)["state"] for wish, job in jobs.items()}
    assert states == {"stop": "cancelled", "pause": "paused", "limit": "failed", "kept": "running"}


def test_new_work_is_refused_with_the_cause_and_ready_says_so(server):
    assert requests.get(server.url + "/readyz", timeout=SECONDS).status_code == 200
    fill(server, "outputs")
    answer = timed(lambda: server.call("POST", "/api/v1/jobs", data="run: true"))
    assert (answer.status_code, answer.json()["code"]) == (507, "disk_full"), answer.text
    archive = {"job": ("job.yaml", "run: true"), "code": ("code.tar", b"x" * 10_000)}
    answer = timed(lambda: server.call("POST", "/api/v1/jobs", files=archive))
    assert (answer.status_code, answer.json()["code"]) == (507, "disk_full"), answer.text
    ready = timed(lambda: requests.get(server.url + "/readyz", timeout=SECONDS))
    assert ready.status_code == 503 and str(server.data_dir) in ready.text, ready.text
    assert server.call("POST", "/api/v1/jobs?dry_run=true", data="run: true").status_code == 200


def test_what_waits_waits_on_and_says_why(make_server, small_disk):
    """A start without space for its log would only fail: the job keeps its tries for when there is space again."""
    server = make_server(name="small/data", TRAINYARD_NODE__CPUS="2").start()
    eve = server.create_user("eve")
    hogging = server.submit(FILLERS["outputs"] + "\ncpus: 1", token=eve)
    blocker = server.submit("run: sleep 1000\ncpus: 1")
    waiting = server.submit("run: echo at last\ncpus: 1")
    eventually(lambda: is_full(server.data_dir), "a full disk", patience=30)
    server.stop_job(blocker)
    server.wait(blocker, "cancelled")
    why = server.get(f"/api/v1/jobs/{waiting}/why")
    assert str(server.data_dir) in why["text"], why
    assert server.job(waiting)["state"] == "queued"
    server.stop_job(hogging)
    server.wait(hogging, "cancelled")
    server.delete(hogging)
    assert server.wait(waiting, "succeeded")["attempt"] == 0
    assert server.logs(waiting) == "at last\n"
    assert requests.get(server.url + "/readyz", timeout=SECONDS).status_code == 200


def test_without_any_space_tasks_end_and_the_answer_says_that_it_is_not_stored(small_disk):
    """Nothing set aside at all: the store cannot write. What a person asked for is done all the same."""
    with Server(small_disk / "data", TRAINYARD_STORAGE__RESERVE="0K") as server:
        jobs = [server.submit(f"run: sleep 1000 # {n}\ncpus: 0.1\nmemory: 32MB") for n in range(30)]
        for job in jobs:
            server.wait(job, "running")
        hog(server)
        answers = {}
        for job in jobs:
            answers[job] = timed(lambda job=job: server.call("POST", f"/api/v1/jobs/{job}/stop")).status_code
            hog(server, f"more-{job[:8]}")
        assert set(answers.values()) <= {202, 507} and 507 in answers.values(), answers
        assert timed(lambda: requests.get(server.url + "/readyz", timeout=SECONDS)).status_code == 503
        mark = f"{server.data_dir}/runs/".encode()
        from trainyard import processes_with
        eventually(lambda: not [pid for pid in processes_with(mark) if pid != server.process.pid], "all tasks ended", patience=20)
        for job in jobs:
            if answers[job] == 202:
                assert server.job(job)["state"] in ("stopping", "cancelled")
        for ballast in small_disk.glob("more-*"):
            ballast.unlink()
        (small_disk / "ballast").unlink()
        for job in jobs:
            server.wait(job, "cancelled")
        assert requests.get(server.url + "/readyz", timeout=SECONDS).status_code == 200
