"""Fixtures for every test from outside. `server` is shared by a whole file; `make_server` gives servers of one's own."""
import contextlib
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))

import trainyard  # noqa: E402  (found through the line above)


@pytest.hookimpl(tryfirst=True)   # xdist reads the groups in its own hook
def pytest_collection_modifyitems(items):
    """Which tests stay together when several workers share the work: those of a file, which share its server, and all that
    start a Docker daemon, of which two at a time would only wait for each other."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group("containers" if hasattr(item.module, "docker") else item.module.__name__))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with trainyard.Server(tmp_path_factory.mktemp("server") / "data") as running:
        yield running


@pytest.fixture
def make_server(tmp_path):
    made = []

    def make(*flags, name="data", **settings):
        made.append(trainyard.Server(tmp_path / name, *flags, **settings))
        return made[-1]

    yield make
    with contextlib.ExitStack() as ends:
        for each in made:
            ends.callback(each.destroy)


def pytest_terminal_summary(terminalreporter):
    """What failed at first and was run again, with its cause: for tools/test, which repeats it at the end."""
    for report in terminalreporter.stats.get("rerun", []):
        crash = getattr(report.longrepr, "reprcrash", None)
        cause = (crash.message if crash else str(report.longrepr)).strip().splitlines()
        terminalreporter.write_line(f"unsteady: {report.nodeid}: {cause[0] if cause else report.when}")
