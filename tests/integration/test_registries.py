"""Passwords of image registries are readable nowhere, and those an earlier version kept are not lost."""
import pytest

pytestmark = pytest.mark.core

PASSWORD = "open sesame 42"
SERVER = "registry.example.com:5000"


def readable_in(server, *texts):
    """Names of the files below the data directory that hold one of the texts."""
    files = [path for path in server.data_dir.rglob("*") if path.is_file()]
    return [path.name for path in files if any(text.encode() in path.read_bytes() for text in texts)]


def logins(server):
    return server.call("GET", "/api/v1/registries").json()["registries"]


def test_a_password_is_readable_nowhere(make_server):
    server = make_server()
    server.start()
    kept = server.call("PUT", f"/api/v1/registries/{SERVER}", json={"username": "ann", "password": PASSWORD})
    assert kept.status_code == 204, kept.text
    assert readable_in(server, PASSWORD, PASSWORD.encode().hex()) == []
    server.kill()
    server.start()
    assert logins(server) == [{"server": SERVER, "username": "ann", "workspace": None}]
    assert readable_in(server, PASSWORD, PASSWORD.encode().hex()) == []


def test_the_file_of_an_earlier_version_is_taken_over(make_server):
    server = make_server()
    server.start()
    server.stop()
    words = " ".join("x" + text.encode().hex() for text in (SERVER, "ann", PASSWORD))
    old = server.data_dir / "registries"
    old.write_text(f"user 1 {words}\n")
    server.start()
    assert logins(server) == [{"server": SERVER, "username": "ann", "workspace": None}]
    assert not old.exists()
    assert readable_in(server, PASSWORD, PASSWORD.encode().hex()) == []
