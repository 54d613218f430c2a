"""A member's processes against the files of the platform and of others: storages, run folders, logs, journals."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import pytest
import trainyard
from trainyard import eventually

TRIES = 60
SECRET = "the-host-s-own-words"


@pytest.fixture(scope="module")
def mallory(server):
    return server.create_user("mallory")


@pytest.fixture(scope="module")
def alice(server):
    return server.create_user("alice")


@pytest.fixture
def team(server):
    """A storage, and a folder of the host outside of it with a secret."""
    folder = server.data_dir / "storage" / "team"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o777)
    return folder


@pytest.fixture
def host():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-host-", dir="/tmp"))
    (folder / "secret").write_text(SECRET)
    (folder / "deep").mkdir()
    (folder / "deep/secret").write_text(SECRET)
    yield folder
    shutil.rmtree(folder)


def swapping(folder, first, second):
    """Exchanges two names of a folder until it is killed."""
    return subprocess.Popen(["python3", "-c", f"""
import ctypes, os
libc = ctypes.CDLL(None)
os.chdir({str(folder)!r})
while True: libc.renameat2(-100, {first!r}.encode(), -100, {second!r}.encode(), 2)
"""])


def outcomes(server, token, text, tries=TRIES):
    """Logs of many jobs with the same file, those that were taken."""
    jobs = []
    for _ in range(tries):
        answer = server.call("POST", "/api/v1/jobs", token=token, data=text)
        if answer.status_code == 201:
            jobs.append(answer.json()["id"])
    for job in jobs:
        server.wait(job, patience=240)  # a mount that was seen to be exchanged is tried again, each time after a longer pause
    return {job: server.logs(job) if server.job(job)["state"] == "succeeded" else "" for job in jobs}


@pytest.mark.parametrize("source", [
    "mounts: [{from: storage:team/box, to: /mnt/x}]",
    "mounts: [{from: storage:team/box/deep, to: /mnt/x}]",
    "mounts: [{from: storage:team/box, to: /mnt/x, read_only: true}]",
    "code: storage:team/box",
])
def test_a_folder_swapped_for_a_link_never_shows_the_host(server, mallory, team, host, source):
    (team / "box/deep").mkdir(parents=True, exist_ok=True)
    (team / "link").unlink(missing_ok=True)
    (team / "link").symlink_to(host)
    swapper = swapping(team, "box", "link")
    try:
        said = outcomes(server, mallory, f"{source}\nrun: find $HOME -name secret -exec cat {{}} +; echo looked")
    finally:
        swapper.kill()
        swapper.wait()
        if (team / "box").is_symlink():
            os.rename(team / "box", team / "gone"), os.rename(team / "link", team / "box"), (team / "gone").unlink()
    assert said
    assert not any(SECRET in text for text in said.values())


def test_results_are_never_made_outside_of_the_storage(server, mallory, team, host):
    (team / "box").mkdir(parents=True, exist_ok=True)
    (team / "link").unlink(missing_ok=True)
    (team / "link").symlink_to(host)
    swapper = swapping(team, "box", "link")
    try:
        outcomes(server, mallory, "output: storage:team/box/made/here\nrun: touch $TRAINYARD_OUTPUT_DIR/seen")
    finally:
        swapper.kill()
        swapper.wait()
        if (team / "box").is_symlink():
            os.rename(team / "box", team / "gone"), os.rename(team / "link", team / "box"), (team / "gone").unlink()
    assert sorted(path.name for path in host.iterdir()) == ["deep", "secret"]


def test_a_link_inside_the_storage_still_works(server, mallory, team):
    (team / "v2").mkdir(exist_ok=True)
    (team / "v2/data").write_text("data of v2")
    (team / "current").unlink(missing_ok=True)
    (team / "current").symlink_to("v2")
    job = server.submit("mounts: [{from: storage:team/current, to: /mnt/x}]\nrun: cat $HOME/mnt/x/data", token=mallory)
    assert server.wait(job)["state"] == "succeeded", server.logs(job)
    assert server.logs(job) == "data of v2"


def test_a_copied_folder_is_never_left_by_a_link(server, mallory, team, host):
    """A code folder is copied: what becomes a link while it is copied is a link in the copy."""
    code = team / "code"
    for i in range(40):
        (code / f"d{i:02}").mkdir(parents=True, exist_ok=True)
        (code / f"d{i:02}/file").write_text("x" * 1000)
    (code / "deep").mkdir(exist_ok=True)
    (team / "link").unlink(missing_ok=True)
    (team / "link").symlink_to(host)
    swapper = subprocess.Popen(["python3", "-c", f"""
import ctypes
libc = ctypes.CDLL(None)
while True: libc.renameat2(-100, {str(code / 'deep')!r}.encode(), -100, {str(team / 'link')!r}.encode(), 2)
"""])
    try:
        said = outcomes(server, mallory, "code: storage:team/code\nrun: find . -type f -name secret -exec cat {} +; echo looked")
    finally:
        swapper.kill()
        swapper.wait()
    assert any("looked" in text for text in said.values())
    assert not any(SECRET in text for text in said.values())


@pytest.fixture
def user_server():
    """A server of the user `nobody`: its tasks are kept apart by bubblewrap, which opens what it mounts by path."""
    nobody = 65534
    folder = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-user-", dir="/tmp"))
    folder.chmod(0o755)
    program = pathlib.Path(shutil.copy(trainyard.PROGRAM, folder / "trainyard"))
    home = folder / "home"
    home.mkdir()
    os.chown(home, nobody, nobody)
    wrapper = folder / "as-nobody"
    wrapper.write_text(f"#!/bin/sh\nexec setpriv --reuid={nobody} --regid={nobody} --clear-groups env HOME={home} {program} \"$@\"\n")
    wrapper.chmod(0o755)
    with trainyard.Server(home / "data", program=wrapper) as server:
        yield server
    shutil.rmtree(folder)


@pytest.mark.skipif(os.getuid() != 0, reason="another user is needed")
def test_without_root_a_swapped_folder_never_shows_the_host_either(user_server, host):
    server = user_server
    host.chmod(0o755)
    team = server.data_dir / "storage/team"
    (team / "box").mkdir(parents=True)
    (team / "box/own").write_text("own")
    (team / "link").symlink_to(host)
    # Where nobody may see it, it could not be shown.
    assert subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", "--regid=65534", "cat", host / "secret"]).returncode == 0
    mallory = server.create_user("mallory")
    swapper = swapping(team, "box", "link")
    try:
        said = outcomes(server, mallory, "mounts: [{from: storage:team/box, to: /mnt/x}]\nrun: cat $HOME/mnt/x/*; echo looked")
    finally:
        swapper.kill()
        swapper.wait()
    assert any("own" in text for text in said.values()), "it works when nobody interferes"
    assert not any(SECRET in text for text in said.values())


def test_a_run_folder_is_never_given_to_anybody_else(server, mallory, alice, team):
    """A job hands descriptors of its folders to one that lives on; that one writes into whatever they lead to later."""
    keeper = server.submit(f"""
mounts: [{{from: storage:team, to: /mnt/x}}]
run:
  - python3
  - -c
  - |
    import array, os, socket, time
    os.chdir(os.environ["HOME"] + "/mnt/x")
    try: os.unlink("hand")
    except OSError: pass
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    door.bind("hand"); os.chmod("hand", 0o777); door.listen(64); door.settimeout(0.001)
    print("ready", flush=True)
    held = []
    end = time.time() + 40
    while time.time() < end and not os.path.exists("enough"):
        try:
            friend, _ = door.accept()
            _, more, _, _ = friend.recvmsg(1, socket.CMSG_SPACE(64))
            for _, _, data in more:
                numbers = array.array("i"); numbers.frombytes(data); held += list(numbers)
            friend.send(b"k")
        except OSError: pass
        for fd in held:
            for name in ("command.sh", "work/command.sh", "mine"):
                try:
                    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, dir_fd=fd)
                    os.write(file, b"echo pwned\\n"); os.close(file)
                except OSError: pass
""", token=mallory)
    server.wait(keeper, "running")
    eventually(lambda: "ready" in server.logs(keeper), "it listens")
    hand = """
mounts: [{from: storage:team, to: /mnt/x}]
run:
  - python3
  - -c
  - |
    import array, os, socket
    home = os.environ["HOME"]
    fds = [os.open(path, os.O_RDONLY) for path in (home, home + "/work", ".")if os.path.isdir(path)]
    friend = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    os.chdir(home + "/mnt/x")
    friend.connect("hand")
    friend.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])
    friend.recv(1)
"""
    try:
        for job in [server.submit(hand, token=mallory) for _ in range(12)]:
            assert server.wait(job)["state"] == "succeeded", server.logs(job)
        # The same shape as before: what had been kept of the others' would fit.
        victim = """
mounts: [{from: storage:team, to: /mnt/x}]
run:
  - python3
  - -c
  - |
    import os, time
    home, end = os.environ["HOME"], time.time() + 0.2
    while time.time() < end:
        for folder in (home, home + "/work"):
            if {"mine", "command.sh"} & set(os.listdir(folder)): print("others write here", flush=True)
"""
        for _ in range(20):
            job = server.submit(victim, token=alice)
            assert server.wait(job)["state"] == "succeeded", server.logs(job)
            assert server.logs(job) == ""
    finally:
        (team / "enough").touch()
        server.wait(keeper)
        (team / "enough").unlink()


# -- what a task can make large

def connected(pid):
    """Whether the client has a socket open: it asks as soon as it has."""
    try:
        return any(os.readlink(fd).startswith("socket:") for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def test_a_huge_log_without_an_index_keeps_nobody_waiting(make_server, tmp_path):
    """A terabyte without a line end: whoever asks for its end waits, the others do not."""
    server = make_server(program=trainyard.frugal(tmp_path), TRAINYARD_HTTP__THREADS="2").start()
    job = server.submit("run: echo hello")
    server.wait(job)
    log = next(server.data_dir.glob(f"logs/*/{job}/*.log"))
    index = pathlib.Path(f"{log}.idx")
    index.unlink()
    os.truncate(log, 1 << 40)
    paths = [f"/api/v1/jobs/{job}/logs?tail=3", f"/api/v1/jobs/{job}/logs?tail=3&merged=true", f"/api/v1/jobs/{job}/logs?lines=5-9",
             f"/api/v1/jobs/{job}/logs?tail=2&follow=true", f"/api/v1/jobs/{job}/logs/lines", f"/api/v1/jobs/{job}/logs/search?q=zzz"]
    asked = [subprocess.Popen(["curl", "-sS", "-o", "/dev/null", "-m", "25", "-H", f"Authorization: Bearer {server.token}",
                               server.url + path]) for path in paths * 2]
    try:
        eventually(lambda: all(connected(each.pid) or each.poll() is not None for each in asked), "all are being served")
        slowest = 0
        for _ in range(20):
            begin = time.monotonic()
            server.get("/api/v1/jobs?limit=1")
            slowest = max(slowest, time.monotonic() - begin)
        assert slowest < 3
        other = server.submit("run: echo other")
        server.wait(other)
        begin = time.monotonic()
        assert server.logs(other, tail=3) == "other\n"
        assert time.monotonic() - begin < 5, "reading is shared fairly"
    finally:
        for each in asked:
            each.kill()
            each.wait()
    server.kill()


def test_a_huge_journal_does_not_keep_the_server_from_starting(make_server, tmp_path):
    server = make_server(program=trainyard.frugal(tmp_path)).start()
    job = server.submit("run: sleep 3600")
    server.wait(job, "running")
    journal = next(server.data_dir.glob(f"runs/*/{job}/*.journal"))
    server.kill()
    os.truncate(journal, 100 << 30)
    server.start(patience=10)
    server.stop_job(job)
    assert server.wait(job)["state"] == "cancelled"


# -- quotas

def test_a_log_ends_at_its_limit_and_the_task_runs_on(make_server):
    server = make_server(TRAINYARD_JOBS__LOG_LIMIT="1MB").start()
    job = server.submit("run: |\n  python3 -c \"print('hello\\\\n' * 8000000, end='')\"\n  echo done > $TRAINYARD_OUTPUT_DIR/done")
    assert server.wait(job)["state"] == "succeeded"
    assert (server.output(job) / "done").exists()
    log = server.logs(job)
    assert len(log) < 1_100_000
    assert log.startswith("hello\nhello\n") and "limit" in log.splitlines()[-1]
    assert server.logs(job, tail=1) == log.splitlines()[-1] + "\n"


@pytest.mark.parametrize("where", ["$TRAINYARD_OUTPUT_DIR", "$HOME/work"])
def test_a_job_that_fills_the_disk_is_ended_and_told_why(make_server, where):
    server = make_server(TRAINYARD_JOBS__DISK_LIMIT="50MB").start()
    job = server.submit(f"run: |\n  truncate -s 1T {where}/sparse\n  echo begun\n  head -c 80000000 /dev/zero > {where}/big\n  sleep 3600")
    ended = server.wait(job)
    assert ended["state"] == "failed"
    task = next(iter(server.tasks(job).values()))
    assert task["reason"] == "output_failed" and "50 MB" in task["message"], task
    small = server.submit(f"run: truncate -s 1T {where}/sparse; sleep 5")
    assert server.wait(small)["state"] == "succeeded", "a hole has no bytes"


# -- what is deleted

def test_a_deleted_log_says_so(make_server):
    server = make_server(TRAINYARD_LOGS__KEEP="1s").start()
    job = server.submit("run: echo hello")
    server.wait(job)
    log = next(server.data_dir.glob(f"logs/*/{job}/*.log"))
    os.utime(log, (0, 0))
    server.restart()   # a round of tidying comes with the start
    eventually(lambda: not log.exists(), "it is too old")
    for path in (f"/api/v1/jobs/{job}/logs", f"/api/v1/jobs/{job}/logs?tail=3", f"/api/v1/jobs/{job}/logs/lines",
                 f"/api/v1/jobs/{job}/logs/search?q=hello"):
        answer = server.call("GET", path)
        assert answer.status_code == 404 and answer.json()["says"]["code"].endswith("log_deleted"), (path, answer.text)
    never = server.submit("run: [no-such-program]")
    server.wait(never)
    assert server.logs(never) == ""


def test_an_interrupted_delete_is_finished_at_the_next_start(make_server):
    server = make_server().start()
    jobs = [server.submit("run: echo hello; echo kept > $TRAINYARD_OUTPUT_DIR/f") for _ in range(3)]
    for job in jobs:
        server.wait(job)
    left = [server.data_dir / kind / jobs[0][:2] / jobs[0] for kind in ("logs", "outputs")]
    saved = server.data_dir.parent / "saved"
    for folder in left:
        subprocess.run(["cp", "-a", folder, f"{saved}-{folder.parent.parent.name}"], check=True)
    server.delete(jobs[0])
    assert not any(folder.exists() for folder in left)
    server.kill()
    # As it is when the server dies between the record and the files.
    for folder in left:
        subprocess.run(["cp", "-a", f"{saved}-{folder.parent.parent.name}", folder], check=True)
    (server.data_dir / "deleting").mkdir(exist_ok=True)
    for job in jobs[:2]:
        (server.data_dir / "deleting" / job).touch()
    server.start()
    eventually(lambda: not any(folder.exists() for folder in left), "they are gone")
    assert server.logs(jobs[1]) == "hello\n", "this one was never deleted"
    assert (server.output(jobs[1]) / "f").exists()
