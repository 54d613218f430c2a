"""A real server, a real data directory, a real client: what the tests from outside stand on.

    with Server(tmp_path) as server:
        job = server.submit("run: echo hello")
        assert server.wait(job)["state"] == "succeeded"
        assert server.logs(job) == "hello\\n"
"""
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import time
import urllib.parse

import requests
from contract_check import check_answer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = pathlib.Path(os.environ.get("TRAINYARD_PROGRAM", ROOT / "build/trainyard"))
FINAL = {"succeeded", "failed", "cancelled"}
# Sanitizer builds and a busy machine are slow; a test that waits this long has found something.
PATIENCE = float(os.environ.get("TRAINYARD_TEST_PATIENCE", "60"))
SANITIZER_REPORT = re.compile(r"ERROR: \w+Sanitizer|runtime error: ")
CRASHES = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE}


def frugal(folder):
    """The program with at most 4 GB of memory of its own: where a fault would make it eat all there is, it shall end alone, not
    with the machine."""
    if "asan" in str(PROGRAM) or "tsan" in str(PROGRAM):
        return PROGRAM   # they reserve far more than they use
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wrapper = folder / "frugal-trainyard"
    wrapper.write_text(f'#!/bin/sh\nexec prlimit --data={4 << 30} "{PROGRAM}" "$@"\n')
    wrapper.chmod(0o755)
    return wrapper


class NotReady(Exception):
    """The server ended, or did not get ready in time. Carries what it printed."""

    def __init__(self, message, output, code=None):
        super().__init__(f"{message}\n{output}")
        self.output = output
        self.code = code


def free_port():
    """A port for a server that goes away and comes back. Below those that tasks get (20000 on) and those that the kernel gives to
    outgoing connections: a client that calls again and again while the server is down would one day be given the very port it
    calls, be connected to itself, and keep the server from coming back."""
    while True:
        port = random.randrange(10_000, 20_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def eventually(check, what, patience=PATIENCE, pause=0.02):
    """Calls `check` until it returns something true, and returns that."""
    deadline = time.monotonic() + patience
    while True:
        if result := check():
            return result
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {patience:.0f} s: {what}")
        time.sleep(pause)


def clean_environment(**extra):
    """The caller's variables without any of Trainyard's and without a language, so that a developer's own settings change no test."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TRAINYARD_", "LC_", "LANG"))}
    return {**kept, "LANG": "C.UTF-8", **{k: str(v) for k, v in extra.items()}}


def owner_mark(data_dir):
    """What marks the cgroups of a data directory; as src/engine/local/paths.cc counts it."""
    mark = 2166136261
    for byte in str(data_dir).encode():
        mark = (mark ^ byte) * 16777619 & 0xFFFFFFFF
    return f"{mark:08x}"


def remove_cgroups(data_dir):
    """A server that was killed left its cgroups; thousands of them make every later start slower."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for hierarchy in (controllers.removeprefix("name="), "unified"):
            root = pathlib.Path("/sys/fs/cgroup", hierarchy, path.lstrip("/"), f"trainyard-{owner_mark(data_dir)}")
            for folder, _, _ in os.walk(root, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)


class Server:
    """`trainyard serve` over one data directory, through as many lives as a test needs."""

    def __init__(self, data_dir, *flags, listen="127.0.0.1:0", program=PROGRAM, **settings):
        self.data_dir = pathlib.Path(data_dir)
        self.program = pathlib.Path(program)
        self.listen = listen
        self.flags = list(flags)
        # More CPUs than there are, so that tests with many small jobs do not wait for each other.
        # And processes, also where a Docker of somebody else's answers.
        self.settings = {"TRAINYARD_NODE__CPUS": "64", "TRAINYARD_RUNTIME": "process", **settings}
        self.process = None
        self.url = None
        self.http = requests.Session()
        self.http.trust_env = False
        self.log_path = self.data_dir.parent / f"{self.data_dir.name}.server.log"

    def __enter__(self):
        if self.process is None:
            self.start()
        return self

    def __exit__(self, *_):
        self.destroy()

    # -- life

    def spawn(self):
        """Starts the process without waiting for it."""
        self.data_dir.parent.mkdir(parents=True, exist_ok=True)
        with self.log_path.open("ab") as log:
            self.printed_before = log.tell()
            self.process = subprocess.Popen(
                [self.program, "serve", "--data-dir", self.data_dir, "--listen", self.listen, *self.flags],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=clean_environment(**self.settings))
        return self.process

    def start(self, patience=PATIENCE):
        self.spawn()
        return self.wait_ready(patience)

    def wait_ready(self, patience=PATIENCE):
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if (code := self.process.poll()) is not None:
                raise NotReady(f"the server ended with {code}", self.printed(), code)
            try:
                described = json.loads((self.data_dir / "server.json").read_text())
            except (OSError, ValueError):
                described = {}
            if described.get("pid") == self.process.pid:
                self.url = described["url"].rstrip("/")
                self.http.verify = described.get("certificate", True)
                return self
            time.sleep(0.005)
        raise NotReady(f"the server was not ready after {patience:.0f} s", self.printed())

    def printed(self):
        """What this life of the server has printed so far."""
        return self.log_path.read_bytes()[self.printed_before:].decode(errors="replace")

    def kill(self):
        """SIGKILL, no goodbye."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def stop(self):
        """SIGTERM; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def restart(self):
        self.kill()
        return self.start()

    def destroy(self):
        """Ends the server and every task it left behind; whatever the test found, a server that crashed has failed it."""
        ended = self.process.poll() if self.process else None
        self.kill()
        self.clean_up()
        printed = self.log_path.read_text(errors="replace") if self.log_path.exists() else ""
        assert not SANITIZER_REPORT.search(printed), f"a sanitizer reported:\n{printed[-8000:]}"
        assert ended is None or -ended not in CRASHES, f"the server died of {signal.Signals(-ended).name}:\n{printed[-4000:]}"

    def clean_up(self):
        mark = str(self.data_dir).encode() + b"/"
        for _ in range(20):
            left = [pid for pid in processes_with(mark) if pid != os.getpid()]
            if not left:
                break
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.05)
        remove_cgroups(self.data_dir)

    def kill_tasks(self, job):
        """SIGKILL to the supervisors of a job and all below them, as the kernel does when memory is short."""
        mark = f"{self.data_dir}/runs/{job[:2]}/{job}".encode()
        killed = [pid for pid in processes_with(mark) if pid != self.process.pid]
        assert killed, f"no process of {job} found"
        for pid in killed:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    # -- talking to it

    @property
    def token(self):
        return (self.data_dir / "admin.token").read_text().strip()

    def call(self, method, path, token=None, **options):
        """One request; `token` "" sends none, None the administrator's. Every JSON answer must be as the contract says."""
        headers = dict(options.pop("headers", {}) or {})
        token = self.token if token is None else token
        if token:
            headers["Authorization"] = f"Bearer {token}"
        options.setdefault("timeout", PATIENCE)
        answer = self.http.request(method, self.url + path, headers=headers, **options)
        if not options.get("stream"):
            check_answer(method, path.partition("?")[0], answer)
        return answer

    def get(self, path, **options):
        answer = self.call("GET", path, **options)
        assert answer.status_code == 200, f"GET {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def submit(self, text, **options):
        """Submits a job file and returns the job's id."""
        answer = self.call("POST", "/api/v1/jobs", data=text.encode() if isinstance(text, str) else text, **options)
        assert answer.status_code == 201, f"{answer.status_code} {answer.text}"
        return answer.json()["id"]

    def job(self, job, **options):
        return self.get(f"/api/v1/jobs/{job}", **options)

    def jobs(self, **query):
        """Every job the query finds, page by page."""
        found, cursor = [], None
        while True:
            page = self.get("/api/v1/jobs?" + urllib.parse.urlencode({**query, **({"cursor": cursor} if cursor else {})}))
            found += page["jobs"]
            cursor = page.get("next_cursor")
            if not cursor:
                return found

    def wait(self, job, states=FINAL, patience=PATIENCE):
        """The job once it is in one of `states`."""
        states = {states} if isinstance(states, str) else states
        seen = {}

        def there():
            seen.update(self.job(job))
            if seen["state"] in FINAL and seen["state"] not in states:
                raise AssertionError(f"{job} ended as {seen['state']}, not {states}: {json.dumps(seen, indent=1)}")
            return seen["state"] in states

        eventually(there, f"{job} in {states}", patience)
        return seen

    def tasks(self, job):
        """{"worker-1": task} of a job, or of what `job()` or `wait()` returned."""
        shown = self.job(job) if isinstance(job, str) else job
        return {task["name"]: task for role in shown["roles"] for task in role["tasks"]}

    def output(self, job):
        """Where the job's output folder lies."""
        return self.data_dir / "outputs" / job[:2] / job

    # -- what people do with jobs; each asserts that it was answered well

    def act(self, status, method, path, **options):
        answer = self.call(method, path, **options)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def stop_job(self, job):
        return self.act(202, "POST", f"/api/v1/jobs/{job}/stop")

    def set_limit(self, job, limit):
        return self.act(200, "POST", f"/api/v1/jobs/{job}/limit", json={"time_limit": limit})

    def clone(self, job, **changes):
        return self.act(201, "POST", f"/api/v1/jobs/{job}/clone", json=changes)["id"]

    def retry(self, job):
        return self.act(201, "POST", f"/api/v1/jobs/{job}/retry")["id"]

    def delete(self, job, force=False):
        self.act(204, "DELETE", f"/api/v1/jobs/{job}" + ("?force=true" if force else ""))

    def create_token(self, token=None, **fields):
        return self.act(201, "POST", "/api/v1/tokens", token=token, json=fields)

    def create_user(self, name, **fields):
        """A new user; returns a token of a session of theirs."""
        link = self.act(201, "POST", "/api/v1/users", json={"name": name, **fields})["link"]
        return self.sign_in(link)["token"]

    def sign_in(self, link):
        return self.act(200, "POST", "/api/v1/login", token="", json={"link": re.search(r"tyl_\w+", link).group(0)})

    def logs(self, job, **query):
        answer = self.call("GET", f"/api/v1/jobs/{job}/logs?" + urllib.parse.urlencode(query))
        assert answer.status_code == 200, f"{answer.status_code} {answer.text}"
        return answer.content.decode(errors="surrogateescape")

    def cli(self, *words, token=None, check=None, timeout=PATIENCE, **options):
        """Runs the command as a user with TRAINYARD_URL and TRAINYARD_TOKEN would."""
        environment = clean_environment(TRAINYARD_URL=self.url, TRAINYARD_TOKEN=self.token if token is None else token,
                                        HOME=self.data_dir.parent, **options.pop("env", {}))
        result = subprocess.run([self.program, *words], env=environment, capture_output=True, text=True,
                                timeout=timeout, stdin=options.pop("stdin", subprocess.DEVNULL), **options)
        if check is not None:
            assert result.returncode == check, f"{words}: exit {result.returncode}\n{result.stdout}\n{result.stderr}"
        return result


def processes_with(mark):
    """Ids of processes that carry `mark` in their arguments or variables: supervisors and tasks of one data directory."""
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark in (entry / "cmdline").read_bytes() or mark in (entry / "environ").read_bytes():
                yield int(entry.name)
        except OSError:
            continue


def events(server, last_id=None, query="", patience=PATIENCE):
    """The event stream as (id, kind, data) triples, until the caller stops reading."""
    headers = {"Accept": "text/event-stream"}
    if last_id is not None:
        headers["Last-Event-ID"] = str(last_id)
    with server.call("GET", f"/api/v1/events{query}", headers=headers, stream=True, timeout=patience) as answer:
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        event_id, kind, data = None, "message", []
        for raw in answer.iter_lines(chunk_size=1, decode_unicode=True):
            if raw == "":
                if data:
                    yield event_id, kind, json.loads("\n".join(data))
                kind, data = "message", []
                continue
            name, _, value = raw.partition(":")
            value = value.removeprefix(" ")
            if name == "id":
                event_id = value
            elif name == "event":
                kind = value
            elif name == "data":
                data.append(value)
