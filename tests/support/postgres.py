"""A PostgreSQL of one's own in a temporary folder, on a port the kernel chose; gone after the test."""
import contextlib
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

from trainyard import free_port

BIN = pathlib.Path("/usr/lib/postgresql/15/bin")


def user_prefix():
    """PostgreSQL refuses to run as root."""
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "env", "HOME=/"] if os.getuid() == 0 else []


class Postgres:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-postgres-"))
        self.port = free_port()
        self.user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")

    def run(self, program, *words):
        done = subprocess.run([*user_prefix(), BIN / program, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def start(self):
        data = self.folder / "data"
        if not data.exists():
            self.run("initdb", "-D", data, "-A", "trust", "-U", self.user, "--no-sync")
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        self.run("pg_ctl", "-D", data, "-w", "-o", options, "-l", self.folder / "log", "start")
        return self

    def stop(self, how="immediate"):
        with contextlib.suppress(AssertionError):   # it may be down already
            self.run("pg_ctl", "-D", self.folder / "data", "-w", "-m", how, "stop")

    def database(self, name):
        """Makes an empty database and returns its address."""
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", self.user, name)
        return f"postgres://{self.user}@127.0.0.1:{self.port}/{name}"

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
