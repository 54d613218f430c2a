"""Starting under bad circumstances: a line that says what is wrong and what to do, a non-zero exit, nothing changed."""
import json
import os
import pathlib
import socket
import sqlite3
import stat
import subprocess

import pytest
from trainyard import NotReady, PROGRAM, Server, clean_environment, eventually


def refused(server, *words):
    """Starts a server that must not start; returns what it printed."""
    with pytest.raises(NotReady) as problem:
        server.start(patience=20)
    assert problem.value.code not in (None, 0), problem.value.output
    assert problem.value.code > 0, f"ended by signal {-problem.value.code}: {problem.value.output}"
    for word in words:
        assert word in problem.value.output, problem.value.output
    assert len(problem.value.output.strip().splitlines()) <= 4, problem.value.output
    return problem.value.output


@pytest.mark.core
def test_the_first_start_says_where_it_is_and_how_to_sign_in(make_server):
    server = make_server().start()
    described = json.loads((server.data_dir / "server.json").read_text())
    assert described["pid"] == server.process.pid
    assert described["url"] == server.url
    assert "ssh" in described
    printed = server.printed()
    assert server.url in printed
    assert stat.S_IMODE((server.data_dir / "admin.token").stat().st_mode) == 0o600
    assert server.call("GET", "/healthz", token="").status_code == 200
    assert server.call("GET", "/readyz", token="").status_code == 200
    assert server.get("/api/v1/jobs")["jobs"] == []


@pytest.mark.core
def test_sigterm_ends_it_cleanly(make_server):
    server = make_server().start()
    assert server.stop() == 0
    assert not (server.data_dir / "server.json").exists()


def test_a_port_in_use_is_named(make_server):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        server = make_server(listen=f"127.0.0.1:{port}")
        refused(server, str(port), "use")
    assert not (server.data_dir / "server.json").exists()


def test_a_data_directory_in_use_is_named_with_its_server(make_server):
    first = make_server().start()
    before = (first.data_dir / "server.json").read_text()
    second = make_server()
    refused(second, str(first.data_dir), str(first.process.pid))
    assert (first.data_dir / "server.json").read_text() == before
    assert first.call("GET", "/readyz").status_code == 200


def as_nobody(*command, **options):
    """Root writes everywhere; an ordinary user does not."""
    if os.getuid() != 0:
        return subprocess.run(command, **options)
    return subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command], **options)


def reachable_program(tmp_path):
    """A copy of the program that an ordinary user can start."""
    folder = pathlib.Path(subprocess.check_output(["mktemp", "-d", "/tmp/trainyard-test.XXXXXX"], text=True).strip())
    folder.chmod(0o755)
    copy = folder / "trainyard"
    copy.write_bytes(PROGRAM.read_bytes())
    copy.chmod(0o755)
    return copy


def test_a_read_only_data_directory_is_named(tmp_path):
    program = reachable_program(tmp_path)
    data = program.parent / "data"
    data.mkdir()
    data.chmod(0o555)
    result = as_nobody(program, "serve", "--data-dir", data, "--listen", "127.0.0.1:0", capture_output=True, text=True,
                       timeout=30, env=clean_environment())
    assert result.returncode > 0
    assert str(data) in result.stderr and "writ" in result.stderr, result.stderr
    assert list(data.iterdir()) == []
    data.chmod(0o755)
    subprocess.run(["rm", "-rf", program.parent], check=True)


def test_a_data_directory_that_is_a_file_is_named(make_server, tmp_path):
    (tmp_path / "data").write_text("not a folder")
    refused(make_server(), str(tmp_path / "data"))
    assert (tmp_path / "data").read_text() == "not a folder"


def test_a_database_of_a_newer_version_is_left_alone(make_server):
    server = make_server().start()
    server.stop()
    database = server.data_dir / "trainyard.db"
    with sqlite3.connect(database) as db:
        columns = [row[1] for row in db.execute("pragma table_info(migrations)")]
        assert columns, "there is no table of migrations"
        last = db.execute("select * from migrations order by 1 desc limit 1").fetchone()
        row = [9999 if i == 0 else value for i, value in enumerate(last)]
        db.execute(f"insert into migrations values ({','.join('?' * len(row))})", row)
    db.close()
    before = database.read_bytes()
    output = refused(make_server(), "newer")
    assert "9999" in output or "version" in output
    assert database.read_bytes() == before


def test_a_file_that_is_no_database_is_left_alone(make_server):
    server = make_server()
    server.data_dir.mkdir(parents=True)
    (server.data_dir / "trainyard.db").write_bytes(b"this is no database at all" * 500)
    refused(server, "trainyard.db")
    assert (server.data_dir / "trainyard.db").read_bytes() == b"this is no database at all" * 500


@pytest.mark.parametrize("flags, word", [
    (["--listen", "nonsense"], "nonsense"),
    (["--listen", "127.0.0.1:99999"], "99999"),
    (["--listen", "203.0.113.7:8080"], "203.0.113.7"),
    (["--database", "mysql://x"], "database: write sqlite or postgres://"),
    (["--engine", "warp"], "warp"),
    (["--runtime", "steam"], "steam"),
    (["--no-such-flag"], "--no-such-flag"),
])
def test_faulty_flags_are_named(tmp_path, flags, word):
    result = subprocess.run([PROGRAM, "serve", "--data-dir", tmp_path / "data", *flags], capture_output=True, text=True,
                            timeout=30, env=clean_environment(), stdin=subprocess.DEVNULL)
    assert result.returncode > 0
    assert word in result.stderr, result.stderr


def test_a_database_that_does_not_answer_is_named(make_server):
    refused(make_server("--database", "postgres://nobody@127.0.0.1:1/none"), "127.0.0.1")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 24 MB."""
    if os.getuid() != 0:
        pytest.fail("a small file system can only be mounted by root")
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_is_said_and_survived(small_disk):
    with Server(small_disk / "data") as server:
        kept = server.submit("run: echo kept")
        server.wait(kept, "succeeded")
        ballast = small_disk / "ballast"
        # Without a buffer: what is left in one would be tried again, and fail, when the file is closed.
        with ballast.open("wb", buffering=0) as file, pytest.raises(OSError):
            while True:
                file.write(b"x" * 65536)
        text = "run: true\nextras: {filler: \"" + os.urandom(60_000).hex() + "\"}\n"
        status, problem = eventually(lambda: refusal(server, text), "a refusal for want of space")
        assert (status, problem["code"]) == (507, "disk_full"), problem
        assert "full" in problem["message"] and "space" in problem["message"], problem
        assert server.process.poll() is None
        assert server.job(kept)["state"] == "succeeded"

        ballast.unlink()
        again = eventually(lambda: acceptance(server, "run: echo again"), "a submit after space was made")
        server.wait(again, "succeeded")
        assert server.logs(again) == "again\n"
        names = [job["id"] for job in server.jobs()]
        assert kept in names and again in names


def refusal(server, text):
    answer = server.call("POST", "/api/v1/jobs", data=text)
    return (answer.status_code, answer.json()) if answer.status_code != 201 else None


def acceptance(server, text):
    answer = server.call("POST", "/api/v1/jobs", data=text)
    return answer.json()["id"] if answer.status_code == 201 else None
