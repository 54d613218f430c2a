"""Jobs in real containers: a dockerd of our own, images made on the spot, the whole way from a job file to a log."""
import random
import socket
import socketserver
import threading

import docker
import pytest
from trainyard import PATIENCE, Server, eventually

SLOW = max(PATIENCE, 120)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    started = docker.Daemon(tmp_path_factory.mktemp("dockerd"))
    started.busybox("bb:1")
    yield started
    started.destroy()


def settings(daemon, **extra):
    # A range of addresses of one's own: other daemons of this machine do not know of ours.
    return {"TRAINYARD_RUNTIME": "docker", "TRAINYARD_DOCKER__SOCKET": daemon.socket,
            "TRAINYARD_DOCKER__SUBNETS": f"10.{random.randrange(64, 250)}.0.0/16", **extra}


@pytest.fixture(scope="module")
def server(daemon, tmp_path_factory):
    with Server(tmp_path_factory.mktemp("server") / "data", **settings(daemon)) as running:
        yield running


@pytest.fixture
def make_server(daemon, tmp_path):
    made = []

    def make(name="data", **extra):
        made.append(Server(tmp_path / name, **settings(daemon, **extra)))
        return made[-1].start()

    yield make
    for each in made:
        each.destroy()


def run(server, text, **expected):
    job = server.submit(text)
    ended = server.wait(job, patience=SLOW)
    for key, value in expected.items():
        assert ended[key] == value, (ended["decision"], server.logs(job)[-3000:])
    return job


def only_task(server, job):
    return next(iter(server.tasks(job).values()))


def containers_of(daemon, job):
    return [one for one in daemon.containers() if one["Labels"].get("trainyard.task", "").startswith(job)]


def test_a_job_runs_in_its_image_and_leaves_nothing_behind(server, daemon):
    job = run(server, "name: hello\nimage: bb:1\nrun: |\n  echo hello from $(hostname)\n  echo $TRAINYARD_RUNTIME in $PWD\n"
                      "  test ! -e /usr/bin/python3 && echo not this machine\n", state="succeeded")
    assert server.logs(job) == "hello from main-0\ndocker in /\nnot this machine\n"
    eventually(lambda: not containers_of(daemon, job), "the container is removed")
    eventually(lambda: not list((server.data_dir / "runs").glob(f"*/{job}")), "so is its folder")


def test_words_of_the_image_are_used_where_the_job_has_none(server, daemon):
    daemon.busybox("worded:1", CMD='["echo", "as the image says"]', ENV="COLOUR=blue", WORKDIR="/home/ann", USER="ann")
    assert server.logs(run(server, "trainyard: 1\nimage: worded:1", state="succeeded")) == "as the image says\n"
    job = run(server, "image: worded:1\nrun: echo $COLOUR; pwd; whoami; id -g; echo $HOME", state="succeeded")
    assert server.logs(job) == "blue\n/home/ann\nann\n5678\n/home/ann\n"
    daemon.busybox("entry:1", ENTRYPOINT='["echo", "entry"]')
    assert server.logs(run(server, "trainyard: 1\nimage: entry:1\nargs: [one, two]", state="succeeded")) == "entry one two\n"


def test_limits_and_rights_are_those_that_were_asked_for(server):
    job = run(server, """
image: bb:1
cpus: 1.5
memory: 64MB
shm: 16MB
run: |
  cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max
  cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us 2>/dev/null || grep -o '^[0-9]*' /sys/fs/cgroup/cpu.max
  df -k /dev/shm | grep -o ' 16384 ' | head -n 1
  grep -E 'NoNewPrivs|CapEff|Seccomp:' /proc/self/status | tr -d '\\t '
  ls -ld /.trainyard/run.launch; touch /.trainyard/new 2>&1 | grep -o 'Read-only'
""", state="succeeded")
    lines = server.logs(job).splitlines()
    assert lines[0] == str(64 << 20) and lines[1] == "150000", lines
    assert "16384" in lines[2], lines
    status = dict(line.split(":") for line in lines if line.startswith(("NoNew", "Cap", "Seccomp")))
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", status
    forbidden = {"SYS_ADMIN": 21, "SYS_PTRACE": 19, "NET_RAW": 13, "NET_ADMIN": 12, "SYS_MODULE": 16, "MKNOD": 27}
    assert not any(int(status["CapEff"], 16) >> bit & 1 for bit in forbidden.values()), status
    assert lines[-1] == "Read-only", lines


def test_a_debug_job_may_trace_and_a_user_may_be_named(server):
    # Its own processes, which needs no capability; SYS_PTRACE would open the supervisor to it.
    job = run(server, "image: bb:1\ncaps: [ptrace]\nrun: grep CapEff /proc/self/status; sleep 9 & cat /proc/$!/environ | wc -c",
              state="succeeded")
    words = server.logs(job).split()
    assert not int(words[1], 16) >> 19 & 1 and int(words[2]) > 0
    job = run(server, "image: bb:1\nrun_as: ann\nrun: id -u; id -g; echo $HOME; touch /etc/x 2>/dev/null || echo refused",
              state="succeeded")
    assert server.logs(job) == "1234\n5678\n/home/ann\nrefused\n"


def test_code_comes_along_and_output_stays(server, tmp_path):
    (tmp_path / "main.sh").write_text("echo from the code folder: $(cat data.txt)\necho result > $TRAINYARD_OUTPUT_DIR/r.txt\n")
    (tmp_path / "data.txt").write_text("data")
    (tmp_path / "job.yaml").write_text("name: folders\nimage: bb:1\ncode: .\nrun: sh main.sh; pwd\n")
    server.cli("submit", str(tmp_path / "job.yaml"), "--follow", check=0, timeout=SLOW)
    job = server.call("GET", "/api/v1/jobs?name=folders").json()["jobs"][0]["id"]
    assert server.logs(job) == "from the code folder: data\n/code\n"
    assert (server.output(job) / "r.txt").read_text() == "result\n"


def test_five_containers_find_each_other_and_the_one_out_of_memory_is_named(server, daemon):
    """A two-role job starts whole; one worker runs out of memory and is named, and the job's rule, any failure, decides."""
    job = server.submit("""
name: five
roles:
  server:
    image: bb:1
    run: |
      echo serving on $TRAINYARD_HOST
      while true; do nc -l -p 9000 < /dev/null; done
    memory: 64MB
  worker:
    count: 4
    image: bb:1
    memory: 32MB
    main: true
    run: |
      until nc -w 5 server-0 9000 < /dev/null; do sleep 0.2; done
      echo "$TRAINYARD_HOST reached server-0, knows $(nslookup worker-0 2>/dev/null | grep -c Address) addresses"
      if [ "$TRAINYARD_INDEX" = 2 ]; then head -c 200000000 /dev/zero | tail; fi
      sleep 1
""")
    ended = server.wait(job, patience=SLOW)
    tasks = server.tasks(job)
    assert len(tasks) == 5
    broken = tasks["worker-2"]
    assert broken["reason"] == "oom", broken
    assert "limit 32" in broken["message"] and "peak" in broken["message"], broken
    assert ended["state"] == "failed" and "worker-2" in str(ended["decision"]), ended
    assert "reached server-0" in server.logs(job, task="worker-0") or tasks["worker-0"]["state"] == "stopped"
    assert "reached server-0" in server.logs(job, task="worker-2")
    eventually(lambda: not containers_of(daemon, job), "all containers are removed")


def test_jobs_are_kept_apart(server):
    """The names of one job mean nothing in another."""
    first = server.submit("name: one\nimage: bb:1\nrun: nc -l -p 7000")
    server.wait(first, {"running"}, patience=SLOW)
    second = run(server, "name: two\nimage: bb:1\nroles: {other: {run: 'nc -w 2 main-0 7000 < /dev/null || echo unreachable'}}",
                 state="succeeded")
    assert "unreachable" in server.logs(second)
    server.stop_job(first)
    server.wait(first, patience=SLOW)


def test_a_stop_is_a_signal_first_and_then_the_end(server, daemon):
    kind = server.submit("image: bb:1\nrun: |\n  trap 'echo saving; exit 0' TERM\n  echo up\n  while true; do sleep 0.1; done")
    rude = server.submit("image: bb:1\nstop_grace: 1s\nrun: |\n  trap '' TERM\n  echo up\n  while true; do sleep 0.1; done")
    for job in (kind, rude):
        eventually(lambda: "up" in server.logs(job), "it runs", patience=SLOW)
        server.stop_job(job)
    for job in (kind, rude):
        assert server.wait(job, patience=SLOW)["state"] == "cancelled"
        eventually(lambda: not containers_of(daemon, job), "its container is gone")
    assert server.logs(kind).startswith("up\n") and server.logs(kind).endswith("saving\n")


def test_a_time_limit_holds(server):
    job = run(server, "image: bb:1\ntime_limit: 1s\nstop_grace: 1s\nrun: sleep 600", state="failed")
    assert only_task(server, job)["reason"] == "time_limit" or "limit" in server.job(job)["decision"]["message"]


@pytest.mark.parametrize("what, text, reason, said", [
    ("an image that is not here and must not be pulled", "image: {name: nowhere:1, pull: never}\nrun: 'true'", "image_missing",
     "does not allow pulling it"),
    ("a command that is not there", "image: bb:1\nrun: [nosuch, 1]", "command_not_found", 'there is no program "nosuch"'),
    ("a user that is not there", "image: bb:1\nrun_as: nobodyhere\nrun: 'true'", "bad_spec", "no user called nobodyhere"),
])
def test_what_cannot_run_says_why(server, daemon, what, text, reason, said):
    job = run(server, text, state="failed")
    task = only_task(server, job)
    assert task["reason"] == reason and said in task["message"], task
    eventually(lambda: not containers_of(daemon, job), "nothing is left")


def test_less_memory_than_docker_takes_is_told_in_its_words(server, daemon):
    job = run(server, "image: bb:1\nmemory: 4MB\nshm: 1MB\nrun: 'true'", state="failed")
    task = only_task(server, job)
    assert task["reason"] == "bad_spec" and "Minimum memory limit" in task["message"], task
    eventually(lambda: not containers_of(daemon, job), "nothing is left")


def test_an_image_without_a_shell_says_so(server, daemon):
    daemon.make_image("bare:1", docker.rootfs(applets=()))
    task = only_task(server, run(server, "image: bare:1\nrun: echo hello", state="failed"))
    assert task["reason"] == "command_not_found" and "neither bash nor /bin/sh" in task["message"], task


def test_an_image_for_another_machine_is_refused(server, daemon):
    daemon.load_image("foreign:1", docker.rootfs(), architecture="arm64")
    task = only_task(server, run(server, "image: foreign:1\nrun: echo hello", state="failed"))
    assert task["reason"] == "image_missing" and "arm64" in task["message"], task


def test_a_job_without_an_image_is_refused_at_once(server):
    answer = server.call("POST", "/api/v1/jobs", data="run: echo hello")
    assert answer.status_code == 422 or answer.status_code == 400, answer.text
    assert "has no image" in answer.text


def test_more_memory_than_there_is_is_refused_at_once(server):
    answer = server.call("POST", "/api/v1/jobs", data="image: bb:1\nmemory: 900TB\nrun: echo hello")
    assert answer.status_code in (400, 409, 422), answer.text
    assert "900 TB" in answer.text or "memory" in answer.text, answer.text


def test_the_machines_network_is_only_for_those_who_are_allowed(server, make_server):
    text = "image: bb:1\nnetwork: host\nrun: wget -q -O - {}/healthz"
    refused = server.call("POST", "/api/v1/jobs", data=text.format(server.url))
    assert refused.status_code in (400, 422) and "docker.host_network" in refused.text, refused.text
    allowed = make_server(TRAINYARD_DOCKER__HOST_NETWORK="true")
    job = run(allowed, text.format(allowed.url), state="succeeded")
    assert allowed.logs(job).strip(), "it reaches what listens on this machine's own loopback"
    assert only_task(allowed, job)["state"] == "succeeded"


def test_a_port_that_is_taken_is_named(make_server, daemon):
    server = make_server(TRAINYARD_DOCKER__HOST_NETWORK="true")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        job = server.submit(f"image: bb:1\nnetwork: host\nports: {{http: {port}}}\nrun: nc -l -p {port}")
        tries = eventually(lambda: [one for one in server.get(f"/api/v1/jobs/{job}/tasks")["tries"]
                                    if one["reason"] == "port_conflict"], "the task says so", patience=SLOW)
        assert f"port {port} is in use" in tries[0]["message"] and "another port" in tries[0]["message"], tries
        server.stop_job(job)
        server.wait(job, patience=SLOW)
    assert not containers_of(daemon, job)
    free = server.submit(f"image: bb:1\nnetwork: host\nports: {{http: {port}}}\nrun: echo $TRAINYARD_PORT_HTTP")
    assert server.wait(free, patience=SLOW)["state"] == "succeeded"


def test_what_a_container_uses_is_seen_and_kept(server, daemon):
    """CPU, memory, processes, network from the machine's own counters, while it runs and after its end."""
    job = server.submit("""
image: bb:1
memory: 128MB
cpus: 1
run: |
  dd if=/dev/zero of=/dev/shm/held bs=1M count=40 2>/dev/null
  i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done
  echo ready
  while [ ! -e /output/enough ]; do sleep 0.2; done
""")

    def latest():
        [task] = server.get(f"/api/v1/jobs/{job}/metrics")["tasks"] or [{"latest": None}]
        return task["latest"]

    seen = eventually(lambda: (now := latest()) and now["memory"] and now["memory"] > 40 << 20 and now["cpus"] is not None and now,
                      "its use is seen", patience=SLOW)
    assert 0 < seen["cpu_seconds"] < 600 and 0 <= seen["cpus"] < 2, seen
    assert seen["memory"] <= seen["memory_peak"] <= 128 << 20, seen
    assert 1 <= seen["processes"] < 50 and seen["network_received"] is not None, seen
    [container] = containers_of(daemon, job)
    _, theirs = daemon("GET", f"/containers/{container['Id']}/stats?stream=false&one-shot=true")
    assert abs(theirs["memory_stats"]["usage"] - seen["memory"]) < 20 << 20, "Docker sees the same"
    server.restart()
    (server.output(job) / "enough").touch()
    assert server.wait(job, patience=SLOW)["state"] == "succeeded"
    [task] = server.get(f"/api/v1/jobs/{job}/metrics?task=main-0&points=100")["tasks"]
    assert task["memory"] == 128 << 20 and task["cpus"] == 1
    assert task["points"] and max(point["memory"] for point in task["points"]) > 40 << 20, task
    assert "main-0" in server.cli("metrics", job, check=0).stdout
    unknown = server.call("GET", f"/api/v1/jobs/{job}/metrics?task=other-9")
    assert unknown.status_code == 404 and "main-0" in unknown.text


def test_the_node_says_how_tasks_run(server):
    [node] = server.get("/api/v1/nodes")["nodes"]
    assert (node["runtime"], node["images"], node["warnings"]) == ("docker", True, [])
    assert "docker" in server.cli("nodes", check=0).stdout


def test_a_container_killed_by_somebody_else_is_lost_not_failed(server, daemon):
    job = server.submit("image: bb:1\nrun: echo up; sleep 600")
    eventually(lambda: "up" in server.logs(job) and server.job(job)["state"] == "running", "it runs", patience=SLOW)
    [container] = containers_of(daemon, job)
    daemon("POST", f"/containers/{container['Id']}/kill?signal=KILL")
    ended = eventually(lambda: [t for t in server.get(f"/api/v1/jobs/{job}/tasks")["tries"] if t["reason"] == "node_lost"],
                       "it is lost", patience=SLOW)
    assert ended[0]["message"].startswith("its container was killed, but not by Trainyard (exit code 137)"), ended
    server.stop_job(job)
    server.wait(job, patience=SLOW)


def test_docker_away_for_a_while_disturbs_no_task_and_starts_none(server, daemon):
    job = server.submit("image: bb:1\nrun: |\n  for i in $(seq 1 400); do echo line $i; sleep 0.05; done")
    eventually(lambda: "line 5\n" in server.logs(job), "it runs", patience=SLOW)
    daemon.stop()
    eventually(lambda: not server.call("GET", "/api/v1/nodes").json()["nodes"][0]["healthy"], "the node says so")
    assert "does not answer" in server.call("GET", "/api/v1/nodes").json()["nodes"][0]["problem"]
    waiting = server.submit("image: bb:1\nrun: echo started after all")
    before = server.logs(job).count("\n")
    eventually(lambda: server.logs(job).count("\n") > before + 3, "the task goes on without Docker")
    assert server.job(waiting)["state"] == "queued"
    daemon.start()
    assert server.wait(waiting, patience=SLOW)["state"] == "succeeded"
    assert server.wait(job, patience=SLOW)["state"] == "succeeded"
    assert server.logs(job) == "".join(f"line {i}\n" for i in range(1, 401))


def test_twenty_containers_survive_docker_and_the_server(make_server, daemon):
    """Docker restarted and the server killed under twenty running containers: no byte lost, none started twice."""
    server = make_server(TRAINYARD_NODE__MEMORY="64GB")
    job = server.submit("""
name: twenty
image: bb:1
count: 20
memory: 16MB
cpus: 0.1
run: |
  echo began
  i=0
  while [ ! -e /output/enough ]; do echo $TRAINYARD_INDEX line $i; i=$((i+1)); sleep 0.2; done
  echo ended after $i
""")
    server.wait(job, {"running"}, patience=240)
    server.kill()
    daemon.restart()
    server.start()
    eventually(lambda: server.job(job)["state"] == "running", "all are taken back", patience=SLOW)
    daemon.restart()
    server.restart()
    eventually(lambda: server.job(job)["state"] == "running", "all are taken back again", patience=SLOW)
    (server.output(job) / "enough").touch()
    assert server.wait(job, patience=240)["state"] == "succeeded"
    for index in range(20):
        lines = server.logs(job, task=f"main-{index}").splitlines()
        count = int(lines[-1].removeprefix("ended after "))
        assert lines == ["began", *[f"{index} line {i}" for i in range(count)], f"ended after {count}"], index
        assert server.tasks(job)[f"main-{index}"]["tries"] == 0
    eventually(lambda: not containers_of(daemon, job), "all are removed", patience=SLOW)


def test_leftovers_of_a_dead_server_are_swept(make_server, daemon):
    server = make_server()
    job = server.submit("image: bb:1\nrun: echo up; sleep 600")
    eventually(lambda: "up" in server.logs(job) and server.job(job)["state"] == "running", "it runs", patience=SLOW)
    [container] = containers_of(daemon, job)
    server.kill()
    # What nobody knows of: the same owner, a task that the database has never heard of.
    labels = {**container["Labels"], "trainyard.task": "z" + job[1:] + ".0.0.0.0"}
    status, made = daemon("POST", "/containers/create?name=stray",
                          {"Image": "bb:1", "Cmd": ["sleep", "600"], "Labels": labels, "HostConfig": {"NetworkMode": "none"}})
    assert status == 201, made
    server.start()
    eventually(lambda: server.job(job)["state"] == "running", "it is taken back", patience=SLOW)
    eventually(lambda: not [one for one in daemon.containers() if one["Names"] == ["/stray"]], "the stray is swept", patience=SLOW)
    server.stop_job(job)
    server.wait(job, patience=SLOW)
    assert server.stop() == 0
    eventually(lambda: not [name for name in daemon.networks() if container["Labels"]["trainyard.owner"] in name],
               "its networks are gone", patience=SLOW)


class RefusesOnce(socketserver.ThreadingUnixStreamServer):
    """Docker's socket, but the first removal of a container is answered with an error, as a busy daemon does."""
    daemon_threads = True

    def __init__(self, path, real):
        self.real, self.has_refused = real, threading.Event()
        super().__init__(str(path), RefusesOnce.Between)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Between(socketserver.BaseRequestHandler):
        def handle(self):
            with socket.socket(socket.AF_UNIX) as daemon:
                daemon.connect(str(self.server.real))
                threading.Thread(target=self.answers, args=(daemon,), daemon=True).start()
                while request := self.request.recv(65536):
                    if request.startswith(b"DELETE /") and not self.server.has_refused.is_set():
                        self.server.has_refused.set()
                        self.request.sendall(b'HTTP/1.1 500 Busy\r\nContent-Length: 18\r\n\r\n{"message":"busy"}')
                    else:
                        daemon.sendall(request)

        def answers(self, daemon):
            try:
                while answer := daemon.recv(65536):
                    self.request.sendall(answer)
            except OSError:
                pass  # one of the two has hung up


def test_a_leftover_that_could_not_be_removed_at_once_is_removed_later(make_server, daemon, tmp_path):
    server = make_server()
    job = server.submit("image: bb:1\nrun: echo up; sleep 600")
    eventually(lambda: "up" in server.logs(job), "it runs", patience=SLOW)
    [container] = containers_of(daemon, job)
    server.kill()
    labels = {**container["Labels"], "trainyard.task": "z" + job[1:] + ".0.0.0.0"}
    status, made = daemon("POST", "/containers/create?name=refused",
                          {"Image": "bb:1", "Cmd": ["sleep", "600"], "Labels": labels, "HostConfig": {"NetworkMode": "none"}})
    assert status == 201, made
    with RefusesOnce(tmp_path / "d.sock", daemon.socket) as between:
        server.settings["TRAINYARD_DOCKER__SOCKET"] = str(tmp_path / "d.sock")
        server.start()
        eventually(lambda: "/refused" not in [one["Names"][0] for one in daemon.containers()], "it is removed", patience=SLOW)
        assert between.has_refused.is_set()
        # The tasks that are wanted, old and new, are left alone by the second look.
        run(server, "image: bb:1\nrun: echo well", state="succeeded")
        assert server.job(job)["state"] == "running"
        server.stop_job(job)
        server.wait(job, patience=SLOW)
        server.destroy()
        between.shutdown()
