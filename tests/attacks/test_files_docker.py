"""A member in a container against the files of the platform: journal, log, storages, the supervisor itself."""
import pathlib
import random
import subprocess

import docker
import pytest
from trainyard import PATIENCE, Server, eventually, frugal

SLOW = max(PATIENCE, 120)
TRIES = 25
SECRET = "the-host-s-own-words"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    started = docker.Daemon(tmp_path_factory.mktemp("dockerd"))
    started.busybox("bb:1")
    ctypes = pathlib.Path("/usr/lib", pathlib.Path("/usr/bin/python3").resolve().name).glob("lib-dynload/_ctypes.*.so")
    started.make_image("py:1", docker.rootfs(files={**docker.python(), **docker.programs(*map(str, ctypes))}))
    yield started
    started.destroy()


def settings(daemon, **extra):
    return {"TRAINYARD_RUNTIME": "docker", "TRAINYARD_DOCKER__SOCKET": daemon.socket,
            "TRAINYARD_DOCKER__SUBNETS": f"10.{random.randrange(64, 250)}.0.0/16", **extra}


@pytest.fixture
def server(daemon, tmp_path):
    with Server(tmp_path / "data", program=frugal(tmp_path), **settings(daemon)) as running:
        yield running


@pytest.fixture
def mallory(server):
    return server.create_user("mallory")


# Every way a root in its container has to a file: by its path, by what process 1 holds open, by that process itself.
REACH = """
import ctypes, glob, os, sys
paths = glob.glob("/.trainyard/*") + [line.split()[4] for line in open("/proc/self/mountinfo")]
for pid in ("1", str(os.getppid())):
    try:
        paths += [f"/proc/{pid}/fd/{n}" for n in os.listdir(f"/proc/{pid}/fd")]
    except OSError as no:
        print("no list of", pid)
libc = ctypes.CDLL(None, use_errno=True)
pidfd = libc.syscall(434, 1, 0)
for n in range(3, 64):
    taken = libc.syscall(438, pidfd, n, 0)
    if taken >= 0: paths.append(f"/proc/self/fd/{taken}")
"""


def test_a_task_cannot_turn_its_failure_into_success(server, mallory):
    forge = REACH + """
import time
now = int(time.time() * 1000)
for path in set(paths):
    try:
        with open(path, "ab") as file:
            if os.fstat(file.fileno()).st_mode & 0o170000 == 0o100000 and path.startswith(("/.trainyard", "/proc")):
                file.write(b"ended at=%d exit=0 outside=0 stop=0 limit=0 oom=0 memory=0 peak=1 cpu=1 bytes=0\\n" % now)
                print("wrote", path)
    except OSError:
        pass
sys.stdout.flush()
os._exit(9)
"""
    job = server.submit("image: py:1\ncaps: [ptrace]\nrun:\n  - python3\n  - -c\n  - |\n" + indent(forge), token=mallory)
    ended = server.wait(job, patience=SLOW)
    assert ended["state"] == "failed", server.logs(job)
    task = next(iter(server.tasks(job).values()))
    assert task["exit_code"] == 9, (task, server.logs(job))
    assert "wrote" not in server.logs(job)


def indent(text, by="    "):
    return "".join(f"{by}{line}\n" for line in text.splitlines())


def test_a_task_cannot_make_its_journal_or_log_huge(server, mallory):
    blow = REACH + """
for path in set(paths):
    try:
        if path.startswith(("/.trainyard", "/proc")):
            os.truncate(path, 100 << 30); print("grew", path)
    except OSError: pass
print("done", flush=True)
import time
time.sleep(3600)
"""
    job = server.submit("image: py:1\ncaps: [ptrace]\nrun:\n  - python3\n  - -c\n  - |\n" + indent(blow), token=mallory)
    server.wait(job, "running", patience=SLOW)
    eventually(lambda: "done" in server.logs(job), "it has tried", SLOW)
    log = server.logs(job, tail=3)
    assert len(log) < 10_000 and "grew" not in log
    for file in [*server.data_dir.glob("runs/*/*/*.journal"), *server.data_dir.glob("logs/*/*/*")]:
        assert file.stat().st_size < 1 << 20, file
    server.restart()
    server.stop_job(job)
    assert server.wait(job, patience=SLOW)["state"] == "cancelled"


def test_a_task_cannot_limit_or_stop_its_supervisor(server, mallory):
    """Whoever sets the limits of process 1 keeps it from writing how the task ended, and the job for ever."""
    text = """
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
class Limit(ctypes.Structure): _fields_ = [("soft", ctypes.c_uint64), ("hard", ctypes.c_uint64)]
for kind in (1, 7):
    print("limit", libc.prlimit(1, kind, ctypes.byref(Limit(0, 0)), None), flush=True)
for number in (9, 19, 15, 1):
    os.kill(1, number)
os._exit(9)
"""
    job = server.submit("image: py:1\nrun:\n  - python3\n  - -c\n  - |\n" + indent(text), token=mallory)
    assert server.wait(job, patience=SLOW)["state"] == "failed"
    assert next(iter(server.tasks(job).values()))["exit_code"] == 9
    assert server.logs(job) == "limit -1\nlimit -1\n"


def swap(storage):
    """Until it is killed: `box` of the storage is a folder and a link to the host's secret, by turns."""
    return subprocess.Popen(["python3", "-c", f"""
import os, ctypes
libc = ctypes.CDLL(None)
os.chdir({str(storage)!r})
while True: libc.renameat2(-100, b"box", -100, b"link", 2)
"""])


@pytest.mark.parametrize("writes", [False, True])
def test_a_folder_swapped_for_a_link_never_shows_the_host(server, mallory, tmp_path, writes):
    host = tmp_path / "host"
    host.mkdir()
    (host / "secret").write_text(SECRET)
    team = server.data_dir / "storage" / "team"
    (team / "box").mkdir(parents=True)
    (team / "link").symlink_to(host)
    source = "output: storage:team/box/out" if writes else "mounts: [{from: storage:team/box, to: /mnt/x}]"
    swapping = swap(team)
    try:
        jobs = []
        for _ in range(TRIES):
            answer = server.call("POST", "/api/v1/jobs", token=mallory, data=
                                 f"image: bb:1\n{source}\nrun: cat /mnt/x/secret; touch /output/seen /mnt/x/seen; true")
            if answer.status_code == 201:
                jobs.append(answer.json()["id"])
        for job in jobs:
            server.wait(job, patience=SLOW)
    finally:
        swapping.kill()
        swapping.wait()
    assert jobs
    assert not any(SECRET in server.logs(job) for job in jobs)
    assert sorted(path.name for path in host.iterdir()) == ["secret"]


def test_a_paused_container_can_be_stopped(server, daemon, mallory):
    job = server.submit("image: bb:1\nrun: sleep 3600", token=mallory)
    server.wait(job, "running", patience=SLOW)
    container = next(one["Id"] for one in daemon.containers() if one["Labels"].get("trainyard.task", "").startswith(job))
    assert daemon("POST", f"/containers/{container}/pause")[0] == 204
    server.stop_job(job)
    assert server.wait(job, patience=SLOW)["state"] == "cancelled"
