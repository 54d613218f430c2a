"""The crash harness sees every breach it promises to see: it judges worlds in which one thing is wrong."""
import argparse
import importlib.util
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def crash(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_file_location("crash_harness", ROOT / "tests/crash/crash.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "crash_harness", module)
    spec.loader.exec_module(module)
    return module


class World:
    """A server that answers what the test wrote, and the run that judges it. All is well at first: one job, one task."""

    def __init__(self, crash, folder):
        self.run = crash.Run(argparse.Namespace(seed=1, kills=0, program="none"), folder)
        self.run.server = self
        self.run.compared = 0
        self.folder = folder
        self.plan = crash.Plan("r1-0-0", 1, 2, 3, 0.1, 0, job="j1", answers={"j1"})
        self.run.plans = [self.plan]
        self.jobs = [{"id": "j1", "name": "crash-r1-0-0", "state": "succeeded"}]
        self.text = self.plan.log(0)
        self.notes = ["start 7.100 10.0", "end 7.100 10.3"]

    def job(self, _):
        return {"reason": "because"}

    def logs(self, _, task):
        assert task == "main-0"
        return self.text

    def output(self, _):
        (self.folder / "notes.0").write_text("".join(f"{note}\n" for note in self.notes))
        return self.folder

    def broken(self):
        """The rules that the judge finds broken."""
        self.run.judge(self.jobs)
        return {rule for rule, texts in self.run.breaches.items() if texts}


@pytest.fixture
def world(crash, tmp_path):
    return World(crash, tmp_path)


def test_a_good_world_is_good(world):
    assert world.broken() == set()


def test_a_lost_submit_is_seen(world):
    world.jobs = []
    assert world.broken() == {"submits"}


def test_two_jobs_of_one_key_are_seen(world):
    world.jobs.append({**world.jobs[0], "id": "j2"})
    assert "submits" in world.broken()


def test_a_job_that_ended_otherwise_is_seen(world):
    world.jobs[0]["state"] = "failed"
    assert world.broken() == {"once"}


def test_a_cancel_that_nobody_asked_for_is_seen(world):
    world.jobs[0]["state"] = "cancelled"
    assert world.broken() == {"once"}


@pytest.mark.parametrize("notes", [
    ["start 7.100 10.0", "start 8.200 10.1", "end 7.100 10.3", "end 8.200 10.4"],
    ["start 7.100 10.0", "end 7.100 10.3", "start 7.100 11.0", "end 7.100 11.3"],
    ["start 7.100 10.0"],
    [],
])
def test_a_task_that_ran_twice_or_not_to_its_end_is_seen(world, notes):
    world.notes = notes
    assert "once" in world.broken()


def test_a_task_that_changed_its_process_is_seen(world):
    world.notes = ["start 7.100 10.0", "end 7.999 10.3"]
    assert world.broken() == {"undisturbed"}


def test_a_task_that_was_held_up_is_seen(world):
    world.notes = ["start 7.100 10.0", "end 7.100 99.0"]
    assert world.broken() == {"undisturbed"}


@pytest.mark.parametrize("damage", [
    lambda text: text[:-1],
    lambda text: text[1:],
    lambda text: text + text[-10:],
    lambda text: text[:20] + "x" + text[21:],
    lambda text: "\n".join(reversed(text.splitlines())) + "\n",
    lambda text: "",
])
def test_a_damaged_log_is_seen(world, damage):
    world.text = damage(world.text)
    assert world.broken() == {"logs"}


def test_a_follower_that_saw_something_else_is_seen(world):
    world.run.seen = [(world.plan, 0, world.text[:30].encode()), (world.plan, 0, b"r1-0-0 0 2")]
    assert world.broken() == {"followers"}


def test_a_stop_without_effect_is_seen(world):
    world.plan.stop_asked = world.plan.stop_answered = True
    world.notes = ["start 7.100 10.0"]
    world.text = world.text[:20]
    assert "stops" in world.broken()


def test_a_stop_that_cut_a_task_short_is_fine(world):
    world.plan.stop_asked = world.plan.stop_answered = True
    world.jobs[0]["state"] = "cancelled"
    world.notes = ["start 7.100 10.0"]
    world.text = world.text[:20]
    assert world.broken() == set()
