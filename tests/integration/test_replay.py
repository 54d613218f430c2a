"""`trainyard replay`: a recorded trace through the scheduler, without any server."""
import gzip
import json
import subprocess

import pytest
from trainyard import PROGRAM, ROOT, clean_environment

pytestmark = pytest.mark.core

TRACE = ROOT / "tests/data/traces/small.csv"
POLICIES = ["fifo", "fifo-skip", "oracle", "fair", "service"]


def replay(*words):
    return subprocess.run([PROGRAM, "replay", *words], env=clean_environment(HOME="/nonexistent"), capture_output=True,
                          text=True, timeout=120)


def test_all_policies_side_by_side_for_people():
    shown = replay(TRACE, "--nodes", "4", "--gpus-per-node", "8")
    assert shown.returncode == 0, shown.stderr
    assert "400 jobs of 3 tenants on 4 nodes with 8 GPUs each" in shown.stdout
    for policy in POLICIES:
        assert sum(line.startswith(policy + " ") for line in shown.stdout.splitlines()) == 2, shown.stdout


def test_figures_for_scripts_and_a_packed_trace(tmp_path):
    packed = tmp_path / "small.csv.gz"
    packed.write_bytes(gzip.compress(TRACE.read_bytes()))
    answer = json.loads(replay(packed, "--nodes", "4", "-o", "json").stdout)
    assert answer == json.loads(replay(TRACE, "--nodes", "4", "-o", "json").stdout) | {"policies": answer["policies"]}
    by_name = {entry["policy"]: entry for entry in answer["policies"]}
    assert list(by_name) == POLICIES
    assert by_name["oracle"]["completion_hours"]["mean"] <= by_name["service"]["completion_hours"]["mean"]
    assert by_name["service"]["completion_hours"]["mean"] < by_name["fifo"]["completion_hours"]["mean"]
    assert by_name["fair"]["estimates"] > 0
    assert {t["name"] for t in by_name["fair"]["tenants"]} == {"vision", "speech", "search"}
    for entry in by_name.values():
        assert entry["worst_start_behind_fifo_hours"] <= entry["worst_behind_fifo_hours"] or entry["policy"] in ("oracle", "service")
        assert entry["starts_a_day_behind_fifo"] >= 0 and entry["a_day_behind_fifo"] >= 0
    assert by_name["fifo"]["worst_behind_fifo_hours"] == by_name["fifo"]["worst_start_behind_fifo_hours"] == 0


def test_it_draws(tmp_path):
    for name, begin in (("out.svg", "<svg"), ("out.html", "<!doctype html>")):
        done = replay(TRACE, "--nodes", "4", "--policy", "fifo,service", "--plot", tmp_path / name)
        assert done.returncode == 0, done.stderr
        text = (tmp_path / name).read_text()
        assert text.startswith(begin) and "service" in text and "oracle" not in text


@pytest.mark.parametrize("words, says", [
    (["/nonexistent.csv"], "cannot read /nonexistent.csv"),
    ([TRACE, "--policy", "best"], "\"best\" is not a policy"),
    ([TRACE, "--nodes", "1"], "needs 16 GPUs"),
    ([ROOT / "Makefile"], "the first line must name the columns"),
    ([TRACE, "--restart-cost", "5"], "5"),
])
def test_what_is_wrong_is_said(words, says):
    done = replay(*words)
    assert done.returncode != 0
    assert says in done.stderr
