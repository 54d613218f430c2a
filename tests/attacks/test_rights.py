"""Every operation of the contract, by everybody, on their own things and on others', by token and by cookie.

The operations come from contract/openapi.yaml and from the tables of the faces; what each must answer is below. An operation that
is added without an expectation fails here.
"""
import itertools
import json
import re
import threading

import pytest
import requests
import yaml
from trainyard import ROOT, Server, eventually

NUMBER = itertools.count()
SECRET = "merger-with-acme"       # name of the job that strangers must not hear of
PASSWORD = "correct horse battery staple"

# Who asks. All but the stranger belong to workspace red, where the job lies; the owner handed it in.
ROLES = ["anonymous", "revoked", "expired", "stranger", "viewer", "member", "owner", "manager", "administrator"]
NOBODY = {"anonymous": 401, "revoked": 401, "expired": 401}


def expect(stranger, viewer, member, owner, manager, administrator):
    """The status for each role; 2 stands for whatever the contract calls success."""
    return {**NOBODY, "stranger": stranger, "viewer": viewer, "member": member, "owner": owner, "manager": manager,
            "administrator": administrator}


OPEN = dict.fromkeys(ROLES, 2)
SIGNED_IN = expect(2, 2, 2, 2, 2, 2)            # each gets what is theirs
SEES_JOB = expect(404, 2, 2, 2, 2, 2)
CHANGES_JOB = expect(404, 403, 403, 2, 2, 2)    # its owner, who manages the workspace, an administrator
COPIES_JOB = expect(404, 403, 2, 2, 2, 2)
ADMINISTRATORS = expect(403, 403, 403, 403, 403, 2)
MANAGES_WORKSPACE = expect(404, 403, 403, 403, 2, 2)
OWN_ONLY = expect(404, 404, 404, 2, 404, 404)   # somebody's token is theirs alone, an administrator's business neither

EXPECTED = {
    "list_jobs": SIGNED_IN, "count_jobs": SIGNED_IN, "check_job_file": SIGNED_IN, "convert_job_file": SIGNED_IN,
    "submit_job": expect(404, 403, 2, 2, 2, 2),    # into workspace red
    "show_job": SEES_JOB, "read_job_logs": SEES_JOB, "list_job_log_lines": SEES_JOB, "search_job_log": SEES_JOB,
    "list_job_events": SEES_JOB, "show_job_spec": SEES_JOB, "list_job_tries": SEES_JOB, "list_job_attempts": SEES_JOB,
    "show_job_metrics": SEES_JOB, "explain_job": SEES_JOB,
    "delete_job": CHANGES_JOB, "stop_job": CHANGES_JOB, "pause_job": CHANGES_JOB, "resume_job": CHANGES_JOB,
    "set_job_limit": CHANGES_JOB, "retry_job": CHANGES_JOB, "clone_job": COPIES_JOB, "move_job": ADMINISTRATORS,
    "follow_events": SIGNED_IN, "list_nodes": SIGNED_IN, "list_queue": SIGNED_IN, "show_scheduling": SIGNED_IN,
    "set_node_draining": ADMINISTRATORS, "set_scheduling": ADMINISTRATORS, "show_metrics": ADMINISTRATORS,
    "sign_out": SIGNED_IN, "change_password": SIGNED_IN, "show_me": SIGNED_IN, "list_tokens": SIGNED_IN, "create_token": SIGNED_IN,
    "delete_token": OWN_ONLY, "list_registries": SIGNED_IN,
    "set_registry": MANAGES_WORKSPACE, "delete_registry": MANAGES_WORKSPACE,    # those of workspace red
    "list_users": ADMINISTRATORS, "create_user": ADMINISTRATORS, "set_user_disabled": ADMINISTRATORS,
    "make_sign_in_link": ADMINISTRATORS, "list_workspaces": SIGNED_IN, "create_workspace": ADMINISTRATORS,
    "delete_workspace": ADMINISTRATORS, "set_workspace_member": MANAGES_WORKSPACE, "remove_workspace_member": MANAGES_WORKSPACE,
    "sign_in": OPEN, "show_version": OPEN, "show_contract": OPEN, "show_job_schema": OPEN, "show_format_schema": OPEN,
    "check_alive": OPEN, "check_ready": OPEN, "show_page": OPEN, "show_sign_in": OPEN, "show_asset": OPEN,
}
# Lists that hold what one may see: the stranger's must hold nothing of workspace red.
CONTRACT = yaml.safe_load((ROOT / "contract/openapi.yaml").read_text())
OPERATIONS = {operation["operationId"]: (method.upper(), path, operation)
              for path, item in CONTRACT["paths"].items() for method, operation in item.items()
              if method in ("get", "post", "put", "delete", "patch")}


def table_of_faces():
    """{operation: who may call it} as the tables in src/api/*/face.cc have it."""
    rows = {}
    for file in (ROOT / "src/api").glob("*/face.cc"):
        text = re.sub(r"\s+", " ", file.read_text())
        for row in re.finditer(r'\{ ?"(\w+)", "([^"]+)", Method::(\w+), (\w+), (\w+), \w+', text):
            rows[row.group(1)] = (row.group(3).upper(), row.group(2), row.group(4))
    return rows


def test_every_operation_has_an_expectation():
    assert set(EXPECTED) == set(OPERATIONS), set(EXPECTED) ^ set(OPERATIONS)
    faces = table_of_faces()
    assert set(faces) == set(OPERATIONS), set(faces) ^ set(OPERATIONS)
    for name, (method, path, caller) in faces.items():
        assert (method, path) == OPERATIONS[name][:2]
        # What the table lets nobody but administrators call, nobody else is expected to.
        assert (EXPECTED[name] is ADMINISTRATORS) == (caller == "Administrator"), name
        assert (EXPECTED[name] is OPEN) == (caller == "Anyone"), name
        assert (OPERATIONS[name][2].get("security") == []) == (caller == "Anyone"), name


class World:
    """One server, and everybody signed in."""

    def __init__(self, server):
        self.server = server
        self.node = server.get("/api/v1/nodes")["nodes"][0]["name"]
        self.tokens = {"anonymous": "", "administrator": server.token}
        for workspace in ("red", "blue"):
            server.act(201, "POST", "/api/v1/workspaces", json={"name": workspace})
        for person, workspace, role in (("stranger", "blue", "manager"), ("viewer", "red", "viewer"), ("member", "red", "member"),
                                        ("owner", "red", "member"), ("manager", "red", "manager")):
            self.tokens[person] = self.person(person, workspace, role)
        made = server.create_token(token=self.tokens["manager"], name="gone", scopes=["write"])
        server.act(204, "DELETE", f"/api/v1/tokens/{made['id']}", token=self.tokens["manager"])
        self.tokens["revoked"] = made["token"]
        self.tokens["expired"] = self.signed_out("manager")
        self.job = self.new_job()
        server.wait(self.job, "succeeded")
        self.token_ids = {role: server.create_token(token=token, name="own", scopes=["read"])["id"]
                          for role, token in self.tokens.items() if role not in NOBODY}

    def person(self, name, workspace, role):
        """A session of somebody new with a password who belongs to that workspace only."""
        token = self.server.create_user(name)
        self.server.act(204, "PUT", f"/api/v1/workspaces/{workspace}/members/{name}", json={"role": role})
        self.server.act(204, "DELETE", f"/api/v1/workspaces/default/members/{name}")
        self.server.act(204, "POST", "/api/v1/password", token=token, json={"new_password": PASSWORD})
        return token

    def session_of(self, name):
        link = self.server.act(201, "POST", f"/api/v1/users/{name}/link")["link"]
        return self.server.sign_in(link)["token"]

    def signed_out(self, name):
        """A session that is over, as one is whose time has come."""
        token = self.session_of(name)
        self.server.act(204, "POST", "/api/v1/logout", token=token)
        return token

    def new_job(self, run=f"echo {SECRET}-line"):
        return self.server.submit(f"name: {SECRET}\nworkspace: red\ncpus: 0.1\nmemory: 64MB\nrun: {run}\n",
                                  token=self.tokens["owner"])

    def user_name(self, role):
        return "admin" if role == "administrator" else role


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("rights") / "data") as server:
        yield World(server)


def fresh(prefix):
    return f"{prefix}{next(NUMBER)}"


def prepare(world, name, role):
    """What one call needs: its path, what it sends, and whether the thing it is about may be used up."""
    server, job = world.server, world.job
    allowed = EXPECTED[name][role] == 2
    path, options = OPERATIONS[name][1], {}
    if name in ("stop_job", "pause_job", "set_job_limit") and allowed:
        job = world.new_job("sleep 1000")
        server.wait(job, "running")
    if name in ("resume_job", "move_job") and allowed:
        job = world.new_job("sleep 1000")
        server.act(202, "POST", f"/api/v1/jobs/{job}/pause")
        server.wait(job, "paused")
    if name == "move_job" and allowed:   # only what waits is moved
        big = server.submit("cpus: 64\nmemory: 64MB\nrun: sleep 1000")
        job = server.submit("cpus: 64\nmemory: 64MB\nrun: sleep 1000")
        world.used = [big, job]
    if name == "delete_job" and allowed:
        job = world.new_job("true")
        server.wait(job, "succeeded")
    user, workspace = "member", "red"
    if name == "remove_workspace_member" and allowed:
        user = fresh("guest")
        server.create_user(user)
        server.act(204, "PUT", f"/api/v1/workspaces/red/members/{user}", json={"role": "viewer"})
    if name == "delete_workspace":
        workspace = "red"
        if allowed:
            workspace = fresh("space")
            server.act(201, "POST", "/api/v1/workspaces", json={"name": workspace})
    if name == "set_user_disabled" and allowed:
        user = fresh("guest")
        server.create_user(user)
    if name == "delete_registry" and allowed:
        server.act(204, "PUT", "/api/v1/registries/r.example", json={"username": "u", "password": "p", "workspace": "red"})
    token_id = world.token_ids["owner"]
    if name == "delete_token" and allowed:
        token_id = server.create_token(token=world.tokens[role], name="gone", scopes=["read"])["id"]

    path = path.replace("{id}", job).replace("{user}", user).replace("{server}", "r.example").replace("{token}", str(token_id))
    path = path.replace("{file}", "job.v1.json" if "schema" in path else "none.js")
    path = path.replace("{name}", world.node if "nodes" in path else workspace if "workspaces" in path else user)
    bodies = {
        "submit_job": {"data": f"name: {fresh('mine')}\nworkspace: red\ncpus: 0.1\nmemory: 64MB\nrun: 'true'\n"},
        "check_job_file": {"data": "run: 'true'"}, "convert_job_file": {"data": "run: 'true'"},
        "move_job": {"json": {"before": None}}, "set_job_limit": {"json": {"time_limit": "12h"}}, "clone_job": {"json": {}},
        "set_node_draining": {"json": {"draining": False}}, "sign_in": {"json": {"user": "owner", "password": PASSWORD}},
        "set_scheduling": {"json": {}},
        "change_password": {"json": {"old_password": PASSWORD, "new_password": PASSWORD}},
        "create_token": {"json": {"name": fresh("t"), "scopes": ["read"]}},
        "set_registry": {"json": {"username": "u", "password": "p", "workspace": "red"}},
        "create_user": {"json": {"name": fresh("new")}}, "set_user_disabled": {"json": {"disabled": True}},
        "create_workspace": {"json": {"name": fresh("space")}}, "set_workspace_member": {"json": {"role": "member"}},
    }
    options = bodies.get(name, {})
    if name == "set_scheduling" and allowed:
        rules = server.get("/api/v1/scheduling")
        rules.pop("version", None)
        options = {"json": rules}
    if name == "delete_registry":
        path += "?workspace=red"
    if name == "convert_job_file":
        path += "?to=native"
    if name == "search_job_log":
        path += "?q=x"
    if name == "follow_events":
        path += "?after=0"
    return path, options


def token_for(world, name, role):
    """Signing out ends a session, and changing a password all others of that person: those are of their own."""
    if role in NOBODY:
        return world.tokens[role]
    if name == "change_password":
        return world.person(fresh("changer"), "red", "member")
    if name == "sign_out":
        return world.session_of(world.user_name(role))
    return world.tokens[role]


def ask(world, name, role, transport):
    path, options = prepare(world, name, role)
    token = token_for(world, name, role)
    if transport == "cookie" and role == "administrator" and not token.startswith("tys_"):
        token = world.session_of("admin")
    headers = {}
    if token and transport == "bearer":
        headers["Authorization"] = f"Bearer {token}"
    if token and transport == "cookie":
        headers.update({"Cookie": f"trainyard_session={token}", "Origin": world.server.url})
    stream = name == "follow_events"
    answer = requests.request(OPERATIONS[name][0], world.server.url + path, headers=headers, stream=stream,
                              timeout=(60, 2) if stream else 60, **options)
    text = ""
    if stream and answer.status_code == 200:
        try:
            for piece in answer.iter_content(None):
                text += piece.decode()
        except requests.exceptions.ConnectionError:
            pass    # it goes on for ever; what there is has come
    else:
        text = answer.text
    for job in getattr(world, "used", []):
        world.server.call("DELETE", f"/api/v1/jobs/{job}?force=true")
    world.used = []
    return answer.status_code, text


def fits(status, wanted):
    return 200 <= status < 300 if wanted == 2 else status == wanted


# A refused token is refused the same way by either road; who may is asked by both.
@pytest.mark.parametrize("transport", ["bearer", "cookie"])
@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_who_may_call_what(world, name, transport):
    wrong = []
    for role in ROLES:
        if name == "show_asset":
            continue    # 404 for everybody: there is no such file
        status, text = ask(world, name, role, transport)
        if not fits(status, EXPECTED[name][role]):
            wrong.append((role, status, text[:300]))
        if role in ("anonymous", "revoked", "expired", "stranger"):
            told = [word for word in (SECRET, world.job, "manager@") if word in text]
            # In a refusal the id that was asked for may be repeated.
            if told and not (told == [world.job] and status in (403, 404)):
                wrong.append((role, "was told", told, text[:500]))
            if role == "stranger" and status == 200 and name.startswith("list_") and re.search(r'"red"', text):
                wrong.append((role, "was told of red", text[:500]))
    assert wrong == []
    assert world.server.job(world.job)["state"] == "succeeded", "whoever was refused has changed nothing"


WRITES = sorted(name for name, (method, _, _) in OPERATIONS.items() if method != "GET")


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"},
                                     {"Sec-Fetch-Site": "same-site"}], ids=["origin", "cross-site", "same-site"])
def test_a_cookie_from_another_page_changes_nothing(world, headers):
    """The administrator's own browser, on somebody else's page."""
    session = world.session_of("admin")
    for name in WRITES:
        path, options = prepare(world, name, "stranger" if EXPECTED[name] is not OPEN else "administrator")
        answer = requests.request(OPERATIONS[name][0], world.server.url + path, timeout=60,
                                  headers={"Cookie": f"trainyard_session={session}", **headers}, **options)
        assert answer.status_code == 403, f"{name}: {answer.status_code} {answer.text}"
    assert world.server.get("/api/v1/users/me", token=session)["name"] == "admin"


def test_a_smaller_token_is_smaller_everywhere(world):
    """An administrator's read token changes nothing, and their write token administers nothing."""
    tokens = {scope: world.server.create_token(name=scope, scopes=[scope])["token"] for scope in ("read", "write")}
    for name, (method, _, _) in OPERATIONS.items():
        if EXPECTED[name] is OPEN or name in ("sign_out", "follow_events", "check_job_file", "convert_job_file"):
            continue
        path, options = prepare(world, name, "stranger")
        reading = world.server.call(method, path, token=tokens["read"], **options)
        assert method == "GET" or reading.status_code == 403, f"{name}: {reading.status_code} {reading.text}"
        if EXPECTED[name] is ADMINISTRATORS and name != "show_metrics":
            writing = world.server.call(method, path, token=tokens["write"], **options)
            assert writing.status_code == 403, f"{name}: {writing.status_code} {writing.text}"


def test_rights_that_are_taken_away_end_what_is_open(world):
    """A stream of events and a followed log end for somebody who is disabled, however busy they are."""
    name = fresh("leaver")
    token = world.person(name, "red", "member")
    job = world.new_job("'while sleep 0.2; do echo tick; done'")
    world.server.wait(job, "running")
    opened = [requests.get(f"{world.server.url}{path}", headers={"Authorization": f"Bearer {token}"}, stream=True, timeout=30)
              for path in (f"/api/v1/jobs/{job}/logs?follow=true", "/api/v1/events")]
    assert [one.status_code for one in opened] == [200, 200]
    world.server.act(204, "PUT", f"/api/v1/users/{name}/disabled", json={"disabled": True})

    def noise():    # so that the stream is never silent
        world.server.act(200, "POST", f"/api/v1/jobs/{job}/limit", json={"time_limit": f"{next(NUMBER) + 3600}s"})

    for one in opened:
        ended = []

        def read(answer=one, ended=ended):
            try:
                for _ in answer.iter_content(None):
                    pass
            except requests.exceptions.RequestException:
                pass
            ended.append(True)

        threading.Thread(target=read, daemon=True).start()
        eventually(lambda: noise() or ended, "it ends", patience=25, pause=0.2)
    world.server.delete(job, force=True)


def test_json_of_refusals_is_alike(world):
    """A job of others and one that never was are told apart by nothing."""
    stranger = world.tokens["stranger"]
    for name, (method, path, _) in OPERATIONS.items():
        if "{id}" not in path or name == "move_job":
            continue
        filled, options = prepare(world, name, "stranger")
        theirs = world.server.call(method, filled, token=stranger, **options)
        none = world.server.call(method, filled.replace(world.job, "k" + "0" * 31), token=stranger, **options)
        alike = [json.dumps({k: v for k, v in answer.json().items() if k not in ("request_id", "says")})
                 .replace(world.job[:8], "k0000000")[:60] for answer in (theirs, none)]
        assert theirs.status_code == none.status_code == 404 and alike[0] == alike[1], (name, alike)
