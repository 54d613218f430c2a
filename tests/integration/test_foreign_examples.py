"""The examples in the formats of other platforms run as their comments say."""
import json
import re

import pytest
from trainyard import ROOT

# The folder is the format. Exit code of `submit --follow`, and patterns its output must hold.
EXPECTED = {
    "ffdl/mnist/manifest.yml": (0, ["learner 1 of 1 in model-code", r"Iteration 3 loss = 0\.333",
                                    "wrote model.txt for training-"]),
    "ffdl/learners.yml": (0, ["learner 1 of 3, peers learner-0.learner and so on"]),
    "ffdl/dist-tf.yml": (0, [r"worker 0 of \[\('ps', 1\), \('worker', 2\)\]"]),
    "gpu-manager/distributed.yaml": (0, ["ps serves 2 workers", "worker 1 of 2 knows 127.0.0.1"]),
    "gpu-manager/script.yaml": (0, ["3 words, the last is three"]),
    "gpu-manager/smallest.yaml": (0, [r"\S+"]),
    "pumpkin/first-wins.json": (0, ["replica 1 has it"]),
    "pumpkin/main-task.json": (0, ["task1 0 of 2", "task1 1 of 2"]),
    "pumpkin/single.json": (0, ["training with --epochs=10 --name=first try"]),
    "volcano/depends.yaml": (0, ["hello from server-first-worker-0"]),
    "volcano/mpi.yaml": (0, [r"calling 127\.0\.0\.1,127\.0\.0\.1 with the key .*/\.ssh/id_rsa"]),
    "volcano/pytorch.yaml": (0, [r"rank 0 of 3 at 127\.0\.0\.1:\d+"]),
    "volcano/retry.yaml": (0, ["run 1"]),
}
DIALECTS = {"pumpkin": "octopus"}
HERE = ("ffdl", "gpu-manager", "pumpkin", "volcano")


def test_every_example_is_listed_here_and_in_their_readme():
    found = {str(path.relative_to(ROOT / "examples")) for folder in HERE for ending in ("*.yaml", "*.yml", "*.json")
             for path in (ROOT / "examples" / folder).rglob(ending)}
    assert found == EXPECTED.keys()
    readme = (ROOT / "examples/README.md").read_text()
    for folder in HERE:
        assert f"`{folder}/`" in readme


@pytest.mark.parametrize("name", EXPECTED)
def test_its_format_is_recognised(server, name):
    result = server.cli("check", ROOT / "examples" / name, "-o", "json", check=0)
    folder = name.split("/")[0]
    assert json.loads(result.stdout)["dialect"] == DIALECTS.get(folder, folder)


@pytest.mark.parametrize("name", EXPECTED)
def test_it_runs_as_it_says(server, name):
    code, patterns = EXPECTED[name]
    result = server.cli("submit", ROOT / "examples" / name, "--follow", timeout=180)
    assert result.returncode == code, result.stdout + result.stderr
    for pattern in patterns:
        assert re.search(pattern, result.stdout), f"{pattern!r} is not in\n{result.stdout}\n{result.stderr}"
