"""When a job is over and how, per platform: the truth table of the job model, every cell of it run.

Three equal tasks end in order, as the column says: `+` well, `-` with an error, `.` not at all. A cell `F2` means that the job fails
with the second end, `S3` that it succeeds with the third, `…` that it goes on."""
import json

import pytest
from test_dialects import code, volcano
from trainyard import Server, eventually

COLUMNS = ["-..", "--.", "---", "+..", "++.", "+++", "+-+", "+--"]
SCRIPT = ("until [ -s $TRAINYARD_OUTPUT_DIR/go-$TRAINYARD_ROLE-$TRAINYARD_INDEX ]; do sleep 0.1; done; "
          "exit $(cat $TRAINYARD_OUTPUT_DIR/go-$TRAINYARD_ROLE-$TRAINYARD_INDEX)")


def v1(**completion):
    return lambda name: json.dumps({"jobName": name, "image": "x", "taskRoles": [
        {"name": "w", "taskNumber": 3, "memoryMB": 100, "shmMB": 64, "command": SCRIPT, **completion}]})


def v2(**completion):
    return lambda name: json.dumps({
        "protocolVersion": 2, "name": name, "type": "job", "prerequisites": [{"type": "dockerimage", "name": "x", "uri": "x"}],
        "taskRoles": {"w": {"dockerImage": "x", "instances": 3, "resourcePerInstance": {"cpu": 1, "memoryMB": 100, "gpu": 0},
                            "extraContainerOptions": {"shmMB": 64}, "commands": [SCRIPT], "completion": completion}}})


def octopus(failed, succeeded):
    return lambda name: json.dumps({"name": name, "imageUrl": "x", "isDistributed": True, "config": [
        {"name": "w", "command": SCRIPT, "resourceSpecId": "any", "taskNumber": 3, "minSucceededTaskCount": succeeded,
         "minFailedTaskCount": failed, "isMainRole": True}]})


def gpu_manager(name):
    return json.dumps({"jobname": name, "tasks": [{"name": "w", "amount": 3, "image": "x", "command": ["sh", "-c", SCRIPT],
                                                   "resources": {"cpu": "100m", "memory": "64Mi"}}]})


def native(**keys):
    return lambda name: json.dumps({"name": name, "cpus": 0.1, "memory": "64MB",
                                    "roles": {"w": {"count": 3, "run": SCRIPT, **keys}}})


def with_volcano(**spec):
    return lambda name: volcano(name, {"w": (3, SCRIPT)}, **spec)


def ffdl(**keys):
    return lambda name: json.dumps({"name": name, "cpus": 0.1, "memory": "64MiB", "learners": 3,
                                    "framework": {"name": "x", "version": "1", "command": SCRIPT}, **keys})


DIST_TF = {"namespace": "default", "job_type": "dist-tf", "pss": "1", "ps_cpu": "0.1", "ps_memory": "64Mi",
           "code_selector": "codeFile"}
ROWS = {
    "v1": (v1(), "F1 F1 F1 … … S3 F2 F2"),
    "v2": (v2(), "F1 F1 F1 … … S3 F2 F2"),
    "v2 null null": (v2(minFailedInstances=None, minSucceededInstances=None), "F1 F1 F1 … … S3 F2 F2"),
    "octopus F1 S3": (octopus(1, 3), "F1 F1 F1 … … S3 F2 F2"),
    "gpu manager": (gpu_manager, "F1 F1 F1 … … S3 F2 F2"),
    "native": (native(), "F1 F1 F1 … … S3 F2 F2"),
    "v1 null -": (v1(minFailedTaskCount=None), "… … S3 … … S3 S3 S3"),
    "v2 -1 -1": (v2(minFailedInstances=-1, minSucceededInstances=-1), "… … S3 … … S3 S3 S3"),
    "v2 -1 -": (v2(minFailedInstances=-1), "… … S3 … … S3 S3 S3"),
    "v2 more than there are": (v2(minFailedInstances=9, minSucceededInstances=9), "… … S3 … … S3 S3 S3"),
    "v1 2 -": (v1(minFailedTaskCount=2), "… F2 F2 … … S3 S3 F3"),
    "v1 - 2": (v1(minSucceededTaskCount=2), "F1 F1 F1 … S2 S2 F2 F2"),
    "v1 null 2": (v1(minFailedTaskCount=None, minSucceededTaskCount=2), "… … S3 … S2 S2 S3 S3"),
    "octopus F2 S2": (octopus(2, 2), "… F2 F2 … S2 S2 S3 F3"),
    "octopus F3 S3": (octopus(3, 3), "… … F3 … … S3 F3 F3"),
    "volcano minAvailable 3": (with_volcano(minAvailable=3), "… … F3 … … S3 F3 F3"),
    "native never all": (native(fail_when="never", done_when="all"), "… … F3 … … S3 F3 F3"),
    "octopus F3 S1": (octopus(3, 1), "… … F3 S1 S1 S1 S1 S1"),
    "native main all any": (native(main=True, fail_when="all", done_when="any"), "… … F3 S1 S1 S1 S1 S1"),
    "ffdl": (ffdl(), "F1 F1 F1 S1 S1 S1 S1 S1"),
    "prophecis dist-tf": (ffdl(**DIST_TF), "F1 F1 F1 S1 S1 S1 S1 S1"),
    "volcano minAvailable 2": (with_volcano(minAvailable=2), "… … F3 … … S3 S3 F3"),
    "volcano minSuccess 2": (with_volcano(minAvailable=2, minSuccess=2), "… … F3 … S2 S2 S3 F3"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One that gives out more than this machine has: the tasks only wait."""
    with Server(tmp_path_factory.mktemp("server") / "data", TRAINYARD_NODE__CPUS="256", TRAINYARD_NODE__MEMORY="256GB") as running:
        yield running


def submit(server, text):
    files = {"job": ("job", text), **({"code": ("code.tar", code())} if '"framework"' in text else {})}
    answer = server.call("POST", "/api/v1/jobs", files=files)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def tell(server, job, role, index, value):
    (server.output(job) / f"go-{role}-{index}").write_text(f"{value}\n")


def play(server, job, column, cell):
    """Lets the tasks end one after the other, as far as the cell says, and looks."""
    names = [name for name in server.tasks(job) if not name.startswith("ps-")]
    role = names[0].rsplit("-", 1)[0]
    steps = column.replace(".", "")[:len(column) if cell == "…" else int(cell[1])]
    for index, sign in enumerate(steps):
        assert not server.job(job).get("decision"), (column, cell, index)
        tell(server, job, role, index, 0 if sign == "+" else 1)
        eventually(lambda: server.tasks(job)[f"{role}-{index}"]["state"] in ("succeeded", "failed"), f"{role}-{index} has ended")
    if cell == "…":
        seen = server.job(job)
        assert seen["state"] == "running" and not seen.get("decision"), (column, seen)
        server.stop_job(job)
    else:
        eventually(lambda: server.job(job).get("decision"), f"a verdict after {column} ({cell})")
    for index in range(len(steps), 3):  # some platforms let the others go on for a while
        tell(server, job, role, index, 0)
    tell(server, job, "ps", 0, 0)
    ended = server.wait(job)
    assert ended["state"] == {"…": "cancelled", "S": "succeeded", "F": "failed"}[cell[0]], (column, cell, ended)


@pytest.mark.parametrize("row", ROWS)
def test_the_truth_table(server, row):
    make, cells = ROWS[row]
    assert len(cells.split()) == len(COLUMNS)
    jobs = [submit(server, make(f"t{list(ROWS).index(row)}-{number}")) for number in range(len(COLUMNS))]
    for job in jobs:
        server.wait(job, "running")
    for job, column, cell in zip(jobs, COLUMNS, cells.split()):
        play(server, job, column, cell)
