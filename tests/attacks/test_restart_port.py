"""The server is killed and comes back. Meanwhile its port is nobody else's: what an administrator's program sends there reaches the
server, never a job that listens in its place."""
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
import requests

from trainyard import PROGRAM, Server, clean_environment, eventually, free_port

# Takes every port it can get, and keeps what it is sent.
THIEF = '''run: |
  cat > thief.py <<'END'
  import socket, sys, time
  port = int(sys.argv[1])
  print("waiting", flush=True)
  taken = []
  while True:
      for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
          try:
              s = socket.socket(family)
              s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
              s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
              if family == socket.AF_INET6: s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
              s.bind((host, port)); s.listen(); s.settimeout(5)
              taken.append(s)
          except OSError: pass
      for s in taken:
          try:
              c, _ = s.accept()
              print("stolen:", c.recv(4096), flush=True)
              c.close()
          except OSError: pass
      time.sleep(0.001)
  END
  exec python3 -u thief.py %PORT%
'''


class HeldServer(Server):
    """`trainyard serve --hold-port`: the process we start holds the port, the server is its child."""

    def __init__(self, data_dir, **settings):
        super().__init__(data_dir, "--hold-port", listen=f"127.0.0.1:{free_port()}", **settings)
        self.last = None

    def children(self):
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        return [int(pid) for pid in found.stdout.split()]

    def wait_ready(self, patience=60):
        import json

        def described():
            assert self.process.poll() is None, self.printed()
            try:
                told = json.loads((self.data_dir / "server.json").read_text())
            except (OSError, ValueError):
                return None
            return told if told["pid"] != self.last and told["pid"] in self.children() else None

        told = eventually(described, "a server", patience)
        self.url, self.last = told["url"], told["pid"]
        return self

    def kill_server(self):
        os.kill(self.last, signal.SIGKILL)

    def kill(self):
        self.process.kill()
        self.process.wait()
        if self.last:
            try:
                os.kill(self.last, signal.SIGKILL)
            except ProcessLookupError:
                pass


@pytest.fixture
def held(tmp_path):
    with HeldServer(tmp_path / "data") as server:
        yield server


def port_of(server):
    return int(server.url.rsplit(":", 1)[1])


def test_a_job_never_receives_what_is_meant_for_the_server(held):
    member = held.create_user("eve")
    thief = held.submit(THIEF.replace("%PORT%", str(port_of(held))), token=member)
    eventually(lambda: "waiting" in held.logs(thief), "a thief")
    token, url = held.token, held.url
    answers, done = [], threading.Event()

    def administrator():
        """A program that calls again and again, whatever happens."""
        while not done.is_set():
            try:
                answers.append(requests.get(url + "/api/v1/tokens", headers={"Authorization": f"Bearer {token}"}, timeout=20).status_code)
            except requests.RequestException as broken:
                answers.append(type(broken).__name__)

    calling = threading.Thread(target=administrator)
    calling.start()
    try:
        for _ in range(3):
            before = len(answers)
            held.kill_server()
            held.wait_ready()
            eventually(lambda: len(answers) > before + 3, "calls")
    finally:
        done.set()
        calling.join()
    assert "stolen" not in held.logs(thief)
    assert answers.count(200) > 3
    assert "ConnectTimeout" not in answers
    # Who called while there was no server waited for it; only what was in the hands of the killed one is lost.
    assert sum(answer != 200 for answer in answers) <= 6, answers


def test_a_call_while_there_is_no_server_waits_for_it(held):
    held.kill_server()
    began = time.monotonic()
    assert requests.get(held.url + "/healthz", timeout=20).status_code == 200
    assert time.monotonic() - began < 20
    held.wait_ready()


def test_told_to_end_it_ends_with_its_server(held):
    pid = held.last
    assert held.stop() == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port_of(held)))


def test_settings_that_fail_are_not_tried_again(tmp_path):
    result = subprocess.run([PROGRAM, "serve", "--hold-port", "--data-dir", "/proc/nowhere", "--listen", "127.0.0.1:0"],
                            env=clean_environment(), capture_output=True, text=True, timeout=30)
    assert result.returncode == 1 and "/proc/nowhere" in result.stderr, result


# What systemd does for a unit with a socket: a listening descriptor 3 and two variables.
ACTIVATE = """
import os, socket, sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(64)
if s.fileno() != 3: os.dup2(s.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=sys.argv[1], LISTEN_FDNAMES="trainyard.socket")
os.execv(sys.argv[2], sys.argv[2:])
"""


def activated(tmp_path, count="1"):
    """The program, started as by systemd."""
    script = tmp_path / "activated"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{ACTIVATE}' {count} {PROGRAM} \"$@\"\n")
    script.chmod(0o755)
    return script


def test_a_socket_of_systemd_is_used_and_no_task_gets_it(make_server, tmp_path):
    server = make_server(program=activated(tmp_path), listen="127.0.0.1:1").start()   # port 1 would be refused or be seen
    assert port_of(server) != 1
    job = server.submit("run: (env | grep -c LISTEN_; ls -l /proc/self/fd | grep -c socket) || true")
    server.wait(job, "succeeded")
    assert server.logs(job) == "0\n0\n"


def test_more_than_one_socket_is_refused(make_server, tmp_path):
    server = make_server(program=activated(tmp_path, "2"))
    server.spawn()
    assert server.process.wait(20) == 2
    assert "LISTEN_FDS" in server.printed()
