"""The keys of Volcano's ssh plugin: the tasks of a job reach each other by ssh, and nobody else does."""
import json

import docker
import pytest
from test_docker import SLOW, daemon, server  # noqa: F401  (fixtures: a dockerd and a server that uses it)
from trainyard import Server

USERS = (b"root:x:0:0:root:/root:/bin/sh\nann:x:1234:5678:Ann:/home/ann:/bin/sh\n"
         b"sshd:x:101:65534::/run/sshd:/bin/false\n")


@pytest.fixture(scope="module")
def image(daemon):  # noqa: F811
    """What an image for MPI has: a server for ssh and its command."""
    files = docker.programs("/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen")
    return daemon.busybox("with-ssh:1", files={**files, "etc/passwd": USERS, "etc/ssh/sshd_config": b"", "run/sshd/.keep": b"",
                                               "root/.keep": b""})


def volcano(name, image, plugins, **scripts):
    tasks = [{"name": task, "replicas": replicas,
              "policies": [{"event": "TaskCompleted", "action": "CompleteJob"}] if task == "master" else [],
              "template": {"spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "containers": [
                  {"name": "main", "image": image, "imagePullPolicy": "IfNotPresent", "command": ["sh", "-c", script],
                   "resources": {"limits": {"cpu": "200m", "memory": "64Mi"}}}]}}}
             for task, (replicas, script) in scripts.items()]
    return json.dumps({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": name},
                       "spec": {"plugins": plugins, "tasks": tasks}})


SERVE = """
ssh-keygen -q -t ed25519 -N '' -f /tmp/host
exec /usr/sbin/sshd -D -e -h /tmp/host %s
"""


def test_the_launcher_reaches_every_worker_by_name(server, image):  # noqa: F811
    job = server.submit(volcano("lm-mpi", image, {"mpi": ["--master=master", "--worker=worker"]}, master=(1, """
ls -l /root/.ssh | while read mode links owner group rest; do echo $mode $owner ${rest##* }; done
stat -c '%a' /root/.ssh
IFS=,
for host in $MPI_HOST lm-mpi-worker-1 lm-mpi-worker-0.lm-mpi; do
  until ssh $host 'echo $(hostname) heard $SSH_CONNECTION'; do sleep 0.5; done
done
"""), worker=(2, SERVE % "")))
    server.wait(job, "succeeded", patience=SLOW)
    log = server.logs(job, task="master-0")
    for name in ("authorized_keys", "config", "id_rsa", "id_rsa.pub"):
        assert f"-rw------- root {name}\n" in log, log
    assert "\n700\n" in log
    heard = [line.split()[0] for line in log.splitlines() if " heard " in line]
    assert heard == ["lm-mpi-worker-0", "lm-mpi-worker-1", "lm-mpi-worker-1", "lm-mpi-worker-0"], log
    assert "PRIVATE KEY" not in server.call("GET", f"/api/v1/jobs/{job}").text
    assert "PRIVATE KEY" not in server.call("GET", f"/api/v1/jobs/{job}/tasks").text


def test_another_port_another_folder_and_another_job_stays_out(server, image):  # noqa: F811
    """The keys of one job open nothing in another."""
    keys = {"ssh": ["--ssh-key-file-path=/home/ann/.ssh", "--ssh-port=2222"], "svc": []}
    job = server.submit(volcano("other-port", image, keys, master=(1, """
until ssh -F /home/ann/.ssh/config other-port-worker-0 'echo reached $(hostname)'; do sleep 0.5; done
ssh-keygen -q -t ed25519 -N '' -f /tmp/another
ssh -F /dev/null -p 2222 -i /tmp/another -o BatchMode=yes -o StrictHostKeyChecking=no worker-0 true || echo stays out
test -e /root/.ssh/id_rsa || echo no key in /root/.ssh
"""), worker=(1, SERVE % "-p 2222 -o AuthorizedKeysFile=/home/ann/.ssh/authorized_keys -o StrictModes=no")))
    server.wait(job, "succeeded", patience=SLOW)
    log = server.logs(job, task="master-0")
    assert "reached other-port-worker-0\n" in log, log
    assert "stays out\nno key in /root/.ssh\n" in log, log


def test_as_processes_the_keys_are_in_the_home_folder(tmp_path):
    with Server(tmp_path / "data") as running:
        script = ("stat -c '%a %n' .ssh .ssh/*; ssh-keygen -y -f .ssh/id_rsa | cut -d' ' -f1,2; "
                  "cut -d' ' -f1,2 .ssh/authorized_keys; grep -c HostName .ssh/config; grep -A1 Host.$HOSTNAME .ssh/config")
        job = running.submit(json.dumps({"name": "keys", "ssh": True, "count": 2, "memory": "64MB", "cpus": 0.1,
                                         "run": f"cd; {script}; grep Port .ssh/config; echo $PAI_CONTAINER_SSH_PORT"}))
        running.wait(job, "succeeded")
        lines = running.logs(job, task="main-1").splitlines()
        assert lines[:5] == ["700 .ssh", "600 .ssh/authorized_keys", "600 .ssh/config", "600 .ssh/id_rsa", "600 .ssh/id_rsa.pub"]
        assert lines[5] == lines[6] and lines[5].startswith("ssh-ed25519 "), lines
        assert lines[7] == "2" and f"Port {lines[-1]}" in lines[-2], lines
        key = lines[5]
        other = running.submit(json.dumps({"name": "other", "ssh": True, "memory": "64MB", "cpus": 0.1,
                                           "run": "cat ~/.ssh/id_rsa.pub"}))
        running.wait(other, "succeeded")
        assert key not in running.logs(other)
