"""What waits, why, and behind whom: another workspace's jobs are counted, never named, in whatever is answered."""
import hashlib
import io
import json
import tarfile

import pytest
from trainyard import Server, eventually, events, free_port

SECRET = "merger-with-acme"   # what ann calls her jobs, and bob must never read


@pytest.fixture
def site(make_server):
    """ann of workspace red, bob and beth of workspace blue, on a machine of four CPUs."""
    server = make_server(TRAINYARD_NODE__CPUS="4", TRAINYARD_NODE__MEMORY="64GB")
    server.start()
    server.people = {}
    for name, workspace in (("ann", "red"), ("bob", "blue"), ("beth", "blue")):
        server.people[name] = server.create_user(name)
        server.call("POST", "/api/v1/workspaces", json={"name": workspace})
        server.act(204, "PUT", f"/api/v1/workspaces/{workspace}/members/{name}", json={"role": "member"})
        server.act(204, "DELETE", f"/api/v1/workspaces/default/members/{name}")
    return server


class Watch:
    """All that one person was answered."""

    def __init__(self, server, name):
        self.server, self.token, self.heard = server, server.people[name], []

    def call(self, method, path, **options):
        answer = self.server.call(method, path, token=self.token, **options)
        self.heard.append(f"{method} {path}: {answer.text}")
        return answer

    def get(self, path):
        answer = self.call("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def submit(self, text):
        answer = self.call("POST", "/api/v1/jobs", data=text)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def look_at(self, job):
        """Everything there is to ask about a job of one's own."""
        for part in ("", "/why", "/events", "/attempts", "/tasks", "/spec", "/logs", "/metrics"):
            self.call("GET", f"/api/v1/jobs/{job}{part}")
        for path in ("/api/v1/jobs", "/api/v1/queue", "/api/v1/nodes", "/api/v1/scheduling", "/api/v1/jobs/counts"):
            self.call("GET", path)

    def knows(self, *words):
        return [text[:1500] for text in self.heard if any(word in text for word in words)]


def job(name, workspace, cpus, extra="", run="sleep 1000"):
    return f"name: {name}\nworkspace: {workspace}\ncpus: {cpus}\nmemory: 64MB\n{extra}run: {run}\n"


def codes(forecast):
    """Of every message in it, also inside others."""
    found = []

    def look(value):
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
            look(part)
        if isinstance(value, dict) and "code" in value:
            found.append(value["code"])

    look([forecast["reasons"], forecast["change"]])
    return found


def test_who_would_have_to_stop(site):
    theirs = site.submit(job(SECRET, "red", 4), token=site.people["ann"])
    site.wait(theirs, "running")
    bob = Watch(site, "bob")
    mine = bob.submit(job("mine", "blue", 4))
    why = bob.get(f"/api/v1/jobs/{mine}/why")
    assert "stop_jobs" in codes(why), why
    assert "1 job of others" in why["change"]["text"] and "job_ids" not in why["change"]["data"], why
    dry = bob.call("POST", "/api/v1/jobs?dry_run=true", data=job("try", "blue", 4)).json()
    assert "stop_jobs" in codes(dry["forecast"]), dry
    bob.look_at(mine)
    assert bob.knows(SECRET, theirs, theirs[:8], "ann", "red") == []
    # Whoever may see it is told.
    shown = site.get(f"/api/v1/jobs/{mine}/why")
    assert SECRET in shown["change"]["text"] and shown["change"]["data"]["job_ids"] == [theirs], shown


def test_one_of_ones_own_and_one_of_others(site):
    theirs = site.submit(job(SECRET, "red", 2), token=site.people["ann"])
    beths = site.submit(job("of-beth", "blue", 2), token=site.people["beth"])
    for one in (theirs, beths):
        site.wait(one, "running")
    bob = Watch(site, "bob")
    why = bob.get(f"/api/v1/jobs/{bob.submit(job('mine', 'blue', 4))}/why")
    assert why["change"]["data"]["job_ids"] == [beths], why
    assert "of-beth and 1 job of others" in why["change"]["text"], why
    assert bob.knows(SECRET, theirs) == []


def test_who_goes_first(site):
    rules = site.get("/api/v1/scheduling")
    rules["backfill"] = False
    rules.pop("version", None)
    site.act(200, "PUT", "/api/v1/scheduling", json=rules)
    site.wait(site.submit(job("filler", "red", 3), token=site.people["ann"]), "running")
    theirs = site.submit(job(SECRET, "red", 4, "priority: 50\n"), token=site.people["ann"])
    bob = Watch(site, "bob")
    mine = bob.submit(job("mine", "blue", 1))
    why = eventually(lambda: (w := bob.get(f"/api/v1/jobs/{mine}/why")) and {"behind", "would_delay"} & set(codes(w)) and w,
                     "it waits behind the other")
    assert any("a job of others" in reason["text"] for reason in why["reasons"]), why
    assert all("job_id" not in reason["data"] for reason in why["reasons"]), why
    bob.call("POST", "/api/v1/jobs?dry_run=true", data=job("try", "blue", 1))
    bob.look_at(mine)
    assert bob.knows(SECRET, theirs, "filler") == []


def test_who_has_the_port(site):
    port = free_port()
    theirs = site.submit(job(SECRET, "red", 1, f"ports: {{http: {port}}}\n"), token=site.people["ann"])
    site.wait(theirs, "running")
    bob = Watch(site, "bob")
    mine = bob.submit(job("mine", "blue", 1, f"ports: {{http: {port}}}\n"))
    why = bob.get(f"/api/v1/jobs/{mine}/why")
    assert "port_taken" in codes(why), why
    bob.look_at(mine)
    assert bob.knows(SECRET, theirs) == []


def test_whom_one_made_room_for(site):
    """The reason of a preemption is stored: event stream, decision, attempts and task tries all show it."""
    bob = Watch(site, "bob")
    mine = bob.submit(job("mine", "blue", 4, "priority: -10\npreemptible: true\n"))
    site.wait(mine, "running")
    theirs = site.submit(job(SECRET, "red", 4, "priority: 50\n"), token=site.people["ann"])
    site.wait(theirs, "running")
    eventually(lambda: bob.get(f"/api/v1/jobs/{mine}")["retries"]["preempted"] == 1, "it was preempted")
    bob.look_at(mine)
    seen = []
    for event in events_of(site, site.people["bob"]):
        seen.append(json.dumps(event))
        if "preempt" in seen[-1]:
            break
    assert any("a job of others" in text or "job_of_others" in text for text in [*seen, *bob.heard]), bob.heard
    assert [text for text in [*seen, *bob.heard] if SECRET in text or theirs in text or "red" in text.split()] == []


def events_of(server, token):
    class AsThem:
        def call(self, *words, **options):
            return server.call(*words, token=token, **options)
    for _, kind, data in events(AsThem(), query="?after=0"):
        yield {"kind": kind, **data}


def test_where_an_administrator_put_it(site):
    site.wait(site.submit(job("filler", "red", 4), token=site.people["ann"]), "running")
    theirs = site.submit(job(SECRET, "red", 4), token=site.people["ann"])
    bob = Watch(site, "bob")
    mine = bob.submit(job("mine", "blue", 4))
    site.act(200, "POST", f"/api/v1/jobs/{mine}/move", json={"before": theirs})
    moved = [event for event in bob.get(f"/api/v1/jobs/{mine}/events")["events"] if event["kind"] == "job.moved"]
    assert len(moved) == 1 and moved[0]["data"] == {}, moved
    assert bob.knows(theirs, SECRET) == []
    shown = [e for e in site.get(f"/api/v1/jobs/{mine}/events")["events"] if e["kind"] == "job.moved"]
    assert shown[0]["data"]["before"] == theirs


def test_the_beginning_of_an_id_finds_nobody_elses(site):
    """Where several ids begin alike, those who asked were told all of them, with their names."""
    site.wait(site.submit(job("filler", "red", 4), token=site.people["ann"]), "running")
    seen = {}
    while True:
        one = site.submit(job(SECRET, "red", 4), token=site.people["ann"])
        if one[:4] in seen:
            break
        seen[one[:4]] = one
    bob = Watch(site, "bob")
    for part in ("", "/logs", "/why"):
        same = bob.call("GET", f"/api/v1/jobs/{one[:4]}{part}")
        none = bob.call("GET", f"/api/v1/jobs/zzzz{part}")
        assert same.status_code == none.status_code == 404, same.text
        assert same.json()["message"].replace(one[:4], "") == none.json()["message"].replace("zzzz", "")
    assert bob.knows(SECRET, one, seen[one[:4]]) == []
    assert site.call("GET", f"/api/v1/jobs/{one[:4]}").status_code == 409, "the administrator has the choice"


def test_what_is_not_ones_own_does_not_exist(site):
    theirs = site.submit(job(SECRET, "red", 1), token=site.people["ann"])
    bob = Watch(site, "bob")
    for method, path, body in (("PUT", "/api/v1/workspaces/{}/members/bob", {"json": {"role": "manager"}}),
                               ("DELETE", "/api/v1/workspaces/{}/members/ann", {}),
                               ("PUT", "/api/v1/registries/r.example", {"json": {"username": "u", "password": "p", "workspace": "{}"}}),
                               ("GET", "/api/v1/jobs?workspace={}", {}),
                               ("POST", "/api/v1/jobs", {"data": job("x", "{}", 1)})):
        def ask(name):
            filled = json.loads(json.dumps(body).replace("{}", name)) if body else {}
            answer = bob.call(method, path.replace("{}", name), **filled)
            return answer.status_code, answer.json()["message"].replace(name, "…")
        assert ask("red") == ask("nobody-has-this"), (method, path)
        assert ask("red")[0] == 404, (method, path)
    for path in (f"/api/v1/jobs/{theirs}", f"/api/v1/jobs/ann~{SECRET}"):
        for method, verb in (("GET", ""), ("GET", "/logs"), ("POST", "/stop"), ("DELETE", ""), ("POST", "/retry")):
            assert bob.call(method, path + verb).status_code == 404, (method, path, verb)


def test_rules_and_figures_by_role(site):
    rules = site.get("/api/v1/scheduling")
    rules.pop("version", None)
    node = site.get("/api/v1/nodes")["nodes"][0]["name"]
    rules["quotas"] = [{"workspace": name, "limit": {"gpus": 3}} for name in ("red", "blue")]
    rules["reservations"] = [{"name": "week", "nodes": [node], "workspaces": ["red", "blue"], "users": ["ann", "bob"],
                              "from": "2040-01-01T00:00:00Z", "to": "2040-01-02T00:00:00Z"}]
    site.act(200, "PUT", "/api/v1/scheduling", json=rules)
    bob = Watch(site, "bob")
    shown = bob.get("/api/v1/scheduling")
    assert [quota["workspace"] for quota in shown["quotas"]] == ["blue"]
    assert shown["reservations"][0]["workspaces"] == ["blue"] and shown["reservations"][0]["users"] == ["bob"]
    assert bob.knows("red", "ann") == []
    assert bob.call("GET", "/metrics").status_code == 403
    reader = site.create_token(name="prometheus", scopes=["read"])["token"]
    assert site.call("GET", "/metrics", token=reader).status_code == 200


# -- code of others

def archive(text):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        info = tarfile.TarInfo("model.py")
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    return made.getvalue()


def test_code_of_others_is_not_had_for_its_number(site):
    packed = archive(SECRET.encode())
    sha = hashlib.sha256(packed).hexdigest()
    text = "workspace: {}\ncpus: 0.1\nmemory: 64MB\n{}\nrun: cat model.py\n"
    sent = site.call("POST", "/api/v1/jobs", token=site.people["ann"],
                     files={"job": ("job.yaml", text.format("red", "code: .")), "code": ("code.tar", packed)})
    assert sent.status_code == 201, sent.text
    site.wait(sent.json()["id"], "succeeded")
    bob = Watch(site, "bob")

    def use(number):
        answer = bob.call("POST", "/api/v1/jobs", data=text.format("blue", f"code: 'upload:{number}'"))
        return answer.status_code, answer.json().get("code")

    assert use(sha)[0] in (400, 404, 422), use(sha)
    assert use(sha) == use(hashlib.sha256(b"never sent").hexdigest())
    # Who sends it has it, and who may see a job with it may use it again.
    sent = bob.call("POST", "/api/v1/jobs", files={"job": ("job.yaml", text.format("blue", "code: .")), "code": ("code.tar", packed)})
    assert sent.status_code == 201
    beth = Watch(site, "beth")
    assert beth.call("POST", f"/api/v1/jobs/{sent.json()['id']}/clone", json={}).status_code == 201


# -- a queue that one person fills

def test_one_person_does_not_fill_the_queue(make_server):
    server = make_server(TRAINYARD_NODE__CPUS="1", TRAINYARD_JOBS__MAX_WAITING_PER_USER="3")
    server.start()
    mallory, bob = server.create_user("mallory"), server.create_user("bob")
    first = server.submit(job("first", "default", 1), token=mallory)
    server.wait(first, "running")
    waiting = [server.submit(job(f"w{i}", "default", 1), token=mallory) for i in range(3)]
    refused = server.call("POST", "/api/v1/jobs", token=mallory, data=job("more", "default", 1))
    assert refused.status_code == 429 and "jobs.max_waiting_per_user" in refused.text, refused.text
    assert server.call("POST", f"/api/v1/jobs/{first}/clone", token=mallory, json={}).status_code == 429
    # A paused job still counts; others are not in it; several at once are counted together.
    server.act(202, "POST", f"/api/v1/jobs/{waiting[0]}/pause", token=mallory)
    assert server.call("POST", "/api/v1/jobs", token=mallory, data=job("more", "default", 1)).status_code == 429
    sweep = "params: {a: 1}\n" + job("sweep", "default", 1, run="echo ${{ a }}")
    assert server.call("POST", "/api/v1/jobs?param=a=1,2,3,4", token=bob, data=sweep).status_code == 429
    assert server.call("POST", "/api/v1/jobs?param=a=1,2,3", token=bob, data=sweep).status_code == 201
    # It is known again after a restart, and whoever stops one may hand in another.
    server.restart()
    assert server.call("POST", "/api/v1/jobs", token=mallory, data=job("more", "default", 1)).status_code == 429
    server.act(202, "POST", f"/api/v1/jobs/{waiting[1]}/stop", token=mallory)
    server.wait(waiting[1], "cancelled")
    assert server.call("POST", "/api/v1/jobs", token=mallory, data=job("more", "default", 1)).status_code == 201
