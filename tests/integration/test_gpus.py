"""GPUs as the driver's library tells of them: a made-up library with four devices in two NVLink pairs stands in for the driver."""
import pathlib
import shutil
import subprocess

import pytest
from trainyard import Server, eventually

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "support/fake_nvml.c"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nvml")
    compiler = shutil.which("clang-19") or "cc"
    subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", folder / "libnvidia-ml.so.1", SOURCE], check=True)
    return folder


@pytest.fixture
def server(library, tmp_path):
    with Server(tmp_path / "data", LD_LIBRARY_PATH=library, FAKE_NVML_LOST=tmp_path / "lost") as running:
        yield running


def gpus(server):
    return server.get("/api/v1/nodes")["nodes"][0]["gpus"]


def test_the_inventory_is_the_drivers(server):
    found = gpus(server)
    assert [gpu["type"] for gpu in found] == ["A100"] * 4
    assert found[1]["model"] == "NVIDIA A100-SXM4-80GB" and found[1]["uuid"].startswith("GPU-") and found[1]["healthy"]
    assert [gpu["link_group"] for gpu in found] == [0, 0, 2, 2]
    assert found[1]["memory"] == 80 << 30 and found[1]["memory_used"] == 2 << 30
    assert (found[3]["load_percent"], found[3]["watts"], found[3]["celsius"]) == (30, 250, 43)
    printed = server.cli("nodes", check=0).stdout
    assert "NVIDIA A100-SXM4-80GB" in printed and "0 of 4" in printed and "30 %" in printed


def test_a_task_is_told_its_own_gpus_and_no_others(server):
    first = server.submit("memory: 64MB\ncpus: 1\ngpus: 2\nrun: echo $TRAINYARD_GPUS $CUDA_VISIBLE_DEVICES $TRAINYARD_GPU_TYPE; sleep 600")
    eventually(lambda: server.logs(first).count("\n") == 1, "it runs")
    given = server.tasks(first)["main-0"]["gpus"]
    assert given in ([0, 1], [2, 3]), "an NVLink pair"
    names = ",".join(f"GPU-00000000-0000-0000-0000-00000000000{index}" for index in given)
    assert server.logs(first) == f"2 {names} A100\n"
    seen = eventually(lambda: server.get(f"/api/v1/jobs/{first}/metrics")["tasks"][0]["latest"], "its use is seen")
    assert [gpu["index"] for gpu in seen["gpus"]] == given, seen
    assert all(gpu["memory_used"] > 0 and gpu["load_percent"] == 10 * gpu["index"] for gpu in seen["gpus"]), seen
    none = server.submit("run: echo [$CUDA_VISIBLE_DEVICES] $TRAINYARD_GPUS")
    assert server.wait(none)["state"] == "succeeded"
    assert server.logs(none) == "[] 0\n"
    large = server.submit("memory: 64MB\ncpus: 1\ngpus: 3\nrun: 'true'")
    assert "GPU" in server.get(f"/api/v1/jobs/{large}/why")["text"]
    assert server.job(large)["state"] == "queued"
    for job in (large, first):  # else the freed GPUs start it
        server.stop_job(job)
        server.wait(job)


def test_a_lost_gpu_takes_its_tasks_out_and_is_not_used_again(server, tmp_path):
    hit = server.submit("memory: 64MB\ncpus: 1\ngpus: 2\nretry: 0\nrun: sleep 600")
    spared = server.submit("memory: 64MB\ncpus: 1\ngpus: 2\nrun: sleep 600")
    server.wait(hit, {"running"})
    server.wait(spared, {"running"})
    broken = server.tasks(hit)["main-0"]["gpus"][0]
    (tmp_path / "lost").write_text(str(broken))
    tries = eventually(lambda: [one for one in server.get(f"/api/v1/jobs/{hit}/tasks")["tries"] if one["reason"] == "gpu_lost"],
                       "the task ends because of its GPU")
    assert f"GPU {broken}" in tries[0]["message"] and "fallen off the bus" in tries[0]["message"], tries
    assert server.job(spared)["state"] == "running"
    assert [gpu["healthy"] for gpu in gpus(server)].count(False) == 1
    server.stop_job(hit)
    server.wait(hit)
    # The other half of the pair is free, the broken one is not: two do not fit any more, one does.
    two = server.submit("memory: 64MB\ncpus: 1\ngpus: 2\nrun: 'true'")
    one = server.submit("memory: 64MB\ncpus: 1\ngpus: 1\nrun: 'true'")
    assert server.wait(one)["state"] == "succeeded"
    assert broken not in server.tasks(one)["main-0"]["gpus"]
    assert server.job(two)["state"] == "queued"
    for job in (two, spared):
        server.stop_job(job)
        server.wait(job)


def test_a_made_up_inventory_takes_the_drivers_place(library, tmp_path):
    with Server(tmp_path / "data", LD_LIBRARY_PATH=library, TRAINYARD_NODE__GPUS="H100:4/2,T4:1") as server:
        assert [(gpu["type"], gpu["link_group"], gpu["uuid"]) for gpu in gpus(server)] == [
            ("H100", 0, ""), ("H100", 0, ""), ("H100", 1, ""), ("H100", 1, ""), ("T4", 2, "")]
        job = server.submit("memory: 64MB\ncpus: 1\ngpus: T4\nrun: echo $CUDA_VISIBLE_DEVICES")
        assert server.wait(job)["state"] == "succeeded"
        assert server.logs(job) == "4\n"
