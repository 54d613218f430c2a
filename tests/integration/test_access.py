"""Who may do what: without a token nothing, with a lesser one less, with somebody else's name not their things."""
import time

import pytest
from trainyard import Server, eventually

pytestmark = pytest.mark.core

OPEN = ["/healthz", "/readyz", "/api/v1/version", "/api/openapi.yaml", "/schema/job.v1.json", "/"]
CLOSED = [("GET", "/api/v1/jobs"), ("POST", "/api/v1/jobs"), ("GET", "/api/v1/jobs/a000"), ("DELETE", "/api/v1/jobs/a000"),
          ("POST", "/api/v1/jobs/a000/stop"), ("GET", "/api/v1/jobs/a000/logs"), ("GET", "/api/v1/events"),
          ("GET", "/api/v1/nodes"), ("GET", "/api/v1/queue"), ("GET", "/api/v1/tokens"), ("POST", "/api/v1/tokens"),
          ("GET", "/api/v1/users"), ("POST", "/api/v1/users"), ("GET", "/api/v1/users/me"), ("GET", "/metrics"),
          ("POST", "/api/v1/check"), ("POST", "/api/v1/users/admin/link")]


@pytest.fixture(scope="module")
def ann(server):
    return server.create_user("ann")


@pytest.fixture(scope="module")
def bob(server):
    return server.create_user("bob")


@pytest.mark.parametrize("path", OPEN)
def test_what_is_open_needs_no_token(server, path):
    assert server.call("GET", path, token="").status_code == 200


@pytest.mark.parametrize("method, path", CLOSED)
def test_without_a_token_nothing_is_answered(server, method, path):
    answer = server.call(method, path, token="")
    assert answer.status_code == 401
    assert answer.json()["code"] == "unauthenticated"
    assert "WWW-Authenticate" in answer.headers


@pytest.mark.parametrize("token", ["nonsense", "tyt_" + "0" * 40, "a" * 10_000, "'; drop table tokens; --"])
def test_a_wrong_token_is_refused(server, token):
    answer = server.call("GET", "/api/v1/jobs", token=token)
    assert answer.status_code in (401, 431)


def test_an_expired_token_says_so(server):
    token = server.create_token(name="short", scopes=["read"], expires_in="1s")["token"]
    assert server.call("GET", "/api/v1/jobs", token=token).status_code == 200

    def refused():
        answer = server.call("GET", "/api/v1/jobs", token=token)
        return answer.json()["message"] if answer.status_code == 401 else None

    assert "expired" in eventually(refused, "the token expires")


def test_a_revoked_token_is_worth_nothing(server):
    made = server.create_token(name="gone", scopes=["read"])
    assert server.call("GET", "/api/v1/jobs", token=made["token"]).status_code == 200
    server.act(204, "DELETE", f"/api/v1/tokens/{made['id']}")
    eventually(lambda: server.call("GET", "/api/v1/jobs", token=made["token"]).status_code == 401, "it is refused")


def test_a_read_token_only_reads(server):
    token = server.create_token(name="reader", scopes=["read"])["token"]
    assert server.call("GET", "/api/v1/jobs", token=token).status_code == 200
    before = len(server.jobs())
    answer = server.call("POST", "/api/v1/jobs", token=token, data="run: true")
    assert answer.status_code == 403
    assert "write" in answer.json()["message"]
    assert len(server.jobs()) == before
    more = server.call("POST", "/api/v1/tokens", token=token, json={"name": "more", "scopes": ["admin"]})
    assert more.status_code == 403


def test_a_token_makes_no_greater_token(server):
    token = server.create_token(name="writer", scopes=["write"])["token"]
    answer = server.call("POST", "/api/v1/tokens", token=token, json={"name": "up", "scopes": ["admin"]})
    assert answer.status_code == 403
    assert server.call("GET", "/api/v1/users", token=token).status_code == 403


def test_tokens_are_shown_once_and_kept_hashed(server):
    made = server.create_token(name="once", scopes=["read"])
    assert made["token"] not in server.call("GET", "/api/v1/tokens").text
    for path in server.data_dir.glob("trainyard.db*"):
        assert made["token"].encode() not in path.read_bytes()
        assert server.token.encode() not in path.read_bytes()


def test_somebody_elses_job_can_be_neither_stopped_nor_removed(server, ann, bob):
    job = server.submit("stop_grace: 1s\nrun: sleep 60", token=ann)
    server.wait(job, "running")
    for method, path in (("POST", "stop"), ("POST", "limit"), ("POST", "pause"), ("DELETE", "")):
        answer = server.call(method, f"/api/v1/jobs/{job}/{path}".rstrip("/"), token=bob,
                             json={"time_limit": "1s"} if path == "limit" else None)
        assert answer.status_code in (403, 404), f"{method} {path}: {answer.status_code}"
    assert server.job(job)["state"] == "running"
    assert server.job(job)["owner"] == "ann"
    answer = server.call("POST", f"/api/v1/jobs/{job}/stop", token=ann)
    assert answer.status_code == 202
    server.wait(job, "cancelled")


def test_users_have_handles_of_their_own(server, ann, bob):
    mine = server.submit("name: same\nrun: true", token=ann)
    theirs = server.submit("name: same\nrun: true", token=bob)
    assert server.job("ann~same", token=ann)["id"] == mine
    assert server.job("bob~same", token=bob)["id"] == theirs


def test_an_ordinary_user_manages_nobody(server, ann):
    for method, path, body in (("GET", "/api/v1/users", None), ("POST", "/api/v1/users", {"name": "eve"}),
                               ("PUT", "/api/v1/users/bob/disabled", {"disabled": True}),
                               ("POST", "/api/v1/users/admin/link", None)):
        assert server.call(method, path, token=ann, json=body).status_code == 403, path
    high = server.call("POST", "/api/v1/jobs", token=ann, data="run: true\npriority: 500")
    assert high.status_code in (400, 403)
    assert "priority" in high.text


def test_a_sign_in_link_works_once(server):
    link = server.act(201, "POST", "/api/v1/users", json={"name": "carol"})["link"]
    assert server.url in link
    assert server.sign_in(link)["user"] == "carol"
    again = server.call("POST", "/api/v1/login", token="", json={"link": link.rsplit("/", 1)[-1].rsplit("=", 1)[-1]})
    assert again.status_code == 401


def test_a_password_signs_in_and_ends_other_sessions(server):
    session = server.create_user("dora")
    server.act(204, "POST", "/api/v1/password", token=session, json={"new_password": "correct horse battery"})
    signed = server.act(200, "POST", "/api/v1/login", token="", json={"user": "dora", "password": "correct horse battery"})
    assert server.get("/api/v1/users/me", token=signed["token"])["name"] == "dora"
    wrong = server.call("POST", "/api/v1/login", token="", json={"user": "dora", "password": "wrong"})
    unknown = server.call("POST", "/api/v1/login", token="", json={"user": "nobody-here", "password": "wrong"})
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json()["message"] == unknown.json()["message"], "the answer tells who exists"
    server.act(204, "POST", "/api/v1/password", token=signed["token"],
               json={"old_password": "correct horse battery", "new_password": "another long secret"})
    eventually(lambda: server.call("GET", "/api/v1/users/me", token=session).status_code == 401, "the old session ended")
    short = server.call("POST", "/api/v1/password", token=signed["token"],
                        json={"old_password": "another long secret", "new_password": "short"})
    assert short.status_code == 400


def test_a_disabled_user_is_out(server):
    session = server.create_user("frank")
    assert server.call("GET", "/api/v1/users/me", token=session).status_code == 200
    server.act(204, "PUT", "/api/v1/users/frank/disabled", json={"disabled": True})
    eventually(lambda: server.call("GET", "/api/v1/users/me", token=session).status_code in (401, 403), "they are out")


def test_guessing_passwords_is_slowed_down(tmp_path):
    with Server(tmp_path / "data") as server:
        session = server.create_user("grace")
        server.act(204, "POST", "/api/v1/password", token=session, json={"new_password": "correct horse battery"})
        codes = [server.call("POST", "/api/v1/login", token="", json={"user": "grace", "password": f"guess {i}"}).status_code
                 for i in range(30)]
        assert 429 in codes, codes
        limited = server.call("POST", "/api/v1/login", token="", json={"user": "grace", "password": "correct horse battery"})
        assert limited.status_code == 429
        assert int(limited.headers["Retry-After"]) > 0
        assert server.get("/api/v1/users/me")["name"] == "admin"


def test_secrets_never_reach_the_servers_log(server, ann):
    server.call("POST", "/api/v1/login", token="", json={"user": "ann", "password": "a password to look for"})
    server.call("GET", "/api/v1/jobs?token=" + "x" * 20, token=ann)
    time.sleep(0.2)
    printed = server.printed()
    for secret in (ann, server.token, "a password to look for"):
        assert secret not in printed
