"""What each platform promises its users, in real containers: every variable of their manuals in the form it is written there,
their own ways to find their peers, their folders."""
import json
import re

import docker
import pytest
from test_docker import SLOW, daemon, run, settings  # noqa: F401  (a dockerd, how a server uses it)
from test_object_stores import SECRET, manifest, store, submit  # noqa: F401
from test_peers import PUMPKIN, TF_CONFIG, tar_of
from trainyard import ROOT, Server

IMAGE = "py:3.11"
FILES = {**docker.python(), **docker.programs("/bin/bash")}


@pytest.fixture(scope="module")
def server(daemon, tmp_path_factory):  # noqa: F811
    daemon.busybox(IMAGE, files=FILES, WORKDIR="/home/ann")
    folder = tmp_path_factory.mktemp("server")
    with Server(folder / "data",
                **settings(daemon, TRAINYARD_JOBS__OBJECT_STORES="*", TRAINYARD_JOBS__HOST_FOLDERS=str(folder / "store"),
                           TRAINYARD_NODE__MEMORY="64GB", TRAINYARD_NODE__GPUS="V100:2", TRAINYARD_NODE__CPUS="16")) as running:
        yield running


def variables(text):
    return dict(line.split("=", 1) for line in text.splitlines() if re.match(r"\w+=", line))


def check(found, **forms):
    """Every variable is there, and its whole value has the form."""
    wrong = {name: found.get(name) for name, form in forms.items()
             if name not in found or not re.fullmatch(form, found[name])}
    assert not wrong, wrong


def together(count):
    """A shell script that ends when all `count` tasks of the job have come to it: until then each can be found by the others."""
    return f"touch $TRAINYARD_OUTPUT_DIR/$HOSTNAME; until [ $(ls $TRAINYARD_OUTPUT_DIR | wc -l) = {count} ]; do sleep 0.2; done"


ADDRESS = r"10(\.\d+){3}"


def test_openpai_every_variable_of_the_manual(server):
    """The table of the SCM manual (its section on variables), for two roles."""
    job = run(server, json.dumps({
        "jobName": "contract", "image": IMAGE, "taskRoles": [
            {"name": "ps_server", "taskNumber": 1, "cpuNumber": 1, "memoryMB": 128, "shmMB": 64, "command": "env",
             "portList": [{"label": "grpc", "beginAt": 0, "portNumber": 2}]},
            {"name": "worker", "taskNumber": 2, "cpuNumber": 1, "memoryMB": 256, "shmMB": 96, "command": "env",
             "minFailedTaskCount": 1, "minSucceededTaskCount": 2}]}), state="succeeded")
    found = variables(server.logs(job, task="worker-1"))
    check(found, PAI_JOB_NAME="admin~contract", PAI_USER_NAME="admin", PAI_DEFAULT_FS_URI=".*", PAI_TASK_ROLE_COUNT="2",
          PAI_TASK_ROLE_LIST="ps_server,worker", PAI_TASK_ROLE_TASK_COUNT_ps_server="1", PAI_TASK_ROLE_TASK_COUNT_worker="2",
          PAI_HOST_IP_ps_server_0=ADDRESS, PAI_HOST_IP_worker_0=ADDRESS, PAI_HOST_IP_worker_1=ADDRESS,
          PAI_PORT_LIST_ps_server_0_grpc=r"\d+,\d+", PAI_PORT_LIST_worker_1_http=r"\d+", PAI_PORT_LIST_worker_1_ssh=r"\d+",
          PAI_RESOURCE_ps_server="0,1,128,64", PAI_RESOURCE_worker="0,1,256,96", PAI_MIN_FAILED_TASK_COUNT_worker="1",
          PAI_MIN_SUCCEEDED_TASK_COUNT_worker="2", PAI_MIN_FAILED_TASK_COUNT_ps_server="1",
          PAI_MIN_SUCCEEDED_TASK_COUNT_ps_server="", PAI_CURRENT_TASK_ROLE_NAME="worker",
          PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX="1")
    assert found["PAI_HOST_IP_worker_0"] != found["PAI_HOST_IP_worker_1"]


def test_openpai_tasks_meet_at_the_addresses_and_ports_they_are_told(server):
    """Each worker serves at its own PAI_HOST_IP and PAI_PORT_LIST, and calls all the others there."""
    program = """
import os, socket, time
role, me = os.environ["PAI_CURRENT_TASK_ROLE_NAME"], int(os.environ["PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX"])
def at(i):
    return os.environ[f"PAI_HOST_IP_{role}_{i}"], int(os.environ[f"PAI_PORT_LIST_{role}_{i}_meet"])
mine = socket.create_server(("", at(me)[1]))
count = int(os.environ[f"PAI_TASK_ROLE_TASK_COUNT_{role}"])
for i in range(count):
    deadline = time.monotonic() + 90
    while True:
        try:
            socket.create_connection(at(i), 2).close()
            break
        except OSError as error:
            assert time.monotonic() < deadline, (at(i), error)
            time.sleep(0.1)
    print("reached", i, flush=True)
for i in range(count):  # whoever has not been here yet must find the door open
    mine.accept()
"""
    job = run(server, json.dumps({
        "jobName": "meet", "image": IMAGE, "jobEnvs": {"PROGRAM": program}, "taskRoles": [
            {"name": "w", "taskNumber": 3, "memoryMB": 128, "command": "python3 -c \"$PROGRAM\"", "minFailedTaskCount": 1,
             "minSucceededTaskCount": 3, "portList": [{"label": "meet", "beginAt": 0, "portNumber": 1}]}]}), state="succeeded")
    for i in range(3):
        assert server.logs(job, task=f"w-{i}") == "reached 0\nreached 1\nreached 2\n"


def test_pumpkin_steps_1_to_4_and_the_names_resolve(server):
    steps = PUMPKIN + """
import socket, time
def address(host):
    for _ in range(450):
        try: return socket.gethostbyname(host)
        except OSError: time.sleep(0.2)
print("all resolve:", len({address(host) for host in hosts} - {None}) == len(hosts))
print("hostname", socket.gethostname() == hosts[index].split(".")[0])
"""

    def config(name, replicas):
        return {"name": name, "command": "python3 -c \"$STEPS\"; " + together(3), "resourceSpecId": "any", "taskNumber": replicas,
                "minSucceededTaskCount": replicas, "minFailedTaskCount": 1, "envs": {"STEPS": steps}}
    job = run(server, json.dumps({"name": "步骤", "imageUrl": IMAGE, "isDistributed": True,
                                  "config": [config("a", 1), config("b", 2)]}), state="succeeded")
    assert server.logs(job, task="b-1") == (f"task1 is 1 of 2 at {job}-task1-1.{job}\nall resolve: True\nhostname True\n")
    assert server.logs(job, task="a-0").startswith(f"task0 is 0 of 1 at {job}-task0-0.{job}\n")


def test_pumpkin_folders(server):
    """/code with the algorithm, /model for what is trained, writable; /userhome as well."""
    job = json.dumps({"name": "folders", "imageUrl": IMAGE, "isDistributed": False, "config": [
        {"name": "task0", "command": "pwd; echo weights > /model/last.pt; ls -d /model; env | grep ^TRAINYARD_OUTPUT_DIR",
         "resourceSpecId": "any", "taskNumber": 1, "minSucceededTaskCount": 1, "minFailedTaskCount": 1}]})
    job = run(server, job, state="succeeded")
    assert "/model\nTRAINYARD_OUTPUT_DIR=/model\n" in server.logs(job)
    assert (server.output(job) / "last.pt").read_text() == "weights\n"


def test_prophecis_tf_config_and_folders(server, daemon):  # noqa: F811
    reader = TF_CONFIG.replace("import json, os, socket, time", "import json, os, socket, time\nprint(os.getcwd(), "
                               "os.environ['MODEL_DIR'], os.environ['RESULT_DIR'], os.environ['LEARNER_ID'])")
    text = json.dumps({"name": "tf", "namespace": "default", "job_type": "dist-tf", "learners": 2, "cpus": 0.2, "memory": "128MiB",
                       "pss": "1", "ps_cpu": "0.2", "ps_memory": "128Mi", "code_selector": "codeFile",
                       "framework": {"name": "py", "version": "3.11", "command": "python3 ${MODEL_DIR}/reader.py"}})
    answer = server.call("POST", "/api/v1/jobs", files={"job": ("m.yml", text), "code": ("code.tar", tar_of("reader.py", reader))})
    assert answer.status_code == 201, answer.text
    job = answer.json()["id"]
    server.wait(job, "succeeded", patience=SLOW)
    for task, says in {"worker-0": "worker 0", "worker-1": "worker 1", "ps-0": "ps 0"}.items():
        log = server.logs(job, task=task)
        assert f"{says} reached ['ps', 'worker', 'worker']" in log, log
        assert log.startswith("/job/model-code /job/model-code "), log


def test_ffdl_every_variable_and_a_bucket(server, store):  # noqa: F811
    """Data from a bucket in DATA_DIR, results to another from RESULT_DIR, in a container."""
    text = manifest(store, name="bucket").replace('"python"', '"py"').replace("python3 train.py", "env; python3 train.py")
    job = submit(server, text)
    server.wait(job, "succeeded", patience=SLOW)
    log = server.logs(job)
    check(variables(log), DATA_DIR="/job/training", RESULT_DIR=f"/job/results/training-{job}", MODEL_DIR="/job/model-code",
          LOG_DIR="/job/logs", JOB_STATE_DIR="/job", LEARNER_ID="1", NUM_LEARNERS="1", TRAINING_ID=f"training-{job}",
          GPU_COUNT=r"0\.000000", CHECKPOINT_DIR="/job/results/_wml_checkpoints", PYTHONPATH=".*/job/model-code",
          DOWNWARD_API_POD_NAMESPACE="default")
    assert "the first image" in log and SECRET not in log, log
    assert list(store.buckets["results"]) == [f"training-{job}/checkpoints/last.pt"]


def test_gpu_manager_hosts_and_working_directory(server):
    """What a task of the GPU manager finds: Volcano's names, its ports, where it was told to start."""
    task = {"image": IMAGE, "command": ["sh", "-c", "pwd; env; cat /etc/volcano/worker.host; until nslookup $VC_WORKER_HOSTS >/dev/null; "
                                        "do sleep 0.2; done; echo found; " + together(2)],
            "workingDir": "/tmp", "resources": {"cpu": "100m", "memory": "64Mi"}}
    job = run(server, json.dumps({"jobname": "Contract_1", "tasks": [
        {**task, "name": "master", "amount": 1, "ports": {"number": 5000, "name": "web"}},
        {**task, "name": "worker", "amount": 1}]}), state="succeeded")
    log = server.logs(job, task="master-0")
    assert log.startswith("/tmp\n") and "\ncontract-1-worker-0.contract-1\n" in log and "found\n" in log, log
    check(variables(log), VC_TASK_INDEX="0", VK_TASK_INDEX="0", VC_MASTER_HOSTS=r"contract-1-master-0\.contract-1",
          VC_MASTER_NUM="1", VC_WORKER_HOSTS=r"contract-1-worker-0\.contract-1", VC_WORKER_NUM="1", HOSTNAME="contract-1-master-0",
          TRAINYARD_PORT_WEB="5000")


def test_volcano_pytorch_plugin_meets_at_master_addr(server):
    """A sum over all ranks through MASTER_ADDR and MASTER_PORT, with sockets in place of torch."""
    program = """
import os, socket, time
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
address = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
if rank == 0:
    server = socket.create_server(("", address[1]))
    others = [server.accept()[0] for _ in range(size - 1)]
    total = 1 + sum(int(other.recv(8)) for other in others)
    for other in others: other.sendall(str(total).encode())
else:
    while True:
        try: mine = socket.create_connection(address, 2); break
        except OSError: time.sleep(0.1)
    mine.settimeout(90)
    mine.sendall(str(rank + 1).encode())
    total = int(mine.recv(8))
print(f"rank {rank} of {size} at {address[0]}:{address[1]} sum {total}", flush=True)
"""

    def task(name, replicas):
        return {"name": name, "replicas": replicas, "template": {"spec": {"restartPolicy": "Never", "containers": [
            {"name": "main", "image": IMAGE, "imagePullPolicy": "Never", "command": ["python3", "-c", program],
             "resources": {"limits": {"cpu": "200m", "memory": "128Mi"}}}]}}}
    job = run(server, json.dumps({
        "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "pt"},
        "spec": {"plugins": {"pytorch": ["--master=master", "--worker=worker", "--port=23456"]},
                 "tasks": [task("worker", 2), task("master", 1)]}}), state="succeeded")
    assert server.logs(job, task="master-0") == "rank 0 of 3 at master-0:23456 sum 6\n"
    assert server.logs(job, task="worker-1") == "rank 2 of 3 at master-0:23456 sum 6\n"


def test_shared_memory_and_debug_rights_of_openpai(server):
    """shmMB is the size of /dev/shm; isDebug lets gdb and strace work."""
    job = run(server, json.dumps({
        "jobName": "shm", "image": IMAGE, "jobEnvs": {"isDebug": True}, "taskRoles": [
            {"name": "main", "memoryMB": 256, "shmMB": 128, "command": "df -k /dev/shm | tail -n 1; sleep 9 & cat /proc/$!/environ | wc -c"}]}),
              state="succeeded")
    assert str(128 * 1024) in server.logs(job)
    assert int(server.logs(job).split()[-1]) > 0  # its own processes, as gdb and strace look at them


def test_openpai_v2_shared_memory_ports_and_plain_variables(server):
    job = run(server, f"""
protocolVersion: 2
name: v2
type: job
prerequisites: [{{type: dockerimage, name: py, uri: "{IMAGE}"}}]
taskRoles:
  main:
    dockerImage: py
    resourcePerInstance: {{cpu: 1, memoryMB: 512, gpu: 0, ports: {{web: 2}}}}
    extraContainerOptions: {{shmMB: 192}}
    commands: ["df -k /dev/shm | tail -n 1", "env"]
""", state="succeeded")
    log = server.logs(job)
    assert str(192 * 1024) in log
    check(variables(log), PAI_CONTAINER_HOST_web_PORT_LIST=r"\d+,\d+", PAI_CONTAINER_HOST_PORT_LIST=r"(\w+:[\d,]+;)+",
          PAI_CURRENT_TASK_ROLE_NAME="main", PAI_TASK_INDEX="0", PAI_main_0_web_PORT=r"\d+,\d+")


# -- the files of the manuals themselves, with images that exist

MANUALS = ROOT / "src/jobspec"
TRAIN = """
import sys, os
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
print(open(words["--trainImagesFile"]).read(), words["--learningRate"], words["--trainingIters"])
open(os.environ["RESULT_DIR"] + "/model", "w").write("weights")
"""


@pytest.mark.parametrize("file", ["seed_upload.yaml", "seed_workspace.yaml"])
def test_the_manifests_of_the_prophecis_manual(server, daemon, file):  # noqa: F811
    """As they are printed there; only the folder of the machine is another."""
    daemon.busybox("wedatasphere/di:tensorflow-1.14.0-gpu-py3", files=FILES)
    root = server.data_dir.parent / "store" / file
    (root / "data").mkdir(parents=True)
    for name in ("train-images", "train-labels", "t10k-images", "t10k-labels"):
        (root / f"data/{name}-idx{3 if 'images' in name else 1}-ubyte.gz").write_text(name)
    (root / "workspace/tf-model").mkdir(parents=True)
    (root / "workspace/tf-model/convolutional_network.py").write_text(TRAIN)
    text = (MANUALS / "ffdl/testdata" / file).read_text()
    assert "/data/bdp/prophecis-data/admin" in text
    (root / "manifest.yml").write_text(text.replace("/data/bdp/prophecis-data/admin", str(root)))
    code = [root / "workspace"] if file == "seed_upload.yaml" else []
    result = server.cli("submit", root / "manifest.yml", *code, "--follow", timeout=SLOW, check=0)
    assert "train-images 0.001 2000\n" in result.stdout, result.stdout + result.stderr
    assert (root / "result/model").read_text() == "weights"


@pytest.mark.parametrize("file", ["manual_template.yaml", "manual_smallest.yaml"])
def test_the_files_of_the_gpu_managers_manual(server, daemon, file):  # noqa: F811
    """They say "xxxx" where people write their own; here that is an image and a program."""
    daemon.busybox("xxxx:latest", files={"bin/xxxx": (b"#!/bin/sh\necho this is xxxx $*\n", 0o755)})
    job = run(server, (MANUALS / "gpu_manager/testdata" / file).read_text(), state="succeeded")
    assert server.logs(job).startswith("this is xxxx"), server.logs(job)


def test_the_template_with_the_tab_names_the_line_and_what_to_type(server):
    result = server.cli("check", MANUALS / "gpu_manager/testdata/manual_tab.yaml", check=2)
    assert "manual_tab.yaml:4:3: a tab indents this line; write 4 blanks, like the line above" in result.stdout + result.stderr


def test_the_hello_world_of_openpais_manual(server, daemon):  # noqa: F811
    """Its image has git and a training program in Python; here both only say what they were asked to do."""
    says = b"#!/bin/sh\necho ${0##*/} $*\n"
    daemon.busybox("openpai/pai.example.tensorflow:latest", files={
        **docker.programs("/bin/bash"), "bin/python": (says, 0o755),
        "bin/git": (says + b"mkdir -p models/research/slim\n", 0o755)})
    job = run(server, (MANUALS / "openpai_v1/testdata/hello.json").read_text(), state="succeeded")
    lines = server.logs(job).splitlines()
    assert [line.split()[:2] for line in lines] == [["git", "clone"], ["python", "download_and_convert_data.py"],
                                                    ["python", "train_image_classifier.py"]], lines
