"""Images from a real registry: progress, credentials, refusals in the registry's own words, and pulls that hang."""
import base64
import contextlib
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import threading

import docker
import pytest
from trainyard import PATIENCE, Server, eventually, free_port

SLOW = max(PATIENCE, 120)


class Registry:
    """Debian's docker-registry with one user."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.address = f"127.0.0.1:{free_port()}"
        users = self.folder / "users"
        users.write_text(subprocess.run(["htpasswd", "-Bbn", "ann", "open sesame"], capture_output=True, text=True,
                                        check=True).stdout)
        settings = self.folder / "registry.yml"
        settings.write_text(json.dumps({
            "version": 0.1, "log": {"level": "info"}, "storage": {"filesystem": {"rootdirectory": str(self.folder / "data")}},
            "http": {"addr": self.address}, "auth": {"htpasswd": {"realm": "test", "path": str(users)}}}))
        self.log = (self.folder / "registry.log").open("w+")
        self.process = subprocess.Popen(["docker-registry", "serve", settings], stdout=self.log, stderr=self.log,
                                        env={**os.environ, "OTEL_TRACES_EXPORTER": "none"})
        host, port = self.address.split(":")

        def answers():
            with socket.socket() as probe:
                return probe.connect_ex((host, int(port))) == 0

        eventually(answers, "the registry listens", patience=SLOW)

    def push(self, daemon, name, archive):
        daemon.make_image(f"{self.address}/{name}", archive)
        login = base64.urlsafe_b64encode(json.dumps({"username": "ann", "password": "open sesame"}).encode()).decode()
        repo, _, tag = name.rpartition(":")
        status, said = daemon("POST", f"/images/{self.address}/{repo}/push?tag={tag}", headers={"X-Registry-Auth": login})
        assert status == 200 and "errorDetail" not in str(said), (status, said)
        daemon("DELETE", f"/images/{self.address}/{name}?force=true")
        return f"{self.address}/{name}"

    def served(self, pattern):
        self.log.flush()
        return len(re.findall(pattern, (self.folder / "registry.log").read_text()))

    def destroy(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    started = docker.Daemon(tmp_path_factory.mktemp("dockerd"))
    yield started
    started.destroy()


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    started = Registry(tmp_path_factory.mktemp("registry"))
    yield started
    started.destroy()


@pytest.fixture
def server(daemon, tmp_path):
    with Server(tmp_path / "data", TRAINYARD_RUNTIME="docker", TRAINYARD_DOCKER__SOCKET=daemon.socket,
                TRAINYARD_DOCKER__PULL_PATIENCE="3s",
                TRAINYARD_DOCKER__SUBNETS=f"10.{random.randrange(64, 250)}.0.0/16") as running:
        yield running


def task_of(server, job):
    return next(iter(server.tasks(job).values()))


def test_a_private_image_needs_credentials_and_they_are_never_shown(server, daemon, registry):
    image = registry.push(daemon, "team/private:1", docker.rootfs(files={"big": os.urandom(3 << 20)}))
    job = server.submit(f"image: {image}\nrun: echo never")
    assert server.wait(job, patience=SLOW)["state"] == "failed"
    task = task_of(server, job)
    assert task["reason"] == "image_missing" and "no basic auth" in task["message"] or "unauthorized" in task["message"], task
    assert f"trainyard registry login {registry.address}" in task["message"], task

    wrong = server.cli("registry", "login", registry.address, "-u", "ann", input="wrong\n", stdin=None)
    assert wrong.returncode == 0, wrong
    assert server.wait(server.submit(f"image: {image}\nrun: echo never"), patience=SLOW)["state"] == "failed"

    kept = server.cli("registry", "login", registry.address, "-u", "ann", input="open sesame\n", stdin=None)
    assert kept.returncode == 0 and "sesame" not in kept.stdout + kept.stderr
    job = server.submit(f"image: {image}\ncount: 4\nmemory: 16MB\nrun: echo got it")
    assert server.wait(job, patience=SLOW)["state"] == "succeeded", server.job(job)
    assert registry.served(r"GET /v2/team/private/blobs") <= 3 * 2, "one pull serves all tasks"

    listed = server.cli("registry", "list", check=0).stdout
    assert registry.address in listed and "ann" in listed and "sesame" not in listed
    assert "sesame" not in server.call("GET", "/api/v1/registries").text
    assert "sesame" not in server.printed()
    assert not (server.data_dir / "registries").exists()

    server.restart()
    daemon("DELETE", f"/images/{image}?force=true")
    assert server.wait(server.submit(f"image: {image}\nrun: echo again"), patience=SLOW)["state"] == "succeeded"
    server.cli("registry", "logout", registry.address, check=0)
    assert server.cli("registry", "logout", registry.address).returncode == 1
    other = server.create_user("bob")
    assert server.call("GET", "/api/v1/registries", token=other).json() == {"registries": []}


def test_credentials_of_a_workspace_serve_all_who_work_in_it(server, daemon, registry):
    image = registry.push(daemon, "team/shared:1", docker.rootfs())
    bob = server.create_user("bob")
    job = server.submit(f"image: {image}\nrun: echo never", token=bob)
    assert server.wait(job, patience=SLOW)["state"] == "failed"
    assert task_of(server, job)["reason"] == "image_missing"
    refused = server.call("PUT", f"/api/v1/registries/{registry.address}", token=bob,
                          json={"username": "ann", "password": "open sesame", "workspace": "default"})
    assert refused.status_code == 403, refused.text
    server.cli("registry", "login", registry.address, "-u", "ann", "--workspace", "default", input="open sesame\n", stdin=None,
               check=0)
    job = server.submit(f"image: {image}\nrun: echo got it", token=bob)
    assert server.wait(job, patience=SLOW)["state"] == "succeeded", server.job(job)
    listed = server.cli("registry", "list", check=0).stdout
    assert "default" in listed and "sesame" not in listed
    server.cli("registry", "logout", registry.address, "--workspace", "default", check=0)
    daemon("DELETE", f"/images/{image}?force=true")
    job = server.submit(f"image: {image}\nrun: echo never", token=bob)
    assert server.wait(job, patience=SLOW)["state"] == "failed"


def test_a_wrong_tag_is_told_in_the_registrys_words(server, daemon, registry):
    registry.push(daemon, "team/tagged:1", docker.rootfs())
    server.cli("registry", "login", registry.address, "-u", "ann", input="open sesame\n", stdin=None, check=0)
    for name in ("team/tagged:2", "team/nothing:1"):
        job = server.submit(f"image: {registry.address}/{name}\nrun: echo never")
        assert server.wait(job, patience=SLOW)["state"] == "failed"
        task = task_of(server, job)
        assert task["reason"] == "image_missing" and "manifest unknown" in task["message"], task
        assert "check its name and tag" in task["message"], task


def test_a_registry_that_says_nothing_is_given_up_and_a_stop_does_not_wait_for_it(server):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        kept = []

        def keep_everybody():
            with contextlib.suppress(OSError):
                while True:
                    kept.append(silent.accept())

        threading.Thread(target=keep_everybody, daemon=True).start()
        hanging = server.submit(f"image: {address}/x:1\nretry: 0\nrun: echo never")
        eventually(lambda: "pulling" in task_of(server, hanging)["message"], "the task says what it waits for")
        stopped = server.submit(f"image: {address}/y:1\nrun: echo never")
        eventually(lambda: "pulling" in task_of(server, stopped)["message"], "so does the other")
        server.stop_job(stopped)
        assert server.wait(stopped, patience=SLOW)["state"] == "cancelled"
        tries = eventually(lambda: [t for t in server.get(f"/api/v1/jobs/{hanging}/tasks")["tries"]
                                    if t["reason"] == "image_missing"], "the other is given up", patience=SLOW)
        assert "no data from" in tries[0]["message"], tries
        server.stop_job(hanging)


def test_a_full_disk_during_a_pull_is_told(registry, daemon, tmp_path):
    image = registry.push(daemon, "team/large:1", docker.rootfs(files={"large": os.urandom(48 << 20)}))
    small = tmp_path / "small"
    (small / "data").mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", small / "data"], check=True)
    tiny = None
    try:
        tiny = docker.Daemon(small)
        with Server(tmp_path / "data", TRAINYARD_RUNTIME="docker", TRAINYARD_DOCKER__SOCKET=tiny.socket,
                    TRAINYARD_DOCKER__SUBNETS=f"10.{random.randrange(64, 250)}.0.0/16") as server:
            server.cli("registry", "login", registry.address, "-u", "ann", input="open sesame\n", stdin=None, check=0)
            job = server.submit(f"image: {image}\nrun: echo never")
            tries = eventually(lambda: [t for t in server.get(f"/api/v1/jobs/{job}/tasks")["tries"]
                                        if t["reason"] == "image_missing"], "it is told", patience=SLOW)
            assert "no space left" in tries[0]["message"] and "free some disk space" in tries[0]["message"], tries
            server.stop_job(job)
    finally:
        if tiny:
            tiny.destroy()
        subprocess.run(["umount", "-l", small / "data"], check=False)
