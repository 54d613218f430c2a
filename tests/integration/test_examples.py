"""Every file of examples/ runs as its comment says."""
import json
import re

import pytest
from trainyard import ROOT, eventually

# Those of other formats are in folders of their own (test_foreign_examples.py).
EXAMPLES = sorted(path.relative_to(ROOT) for folder in ("examples", "examples/digits")
                  for path in (ROOT / folder).glob("*.yaml"))
# Exit code of `submit --follow`, and patterns its output must hold.
EXPECTED = {
    "after.yaml": (0, ["accuracy 0.98"]),
    "arguments.yaml": (0, ["<one word>", r"<\$HOME>", r"<\*>", '<a "quote">']),
    "digits.trainyard.yaml": (0, [r"epoch  1/40  loss=1\.", r"epoch 40/40  loss=0\.0", r"test accuracy=0\.9[6-9]"]),
    "environment.yaml": (0, ["TRAINYARD_JOB_NAME=environment", "PAI_JOB_NAME=admin~environment", "GREETING=hello",
                             r"TRAINYARD_PORT_WEB=\d+", "VC_TASK_INDEX=0", "RANK=0"]),
    "exit-code.yaml": (7, ["something is wrong"]),
    "hello.yaml": (0, ["hello 3 from .*, task main-0"]),
    "retry.yaml": (0, ["attempt 1", "going on from: half of the work"]),
    "sweep.yaml": (0, [r"step 5 loss=\d"]),
    "time-limit.yaml": (None, ["the limit strikes at", "asked to stop"]),
    "two-roles.yaml": (0, ["worker 0 of 2 is done", "worker 1 of 2 is done"]),
}


def test_every_example_is_listed_here_and_in_their_readme():
    assert {path.name for path in EXAMPLES} == EXPECTED.keys()
    readme = (ROOT / "examples/README.md").read_text()
    for path in EXAMPLES:
        assert path.name in readme or f"{path.parent.name}/" in readme, path


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_it_is_a_sound_job_file(server, path):
    result = server.cli("check", ROOT / path, check=0)
    assert "native" in result.stdout.lower()
    assert "warning" not in result.stderr.lower(), result.stderr


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_it_runs_as_it_says(server, path):
    code, patterns = EXPECTED[path.name]
    result = server.cli("submit", ROOT / path, "--follow", timeout=120)
    if code is None:
        assert result.returncode not in (0, None), result.stdout + result.stderr
    else:
        assert result.returncode == code, result.stdout + result.stderr
    for pattern in patterns:
        assert re.search(pattern, result.stdout), f"{pattern!r} is not in\n{result.stdout}\n{result.stderr}"


def test_a_sweep_makes_one_job_per_value(server):
    result = server.cli("submit", ROOT / "examples/sweep.yaml", "-p", "lr=0.1,0.01,0.001", check=0)
    assert result.stdout.count("sweep-lr-") >= 3, result.stdout
    names = {"sweep-lr-0.1", "sweep-lr-0.01", "sweep-lr-0.001"}

    def done():
        jobs = [job for job in server.jobs(label="sweep=lr") if job["name"] in names]
        return {job["name"] for job in jobs if job["state"] == "succeeded"} == names

    eventually(done, "three jobs succeeded")


def test_the_digits_go_on_from_their_checkpoint_after_a_loss(server):
    """The training run is killed half-way; its second attempt starts where the first was."""
    answer = server.cli("submit", ROOT / "examples/digits/digits.trainyard.yaml", "-o", "json", check=0)
    job_id = json.loads(answer.stdout)["id"]
    eventually(lambda: "epoch 10/40" in server.logs(job_id), "ten epochs")
    server.kill_tasks(job_id)
    ended = server.wait(job_id, "succeeded", patience=120)
    assert ended["attempt"] == 1
    log = server.logs(job_id)
    first = re.search(r"going on after epoch (\d+)", log)
    assert first and int(first.group(1)) >= 10, log
