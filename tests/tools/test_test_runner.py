"""tools/test adds up the reports of every kind of test program, and never takes silence for success."""
import importlib.machinery
import importlib.util
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def runner(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader = importlib.machinery.SourceFileLoader("test_runner", str(ROOT / "tools/test"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("test_runner", loader))
    monkeypatch.setitem(sys.modules, "test_runner", module)   # dataclasses look their module up
    loader.exec_module(module)
    monkeypatch.setattr(module, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def test_cases_of_all_writers_are_counted(runner, tmp_path):
    report = tmp_path / "report.xml"
    report.write_text("""<testsuites><testsuite>
      <testcase classname="A" name="good" status="run" result="completed"/>
      <testcase classname="A" name="bad" status="run"><failure message="no"/></testcase>
      <testcase classname="A" name="broken"><error>broken
        at its second line</error></testcase>
      <testcase classname="A" name="off" status="notrun"/>
      <testcase classname="A" name="left out"><skipped/></testcase>
      <testcase name="ctest" status="fail"/>
    </testsuite></testsuites>""")
    count = runner.count_junit(report)
    assert (count.passed, count.failed) == (1, 3)
    assert count.failures == ["A.bad: no", "A.broken: broken", "ctest"]


def test_a_step_that_fails_without_a_report_counts(runner, tmp_path):
    suite = runner.Suite("basic")
    suite.junit("quiet", tmp_path / "none.xml", "false")
    suite.one("also", "true")
    assert (suite.total.passed, suite.total.failed) == (1, 1)


def test_a_report_of_success_with_a_bad_exit_counts_as_failure(runner, tmp_path):
    report = tmp_path / "report.xml"
    suite = runner.Suite("basic")
    suite.junit("odd", report, "sh", "-c", f"echo '<testsuite><testcase name=\"a\"/></testsuite>' > {report}; exit 3")
    assert (suite.total.passed, suite.total.failed) == (1, 1)


def test_what_passed_only_when_run_again_is_named_and_counts_as_passed(runner, tmp_path):
    report = tmp_path / "report.xml"
    suite = runner.Suite("basic")
    suite.junit("shaky", report, "sh", "-c", "echo 'unsteady: a: the server ended with -9';"
                f"echo '<testsuite><testcase name=\"a\"/></testsuite>' > {report}")
    suite.finish()
    assert (suite.total.passed, suite.total.failed) == (1, 0)
    assert runner.read_summary().unsteady == ["a: the server ended with -9"]


def test_what_the_browser_ran_again_is_found_in_its_log(runner):
    log = "Running 3 tests\n\n  1 failed\n    a.spec.ts:1:1 › fails ───\n  1 flaky\n    jobs.spec.ts:12:1 › a list ───────\n  1 passed (2s)\n"
    assert runner.unsteady_in(log) == ["jobs.spec.ts:12:1 › a list ───────"]
    assert runner.unsteady_in("  3 passed (2s)\n") == []


def test_the_summary_adds_both_suites(runner):
    for name, passed in (("basic", 5), ("extra", 7)):
        suite = runner.Suite(name)
        suite.record("unit", runner.Count(passed, 1, ["x"]))
        suite.finish()
    total = runner.read_summary()
    assert (total.passed, total.failed) == (12, 2)


def test_a_suite_that_did_not_end_is_a_failure(runner):
    runner.Suite("basic").record("unit", runner.Count(5, 0))
    total = runner.read_summary()
    assert (total.passed, total.failed) == (5, 2)
    assert total.failures == ["basic did not get to its end", "extra did not get to its first step"]
