"""Job files of OpenPAI, both formats, run as they did there: environment, completion, retries, folders."""
import json
import re
import shlex

import pytest
from trainyard import ROOT, eventually

EXAMPLES = {
    "openpai-v1/hello.json": ["hello from admin~hello-v1, role main"],
    "openpai-v1/parameter-servers.json": ["worker 0 of 2 reached the server, 3 steps",
                                          "worker 1 of 2 reached the server, 3 steps"],
    "openpai-v1/best-of-three.json": ["found it"],
    "openpai-v2/hello.yaml": ["hello from admin~hello_v2"],
    "openpai-v2/parameters.yaml": ["before", "task 0 learns at 0.1 with layers 64,32 from two.csv",
                                   "task 1 learns at", "after /tmp/cache"],
    "openpai-v2/secrets.yaml": ["signed in as ann with 13 characters"],
}


def v1(name="job", roles=None, **fields):
    """A v1 file with comments, as people keep them; a role is (name, count, command, further fields)."""
    tasks = [{"name": role[0], "taskNumber": role[1], "cpuNumber": 1, "memoryMB": 128, "gpuNumber": 0,
              "command": role[2], **(role[3] if len(role) > 3 else {})}
             for role in roles or [("main", 1, "true")]]
    return "// a comment\n" + json.dumps({"jobName": name, "image": "python:3.12", "taskRoles": tasks, **fields}, indent=1)


def v2(name="job", roles=None, **fields):
    tasks = {role[0]: {"instances": role[1], "dockerImage": "img", "commands": [role[2]],
                       "resourcePerInstance": {"cpu": 1, "memoryMB": 128, "gpu": 0}, **(role[3] if len(role) > 3 else {})}
             for role in roles or [("main", 1, "true")]}
    return json.dumps({"protocolVersion": 2, "name": name, "type": "job", "taskRoles": tasks,
                       "prerequisites": [{"type": "dockerimage", "name": "img", "uri": "python:3.12"}], **fields})


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_sound_and_runs(server, name):
    path = ROOT / "examples" / name
    checked = server.cli("check", path, check=0)
    assert "OpenPAI" in checked.stdout
    result = server.cli("submit", path, "--follow", check=0, timeout=120)
    for text in EXAMPLES[name]:
        assert text in result.stdout, result.stdout


def test_every_example_is_listed():
    found = {str(path.relative_to(ROOT / "examples")) for path in (ROOT / "examples").glob("openpai-*/*")}
    assert found == EXAMPLES.keys()


def environment(server, job, task):
    log = server.logs(job, task=task)
    return dict(line.split("=", 1) for line in log.splitlines() if "=" in line)


def test_the_environment_of_the_manual(server):
    """Every variable that the manual lists, in both of its role-name spellings, as it describes them."""
    text = v1("env_test", [("ps_server", 1, "env", {"portList": [{"label": "web", "beginAt": 0, "portNumber": 2}], "shmMB": 64}),
                           ("worker", 2, "env; sleep 1", {"minSucceededTaskCount": 2})])
    job = server.submit(text)
    server.wait(job, "succeeded")
    env = environment(server, job, "worker-1")
    assert env["PAI_JOB_NAME"] == "admin~env_test"
    assert env["PAI_USER_NAME"] == "admin"
    assert "PAI_DEFAULT_FS_URI" in env
    assert env["PAI_TASK_ROLE_COUNT"] == "2"
    assert env["PAI_TASK_ROLE_LIST"] == "ps_server,worker"
    assert env["PAI_TASK_ROLE_TASK_COUNT_worker"] == "2"
    assert env["PAI_TASK_ROLE_TASK_COUNT_ps_server"] == env["PAI_TASK_ROLE_TASK_COUNT_psserver"] == "1"
    assert re.fullmatch(r"[\d.]+", env["PAI_HOST_IP_ps_server_0"])
    assert re.fullmatch(r"\d+,\d+", env["PAI_PORT_LIST_ps_server_0_web"])
    assert re.fullmatch(r"\d+", env["PAI_PORT_LIST_worker_0_ssh"])
    assert env["PAI_RESOURCE_ps_server"] == "0,1,128,64"
    assert env["PAI_MIN_FAILED_TASK_COUNT_worker"] == "1"
    assert env["PAI_MIN_SUCCEEDED_TASK_COUNT_worker"] == "2"
    assert env["PAI_MIN_SUCCEEDED_TASK_COUNT_ps_server"] == ""
    assert env["PAI_CURRENT_TASK_ROLE_NAME"] == "worker"
    assert env["PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX"] == "1"


# name, file, final state, states of tasks that the rule decides
COMPLETION = [
    ("v1: one failure fails the job", v1(roles=[("w", 2, "[ $PAI_TASK_INDEX = 0 ] && exit 3; sleep 600")]), "failed",
     {"w-0": "failed", "w-1": "stopped"}),
    ("v1: null never fails it", v1(roles=[("w", 2, "exit 1", {"minFailedTaskCount": None})]), "succeeded",
     {"w-0": "failed", "w-1": "failed"}),
    ("v1: two failures are needed", v1(roles=[("w", 3, "[ $PAI_TASK_INDEX = 2 ] || exit 1; sleep 600", {"minFailedTaskCount": 2})]),
     "failed", {"w-2": "stopped"}),
    ("v1: one success is enough", v1(roles=[("w", 2, "[ $PAI_TASK_INDEX = 0 ] || sleep 600", {"minSucceededTaskCount": 1})]),
     "succeeded", {"w-0": "succeeded", "w-1": "stopped"}),
    ("v1: all roles are waited for", v1(roles=[("a", 1, "true"), ("b", 1, "sleep 1")]), "succeeded",
     {"a-0": "succeeded", "b-0": "succeeded"}),
    ("v1: the old count of finished tasks", v1(roles=[("w", 2, "[ $PAI_TASK_INDEX = 0 ] || sleep 600")], killAllOnCompletedTaskNumber=1),
     "succeeded", {"w-0": "succeeded", "w-1": "stopped"}),
    ("v2: the first role to finish ends the job", v2(roles=[("a", 1, "true"), ("b", 1, "sleep 600")]), "succeeded",
     {"a-0": "succeeded", "b-0": "stopped"}),
    ("v2: -1 waits for the others", v2(roles=[("a", 1, "true", {"completion": {"minSucceededInstances": -1}}),
                                              ("b", 1, "sleep 1", {"completion": {"minSucceededInstances": -1}})]), "succeeded",
     {"a-0": "succeeded", "b-0": "succeeded"}),
    ("v2: null is the usual 1", v2(roles=[("w", 2, "[ $PAI_TASK_INDEX = 0 ] && exit 1; sleep 600",
                                           {"completion": {"minFailedInstances": None}})]), "failed", {"w-1": "stopped"}),
    ("v2: -1 never fails it", v2(roles=[("w", 1, "exit 1", {"completion": {"minFailedInstances": -1}})]), "succeeded",
     {"w-0": "failed"}),
    ("v2: a failing line ends the command", v2(roles=[("w", 1, "false\necho never")]), "failed", {"w-0": "failed"}),
    ("v1: a failing line does not", v1(roles=[("w", 1, "false\necho on")]), "succeeded", {"w-0": "succeeded"}),
    ("v2: an unset variable fails", v2(roles=[("w", 1, "echo $NO_SUCH_NAME")]), "failed", {"w-0": "failed"}),
]


@pytest.mark.parametrize("about, text, state, tasks", COMPLETION, ids=[row[0] for row in COMPLETION])
def test_a_job_ends_as_its_platform_would_end_it(server, about, text, state, tasks):
    job = server.submit(text)
    ended = server.wait(job)
    assert ended["state"] == state, ended
    states = {task["name"]: task["state"] for role in ended["roles"] for task in role["tasks"]}
    assert {name: states[name] for name in tasks} == tasks


def test_a_failed_job_is_tried_again_as_often_as_it_says(server):
    text = v1(roles=[("w", 1, "echo attempt $FC_FRAMEWORK_ATTEMPT_ID; exit 1")], retryCount=1)
    job = server.submit(text)
    ended = server.wait(job, "failed", patience=120)
    assert ended["attempt"] == 1
    assert ended["retries"]["counted"] == 1


def test_a_task_is_tried_again_alone_without_a_gang(server):
    text = v2(roles=[("w", 1, "[ $FC_TASK_ATTEMPT_ID = 2 ]", {"taskRetryCount": 2})], extras={"gangAllocation": False})
    job = server.submit(text)
    ended = server.wait(job, "succeeded", patience=120)
    assert ended["attempt"] == 0
    assert ended["roles"][0]["tasks"][0]["tries"] == 2


def test_a_debugged_task_stays_until_it_is_stopped(server):
    text = v1(roles=[("w", 1, "echo before; exit 9")], jobEnvs={"isDebug": True})
    job = server.submit(text)
    eventually(lambda: server.job(job)["roles"][0]["tasks"][0].get("hold_until"), "the failed task is held")
    assert server.job(job)["state"] == "running"
    server.stop_job(job)
    server.wait(job)


# Folders

@pytest.fixture
def storage(server):
    root = server.data_dir / "storage"
    (root / "code").mkdir(parents=True, exist_ok=True)
    (root / "code/train.py").write_text("import os; print('data says', open(os.environ['PAI_DATA_DIR'] + '/x').read())")
    (root / "data/mnist").mkdir(parents=True, exist_ok=True)
    (root / "data/mnist/x").write_text("forty-two")
    (root / "team").mkdir(exist_ok=True)
    return root


def test_the_folders_of_a_v1_job(server, storage):
    text = v1("folders", [("w", 1, "pwd; ls; python3 code/train.py; echo result > $PAI_OUTPUT_DIR/r.txt; touch $PAI_DATA_DIR/y; "
                                   "echo new > code/train.py")],
              codeDir="$PAI_DEFAULT_FS_URI/code/", dataDir="hdfs://10.0.0.1:9000/data/mnist",
              outputDir="$PAI_DEFAULT_FS_URI/out/$PAI_USER_NAME/$PAI_JOB_NAME")
    job = server.submit(text)
    server.wait(job, "succeeded")
    log = server.logs(job)
    assert "data says forty-two" in log, log
    assert (storage / "out/admin/folders/r.txt").read_text() == "result\n"
    assert not (storage / "data/mnist/y").exists(), "data is read-only"
    assert "import os" in (storage / "code/train.py").read_text(), "code is a copy of the task's own"


def test_a_storage_is_mounted_where_the_file_says(server, storage):
    text = v2(roles=[("w", 1, "echo hi > mnt/team/a || echo hi > $HOME/mnt/team/a")], extras={"storages": [{"name": "team"}]})
    job = server.submit(text)
    server.wait(job, "succeeded")
    assert (storage / "team/a").read_text() == "hi\n"


@pytest.mark.parametrize("source, says", [
    ("nowhere", "there is no storage"),
    ("../../etc", "goes up"),
])
def test_what_is_no_storage_is_refused_at_once(server, storage, source, says):
    answer = server.call("POST", "/api/v1/jobs", data=v2(extras={"storages": [{"name": source, "mountPath": "/mnt/x"}]}))
    assert answer.status_code == 400
    assert says in answer.json()["message"]


def test_nothing_outside_the_storage_is_reached(server, storage):
    (storage / "team/link").unlink(missing_ok=True)
    (storage / "team/link").symlink_to("/etc")
    for source in ("/etc", "$PAI_DEFAULT_FS_URI/team/link", "hdfs://a/team/link/ssl"):
        answer = server.call("POST", "/api/v1/jobs", data=v1(dataDir=source))
        assert answer.status_code == 400, source
        assert re.search("outside the site's storage|may not mount", answer.json()["message"])


def test_missing_code_says_so(server, storage):
    job = server.submit(v1(codeDir="$PAI_DEFAULT_FS_URI/no/such"))
    ended = server.wait(job, "failed", patience=120)
    assert "no/such" in json.dumps(ended), ended


def commands_of(guide):
    text = (ROOT / guide).read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.startswith("trainyard ")]


@pytest.mark.parametrize("command", commands_of("docs/guide/en/coming-from-openpai.md"))
def test_the_guide_shows_commands_that_work(server, command):
    result = server.cli(*shlex.split(command)[1:], cwd=ROOT, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
