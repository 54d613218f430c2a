"""Each platform's own way for the tasks of a job to find each other, as its users' programs do it."""
import io
import json
import tarfile

PYTORCH = """
import datetime, os, torch
import torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=120))   # MASTER_ADDR, MASTER_PORT, RANK, WORLD_SIZE
mine = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(mine)
print("sum", mine.item(), "of", dist.get_world_size(), flush=True)
dist.barrier()
"""

# The reader of the Prophecis manual, with sockets in place of TensorFlow's own server.
TF_CONFIG = """
import json, os, socket, time
tf_config = json.loads(os.environ.get("TF_CONFIG", "{}"))
task, cluster = tf_config.get("task", {}), tf_config.get("cluster", {})
job_name, task_id = task["type"], task["index"]
def address(at):
    host, port = at.rsplit(":", 1)
    return host, int(port)
mine = socket.create_server(address(cluster[job_name][task_id]))
seen = []
peers = [(name, at) for name, all in cluster.items() for at in all]
for name, at in peers:
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(address(at), 1).close()
            break
        except OSError:
            assert time.monotonic() < deadline, at
            time.sleep(0.05)
    seen.append(name)
print(job_name, task_id, "reached", sorted(seen), flush=True)
# Worker 0 decides for the job, so it waits until the others have said that they are done too.
if (job_name, task_id) == ("worker", 0):
    told = 0
    while told < len(peers) - 1:
        told += mine.accept()[0].recv(4) == b"done"
else:
    socket.create_connection(address(cluster["worker"][0])).sendall(b"done")
    time.sleep(600)
"""

# Steps 1 to 4 of the Pumpkin manual.
PUMPKIN = """
import os
role = os.environ["TASKROLE_NAME"]
hosts = os.environ[f"VC_{role.upper()}_HOSTS"].split(",")
index = int(os.environ["VC_TASK_INDEX"])
print(role, "is", index, "of", len(hosts), "at", hosts[index])
"""

SVC_PLUGIN = """
import os, pathlib
folder = pathlib.Path(os.environ["TRAINYARD_PEERS_FILE"]).parent / "volcano"
print(sorted(path.name for path in folder.iterdir()), (folder / "worker.host").read_text().split())
print(os.environ["VC_MASTER_HOSTS"], os.environ["VC_WORKER_NUM"], os.environ["VK_TASK_INDEX"])
"""


def test_pytorch_sums_over_the_tasks_of_a_native_job(server):
    job = server.submit(json.dumps({"name": "ddp", "count": 2, "cpus": 0.5, "memory": "1GB",
                                    "run": ["/usr/bin/python3", "-c", PYTORCH]}))
    server.wait(job, "succeeded", patience=180)
    for task in ("main-0", "main-1"):  # gloo itself says a word about its logging first
        assert server.logs(job, task=task).endswith("sum 3.0 of 2\n"), server.logs(job, task=task)


def test_pytorch_sums_over_master_and_workers_of_a_volcano_job(server):
    def task(name, replicas):
        return {"name": name, "replicas": replicas, "template": {"spec": {"restartPolicy": "Never", "containers": [
            {"name": "main", "image": "pytorch", "command": ["/usr/bin/python3", "-c", PYTORCH],
             "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}}}]}}}
    job = server.submit(json.dumps({
        "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "pt"},
        "spec": {"plugins": {"pytorch": ["--master=hand", "--worker=finger"]},
                 "tasks": [task("finger", 2), task("hand", 1)]}}))
    server.wait(job, "succeeded", patience=180)
    for task in ("hand-0", "finger-1"):
        assert server.logs(job, task=task).endswith("sum 6.0 of 3\n"), server.logs(job, task=task)


def test_prophecis_tf_config(server):
    text = json.dumps({"name": "tf", "namespace": "default", "job_type": "dist-tf", "learners": 2, "cpus": 0.2,
                       "memory": "128MiB", "pss": "1", "ps_cpu": "0.2", "ps_memory": "128Mi", "code_selector": "codeFile",
                       "framework": {"name": "x", "version": "1", "command": "python3 reader.py"}})
    archive = tar_of("reader.py", TF_CONFIG)
    answer = server.call("POST", "/api/v1/jobs", files={"job": ("m.yml", text), "code": ("code.tar", archive)})
    assert answer.status_code == 201, answer.text
    job = answer.json()["id"]
    server.wait(job, "succeeded", patience=120)
    for task, says in {"worker-0": "worker 0", "worker-1": "worker 1", "ps-0": "ps 0"}.items():
        assert f"{says} reached ['ps', 'worker', 'worker']" in server.logs(job, task=task), server.logs(job, task=task)


def test_pumpkin_steps_1_to_4(server):
    def config(name, replicas):
        return {"name": name, "command": "python3 -c \"$STEPS\"", "resourceSpecId": "any", "taskNumber": replicas,
                "minSucceededTaskCount": replicas, "minFailedTaskCount": 1, "envs": {"STEPS": PUMPKIN}}
    job = server.submit(json.dumps({"name": "步骤", "imageUrl": "x", "isDistributed": True,
                                    "config": [config("a", 1), config("b", 2)]}))
    server.wait(job, "succeeded")
    assert server.logs(job, task="a-0") == "task0 is 0 of 1 at 127.0.0.1\n"
    assert server.logs(job, task="b-1") == "task1 is 1 of 2 at 127.0.0.1\n"


def test_volcano_env_and_svc_plugins(server):
    def task(name, replicas):
        return {"name": name, "replicas": replicas, "template": {"spec": {"restartPolicy": "Never", "containers": [
            {"name": "main", "image": "x", "command": ["/usr/bin/python3", "-c", SVC_PLUGIN],
             "resources": {"limits": {"cpu": "100m", "memory": "128Mi"}}}]}}}
    job = server.submit(json.dumps({
        "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "svc"},
        "spec": {"plugins": {"env": [], "svc": []}, "tasks": [task("master", 1), task("worker", 2)]}}))
    server.wait(job, "succeeded")
    assert server.logs(job, task="worker-1") == (
        "['master.host', 'worker.host'] ['127.0.0.1', '127.0.0.1']\n127.0.0.1 2 1\n")


def test_mpi_host_file_and_hosts_of_the_launcher(server):
    def task(name, replicas, script):
        return {"name": name, "replicas": replicas, "policies": [{"event": "TaskCompleted", "action": "CompleteJob"}],
                "template": {"spec": {"restartPolicy": "Never", "containers": [
                    {"name": "main", "image": "x", "command": ["sh", "-c", script],
                     "resources": {"limits": {"cpu": "100m", "memory": "64Mi"}}}]}}}
    job = server.submit(json.dumps({
        "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "mpi"},
        "spec": {"plugins": {"mpi": ["--master=mpimaster", "--worker=mpiworker"]},
                 "tasks": [task("mpiworker", 2, "sleep 600"),
                           task("mpimaster", 1, "echo $MPI_HOST; cat $TRAINYARD_HOSTFILE")]}}))
    server.wait(job, "succeeded")
    assert server.logs(job, task="mpimaster-0") == "127.0.0.1,127.0.0.1\n" + "127.0.0.1 slots=1\n" * 3


def tar_of(name, text):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(text.encode())
        archive.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()
