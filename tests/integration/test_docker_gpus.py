"""GPUs in containers: a made-up driver's library names four devices, and a real dockerd is asked for exactly those of the task.

No machine of ours has both Docker and a GPU, so where NVIDIA's helper would put devices into the container a stand-in writes down
what it was asked for.
"""
import json
import pathlib
import random
import shutil
import subprocess

import docker
import pytest
from trainyard import PATIENCE, Server, eventually

SLOW = max(PATIENCE, 120)
SOURCE = pathlib.Path(__file__).resolve().parent.parent / "support/fake_nvml.c"
# dockerd puts its own words for the helper into the container's specification; it is run with the state on its input.
HELPER = """#!/bin/sh
bundle=$(sed -n 's/.*"bundle":"\\([^"]*\\)".*/\\1/p')
cp "$bundle/config.json" {folder}/asked.json
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nvml")
    compiler = shutil.which("clang-19") or "cc"
    subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", folder / "libnvidia-ml.so.1", SOURCE], check=True)
    return folder


def serve(daemon, library, data_dir):
    return Server(data_dir, TRAINYARD_RUNTIME="docker", TRAINYARD_DOCKER__SOCKET=daemon.socket, LD_LIBRARY_PATH=library,
                  TRAINYARD_DOCKER__SUBNETS=f"10.{random.randrange(64, 250)}.0.0/16")


def uuid(index):
    return f"GPU-00000000-0000-0000-0000-00000000000{index}"


def test_a_docker_without_the_toolkit_says_what_to_install(library, tmp_path, tmp_path_factory):
    daemon = docker.Daemon(tmp_path_factory.mktemp("dockerd"))
    try:
        daemon.busybox("bb:1")
        with serve(daemon, library, tmp_path / "data") as server:
            [node] = server.get("/api/v1/nodes")["nodes"]
            assert any("nvidia-container-toolkit" in text for text in node["warnings"]), node["warnings"]
            assert len(node["gpus"]) == 4
            job = server.submit("image: bb:1\nmemory: 64MB\ncpus: 1\ngpus: 1\nrun: echo never")
            tries = eventually(lambda: [one for one in server.get(f"/api/v1/jobs/{job}/tasks")["tries"]
                                        if one["reason"] == "start_failed"], "the task says why", patience=SLOW)
            assert "could not select device driver" in tries[0]["message"], tries
            assert "install nvidia-container-toolkit" in tries[0]["message"], tries
            server.stop_job(job)
            server.wait(job, patience=SLOW)
            eventually(lambda: not daemon.containers(), "nothing is left", patience=SLOW)
            none = server.submit("image: bb:1\nrun: echo without")
            assert server.wait(none, patience=SLOW)["state"] == "succeeded", "tasks without GPUs run as ever"
    finally:
        daemon.destroy()


def test_a_container_gets_exactly_its_gpus(library, tmp_path, tmp_path_factory):
    tools = tmp_path_factory.mktemp("toolkit")
    helper = tools / "nvidia-container-runtime-hook"
    helper.write_text(HELPER.format(folder=tools))
    helper.chmod(0o755)
    daemon = docker.Daemon(tmp_path_factory.mktemp("dockerd"), "--add-runtime", "nvidia=/usr/sbin/runc", path=tools)
    try:
        daemon.busybox("bb:1")
        with serve(daemon, library, tmp_path / "data") as server:
            [node] = server.get("/api/v1/nodes")["nodes"]
            assert node["warnings"] == [], node
            job = server.submit("image: bb:1\nmemory: 64MB\ncpus: 1\ngpus: 2\nrun: |\n  echo $NVIDIA_VISIBLE_DEVICES $TRAINYARD_GPUS\n"
                                "  while [ ! -e /output/enough ]; do sleep 0.2; done")
            server.wait(job, {"running"}, patience=SLOW)
            given = server.tasks(job)["main-0"]["gpus"]
            assert given in ([0, 1], [2, 3]), "an NVLink pair"
            wanted = [uuid(index) for index in given]
            [container] = daemon.containers()
            _, seen = daemon("GET", f"/containers/{container['Id']}/json")
            [request] = seen["HostConfig"]["DeviceRequests"]
            assert (request["Driver"], request["DeviceIDs"], request["Count"]) == ("nvidia", wanted, 0), request
            assert "gpu" in request["Capabilities"][0], request
            asked = json.loads((tools / "asked.json").read_text())
            named = [entry.split("=", 1)[1] for entry in asked["process"]["env"] if entry.startswith("NVIDIA_VISIBLE_DEVICES=")]
            assert named[-1] == ",".join(wanted), named
            use = eventually(lambda: (tasks := server.get(f"/api/v1/jobs/{job}/metrics")["tasks"]) and tasks[0]["latest"],
                             "GPU memory and load are sampled", patience=SLOW)
            assert [gpu["index"] for gpu in use["gpus"]] == given and use["gpus"][0]["memory_used"] > 0, use
            (server.output(job) / "enough").touch()
            assert server.wait(job, patience=SLOW)["state"] == "succeeded"
            assert server.logs(job) == f"{','.join(wanted)} 2\n"
            without = server.submit("image: bb:1\nrun: 'true'")
            assert server.wait(without, patience=SLOW)["state"] == "succeeded"
    finally:
        daemon.destroy()
