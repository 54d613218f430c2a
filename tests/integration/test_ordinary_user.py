"""An ordinary user runs the server too: the same promises, with what isolation the machine allows."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest
import trainyard

NOBODY = 65534


@pytest.fixture
def user_server():
    """A server of the user `nobody` (or of whoever runs the tests, if not root)."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-user-", dir="/tmp"))
    folder.chmod(0o755)
    program = folder / "trainyard"
    shutil.copy(trainyard.PROGRAM, program)
    program.chmod(0o755)
    home = folder / "home"
    home.mkdir()
    server = trainyard.Server(home / "data", program=program)
    if os.getuid() == 0:
        os.chown(home, NOBODY, NOBODY)
        wrapper = folder / "as-nobody"
        wrapper.write_text(f"#!/bin/sh\nexec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups "
                           f"env HOME={home} {program} \"$@\"\n")
        wrapper.chmod(0o755)
        server.program = wrapper
    yield server
    server.destroy()
    shutil.rmtree(folder)


def test_a_job_runs_as_that_user(user_server):
    server = user_server.start()
    job = server.submit("run: |\n  id -u\n  echo kept > $TRAINYARD_OUTPUT_DIR/out\n")
    server.wait(job, "succeeded")
    assert server.logs(job) == f"{NOBODY if os.getuid() == 0 else os.getuid()}\n"
    assert (server.output(job) / "out").read_text() == "kept\n"


def test_tasks_outlive_that_users_server(user_server):
    server = user_server.start()
    job = server.submit("run: |\n  for i in $(seq 1 20); do echo $i; sleep 0.1; done\n")
    server.wait(job, "running")
    server.kill()
    server.start()
    assert server.wait(job, "succeeded")["attempt"] == 0
    assert server.logs(job) == "".join(f"{i}\n" for i in range(1, 21))


def test_stop_reaches_the_whole_tree(user_server):
    server = user_server.start()
    job = server.submit("stop_grace: 1s\nrun: |\n  (setsid sleep 271.8 &)\n  sleep 271.8\n")
    server.wait(job, "running")
    server.stop_job(job)
    server.wait(job, "cancelled")
    trainyard.eventually(lambda: "271.8" not in subprocess.check_output(["ps", "-eo", "args"], text=True), "no child is left")
