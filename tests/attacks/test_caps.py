"""Capabilities, root and the machine's own network are the site's to give: asked for at submit, and again at launch."""
import io
import random
import tarfile

import docker
import pytest
from trainyard import Server

NATIVE = "name: caps\ncaps: [{cap}]\nrun: cat /proc/self/status\n"
VOLCANO = """apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: caps}}
spec:
  tasks:
    - name: main
      replicas: 1
      template:
        spec:
          {pod}
          containers:
            - name: main
              image: bb:1
              command: [sh, -c, "cat /proc/self/status"]
              {container}
"""
SYS_ADMIN, NET_ADMIN, SYS_PTRACE = 1 << 21, 1 << 12, 1 << 19


def volcano(pod="", container=""):
    return VOLCANO.format(pod=pod, container=container)


ASKED = {
    "sys_admin": (NATIVE.format(cap="sys_admin"), "caps", "jobs.allowed_caps"),
    "net_admin": (NATIVE.format(cap="net_admin"), "caps", "jobs.allowed_caps"),
    "volcano sys_admin": (volcano(container="securityContext: {capabilities: {add: [SYS_ADMIN]}}"),
                          "securityContext.capabilities.add", "jobs.allowed_caps"),
    "root by number": ("run_as: {uid: 0}\nrun: id\n", "run_as", "jobs.allow_root"),
    "root by name": ("run_as: root\nrun: id\n", "run_as", "jobs.allow_root"),
    "root in disguise": ("run_as: {user: \"00\"}\nrun: id\n", "run_as", "jobs.allow_root"),
    "root's group": ("run_as: {uid: 1000, gid: 0}\nrun: id\n", "run_as", "jobs.allow_root"),
    "volcano root": (volcano(pod="securityContext: {runAsUser: 0}"), "securityContext.runAsUser", "jobs.allow_root"),
    "ffdl root": ("{name: a, namespace: default, learners: 1, cpus: 0.1, memory: 64Mi, code_selector: codeFile, proxy_user: root, "
                  "framework: {name: bb, version: '1', command: id}}", "proxy_user", "jobs.allow_root"),
}
# Where tasks are processes, another user of the machine is somebody.
ASKED_OF_THE_MACHINE = {
    "somebody's number": ("run_as: {uid: 1}\nrun: id\n", "run_as", "jobs.allowed_users"),
    "somebody's name": ("run_as: daemon\nrun: id\n", "run_as", "jobs.allowed_users"),
    "a group": ("run_as: {uid: 1, gid: 4}\nrun: id\n", "run_as", "jobs.allowed_users"),
}


def with_image(text):
    return text if "image:" in text or "framework:" in text else "image: bb:1\n" + text


def code():
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w"):
        pass
    return made.getvalue()


def assert_refused(server, token, text, field, setting):
    for query in ("", "?dry_run=true"):
        body = {"files": {"job": ("m.yml", text), "code": ("code.tar", code())}} if "codeFile" in text else {"data": text}
        answer = server.call("POST", "/api/v1/jobs" + query, token=token, **body)
        assert answer.status_code in (400, 422), f"{answer.status_code} {answer.text}"
        said = answer.json()
        fault = said["details"][0]
        assert field in fault["message"] and setting in fault["message"], said
        assert fault["pointer"].startswith("/"), said
    assert server.get("/api/v1/jobs", token=token)["jobs"] == []


def effective(server, job):
    shown = server.logs(job)
    return int(next(line for line in shown.splitlines() if line.startswith("CapEff")).split()[1], 16)


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("caps") / "data") as server:
        server.mallory = server.create_user("mallory")
        yield server


@pytest.mark.parametrize("what", [*ASKED, *ASKED_OF_THE_MACHINE])
def test_a_process_gets_nothing_the_site_does_not_allow(processes, what):
    assert_refused(processes, processes.mallory, *{**ASKED, **ASKED_OF_THE_MACHINE}[what])


def test_the_administrator_is_held_to_it_too(processes):
    answer = processes.call("POST", "/api/v1/jobs", data=NATIVE.format(cap="sys_admin"))
    assert answer.status_code in (400, 422), answer.text


def test_what_is_allowed_by_default_is_given(processes):
    job = processes.submit(NATIVE.format(cap="ptrace"), token=processes.mallory)
    processes.wait(job, "succeeded")
    assert effective(processes, job) & (SYS_ADMIN | NET_ADMIN) == 0


def test_a_job_older_than_the_setting_is_refused_at_launch(make_server):
    """Stored while the site allowed it, started when it no longer does."""
    server = make_server(TRAINYARD_JOBS__ALLOWED_CAPS="ptrace,sys_admin", TRAINYARD_JOBS__ALLOW_ROOT="true")
    server.start()
    mallory = server.create_user("mallory")
    first = server.submit("cpus: 64\nmemory: 10MB\nrun: sleep 1000", token=mallory)
    server.wait(first, "running")
    waiting = [server.submit(text + "cpus: 64\nmemory: 10MB\n", token=mallory)
               for text in (NATIVE.format(cap="sys_admin"), "name: root\nrun_as: {uid: 0}\nrun: id\n")]
    server.kill()
    server.settings |= {"TRAINYARD_JOBS__ALLOWED_CAPS": "none", "TRAINYARD_JOBS__ALLOW_ROOT": "false"}
    server.start()
    server.stop_job(first)
    for job, setting in zip(waiting, ("jobs.allowed_caps", "jobs.allow_root")):
        ended = server.wait(job, "failed")
        assert ended["reason_code"] == "bad_spec" and setting in ended["decision"]["message"], ended
        assert server.logs(job) == ""


def test_a_clone_asks_again(make_server):
    server = make_server(TRAINYARD_JOBS__ALLOWED_CAPS="net_admin")
    server.start()
    job = server.submit(NATIVE.format(cap="net_admin"))
    server.wait(job)
    server.kill()
    server.settings["TRAINYARD_JOBS__ALLOWED_CAPS"] = "none"
    server.start()
    for verb in ("clone", "retry"):
        answer = server.call("POST", f"/api/v1/jobs/{job}/{verb}", **({"json": {}} if verb == "clone" else {}))
        assert answer.status_code in (400, 422), answer.text


# -- Docker

@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    started = docker.Daemon(tmp_path_factory.mktemp("dockerd"))
    started.busybox("bb:1")
    yield started
    started.destroy()


@pytest.fixture(scope="module")
def containers(daemon, tmp_path_factory):
    with Server(tmp_path_factory.mktemp("caps-docker") / "data", TRAINYARD_RUNTIME="docker",
                TRAINYARD_DOCKER__SOCKET=daemon.socket,
                TRAINYARD_DOCKER__SUBNETS=f"10.{random.randrange(64, 250)}.0.0/16") as server:
        server.mallory = server.create_user("mallory")
        yield server


HOST_NETWORK = {"host network": ("network: host\nrun: id\n", "network", "docker.host_network"),
                "volcano host network": (volcano(pod="hostNetwork: true"), "hostNetwork", "docker.host_network")}


@pytest.mark.parametrize("what", [*ASKED, *HOST_NETWORK])
def test_a_container_gets_nothing_the_site_does_not_allow(containers, what):
    text, field, setting = {**ASKED, **HOST_NETWORK}[what]
    assert_refused(containers, containers.mallory, with_image(text), field, setting)


def test_an_ordinary_image_runs_as_its_own_user_without_a_way_to_more(containers):
    job = containers.submit("image: bb:1\nrun: id -u && cat /proc/self/status", token=containers.mallory)
    containers.wait(job, "succeeded")
    shown = containers.logs(job)
    assert shown.startswith("0\n") and "NoNewPrivs:\t1" in shown
    never = SYS_ADMIN | NET_ADMIN | SYS_PTRACE | (1 << 16) | (1 << 17) | (1 << 27)   # modules, raw I/O, devices
    assert effective(containers, job) & never == 0
