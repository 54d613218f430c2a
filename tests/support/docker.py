"""A real Docker daemon for tests: the one that answers already, or one of our own with its own data and socket.

    daemon = Daemon(folder)          # started at once
    daemon.busybox("bb:1")           # an image made on the spot from the static busybox
    daemon.restart()
"""
import fcntl
import hashlib
import io
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import time
import urllib.parse
from http.client import HTTPConnection

BUSYBOX = pathlib.Path("/bin/busybox")
APPLETS = ("sh", "ash", "cat", "echo", "env", "false", "grep", "head", "hostname", "id", "kill", "ls", "nc", "nslookup", "ping",
           "printf", "ps", "pwd", "seq", "sleep", "stat", "tail", "test", "touch", "tr", "trap", "true", "ulimit", "uname", "wc",
           "wget", "whoami", "yes", "dd", "date", "df", "mkdir", "rm", "mount", "ip", "usleep", "timeout")


class UnixConnection(HTTPConnection):
    def __init__(self, path, timeout=120):
        super().__init__("docker", timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def call(socket_path, method, path, body=None, kind="application/json", headers=None):
    """One request to the Docker API: (status, decoded JSON or text)."""
    connection = UnixConnection(socket_path)
    data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
    connection.request(method, path, data, {**({"Content-Type": kind} if data else {}), **(headers or {})})
    answer = connection.getresponse()
    text = answer.read().decode(errors="replace")
    connection.close()
    try:
        return answer.status, json.loads(text)
    except ValueError:
        return answer.status, text


def rootfs(applets=APPLETS, files=None):
    """A tar archive with busybox, some users, and `files` (path: bytes or (bytes, mode))."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        def add(path, content, mode=0o644):
            info = tarfile.TarInfo(path)
            info.size, info.mode = len(content), mode
            archive.addfile(info, io.BytesIO(content))

        for folder in ("bin", "etc", "tmp", "home", "home/ann", "proc", "sys", "dev"):
            info = tarfile.TarInfo(folder)
            info.type, info.mode = tarfile.DIRTYPE, 0o1777 if folder == "tmp" else 0o755
            archive.addfile(info)
        if applets:
            add("bin/busybox", BUSYBOX.read_bytes(), 0o755)
            for applet in applets:
                info = tarfile.TarInfo(f"bin/{applet}")
                info.type, info.linkname = tarfile.SYMTYPE, "busybox"
                archive.addfile(info)
        users = {"etc/passwd": b"root:x:0:0:root:/root:/bin/sh\nann:x:1234:5678:Ann:/home/ann:/bin/sh\n",
                 "etc/group": b"root:x:0:\nstaff:x:5678:\n"}
        for path, content in {**users, **(files or {})}.items():
            content, mode = content if isinstance(content, tuple) else (content, 0o644)
            add(path, content, mode)
    return made.getvalue()


def programs(*paths):
    """Programs of this machine with the libraries they need, as `files` for `rootfs`."""
    wanted = {}
    for path in paths:
        said = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
        libraries = [word for word in said.split() if word.startswith("/")]
        for one in [path, *libraries]:
            wanted[one.lstrip("/")] = (pathlib.Path(one).read_bytes(), 0o755)
    return wanted


def python():
    """This machine's Python as `files` for `rootfs`: the program and the part of its library that small programs use."""
    program = pathlib.Path("/usr/bin/python3").resolve()
    files = programs(str(program))
    files["usr/bin/python3"] = files[str(program).lstrip("/")]
    library = pathlib.Path("/usr/lib") / program.name
    left_out = {"__pycache__", "test", "tests", "idlelib", "lib2to3", "ensurepip", "dist-packages", "pydoc_data", "tkinter"}
    for path in library.rglob("*"):
        inner = path.relative_to(library)
        if path.suffix in (".py", ".so") and not left_out & set(inner.parts) and path.is_file():
            files[str(path).lstrip("/")] = path.read_bytes()
    return files


class Daemon:
    """dockerd under a folder of its own."""

    def __init__(self, folder, *flags, path="", live_restore=True):
        """`path`: folders in which dockerd finds programs before those of the machine."""
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        # Names of sockets may have 107 characters, and containerd makes long ones.
        self.exec_root = pathlib.Path(tempfile.mkdtemp(prefix="tyd-"))
        self.socket = self.exec_root / "docker.sock"
        self.log = self.folder / "dockerd.log"
        self.flags = [*flags, *(["--live-restore"] if live_restore else [])]
        self.path = (f"{path}:" if path else "") + "/usr/sbin:/usr/bin:/sbin:/bin"
        self.process = None
        self.start()

    def start(self, patience=90):
        # Two that start at the same moment take each other's firewall chains away.
        with open(pathlib.Path(tempfile.gettempdir()) / "trainyard-tests.dockerd.lock", "w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            return self._start(patience)

    def _start(self, patience):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["dockerd", "--data-root", self.folder / "data", "--exec-root", self.exec_root, "--pidfile",
                 self.folder / "pid", "-H", f"unix://{self.socket}", "--bridge", "none", *self.flags],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env={**os.environ, "PATH": self.path})
        return self._await(patience)

    def _await(self, patience):
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            try:
                if self("GET", "/_ping")[0] == 200:
                    return self
            except OSError:
                pass
            assert self.process.poll() is None, f"it ended: {self.log.read_text()[-3000:]}"
            time.sleep(0.05)
        raise AssertionError(f"it was not ready after {patience} s: {self.log.read_text()[-3000:]}")

    def __call__(self, method, path, body=None, **options):
        return call(self.socket, method, path, body, **options)

    def stop(self):
        """Ends the daemon alone; with live-restore its containers run on."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.stop()
        return self.start()

    def containers(self, **labels):
        _, found = self("GET", "/containers/json?all=true")
        return found

    def networks(self):
        _, found = self("GET", "/networks")
        return [network["Name"] for network in found if network["Name"].startswith("ty-")]

    def make_image(self, name, archive, **config):
        """Imports a tar archive as an image; `config` are Dockerfile words, as ENTRYPOINT='["x"]'."""
        repo, _, tag = name.rpartition(":")
        changes = "".join("&changes=" + urllib.parse.quote(f"{word} {value}") for word, value in config.items())
        status, said = self("POST", f"/images/create?fromSrc=-&repo={repo}&tag={tag}{changes}", archive,
                            kind="application/x-tar")
        assert status == 200 and "error" not in str(said).lower(), (status, said)
        return name

    def load_image(self, name, archive, architecture):
        """The same for another machine, which only `docker load` can name."""
        config = json.dumps({"architecture": architecture, "os": "linux", "config": {"Cmd": ["sh"]}, "rootfs": {
            "type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(archive).hexdigest()]}}).encode()
        manifest = json.dumps([{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]).encode()
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w") as tar:
            for path, content in (("config.json", config), ("layer.tar", archive), ("manifest.json", manifest)):
                info = tarfile.TarInfo(path)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
        status, said = self("POST", "/images/load?quiet=1", made.getvalue(), kind="application/x-tar")
        assert status == 200 and "errorDetail" not in str(said), (status, said)
        return name

    def busybox(self, name="bb:1", files=None, **config):
        return self.make_image(name, rootfs(files=files), **config)

    def destroy(self):
        """Ends every container, then the daemon, and removes what it left."""
        try:
            for container in self.containers():
                self("DELETE", f"/containers/{container['Id']}?force=true")
            for network in self.networks():
                self("DELETE", f"/networks/{network}")
        except (OSError, ValueError, KeyError, TypeError):
            pass
        self.stop()
        for _ in range(50):
            # What is still mounted below it keeps the folder from going.
            mounts = [line.split()[1] for line in pathlib.Path("/proc/mounts").read_text().splitlines()
                      if line.split()[1].startswith((f"{self.folder}/", f"{self.exec_root}/"))]
            for mount in reversed(mounts):
                subprocess.run(["umount", "-l", mount], check=False, capture_output=True)
            for folder in (self.folder, self.exec_root):
                shutil.rmtree(folder, ignore_errors=True)
            if not self.folder.exists() and not self.exec_root.exists():
                return
            time.sleep(0.1)


class Podman(Daemon):
    """Podman's compatible service under a folder of its own, spoken to as if it were Docker."""

    def __init__(self, folder, network="netavark"):
        self.network = network
        super().__init__(folder, live_restore=False)

    def start(self, patience=90):
        settings = self.folder / "containers.conf"
        # crun refuses machines whose cgroups are of both versions, and the limits of Debian's configuration are above ours.
        # Locks in files of its own: those in shared memory are one set for all of a machine's Podmans, and one that was killed
        # while it held a lock stops the others.
        settings.write_text('[engine]\nruntime = "runc"\nlock_type = "file"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n'
                            f'[network]\nnetwork_backend = "{self.network}"\n'
                            f'network_config_dir = "{self.folder}/networks"\n'
                            '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n')
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["podman", "--root", self.folder / "data", "--runroot", self.exec_root / "run", "--tmpdir",
                 self.exec_root / "tmp", "--storage-driver", "vfs", *self.flags, "system", "service", "--time", "0",
                 f"unix://{self.socket}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=self.folder,
                env={**os.environ, "PATH": self.path, "CONTAINERS_CONF": str(settings)})
        return self._await(patience)

    def make_image(self, name, archive, **config):
        # Asked as Docker it looks for short names where Docker does, but imports to other ones, and forgets the tag.
        repo, _, tag = (name if "/" in name else f"docker.io/library/{name}").rpartition(":")
        super().make_image(f"{repo}:latest", archive, **config)
        status, said = self("POST", f"/images/{repo}:latest/tag?repo={repo}&tag={tag}")
        assert status == 201, (status, said)
        return name
