"""Registry passwords go to their own server only, and names of images reach nothing but images."""
import base64
import http.server
import json
import random
import threading

import docker
import pytest
from trainyard import Server, eventually

PASSWORD = "open sesame 42"


class Registry:
    """Asks everybody for a password, lets nobody in, and remembers what it was shown."""

    def __init__(self):
        self.asked, self.shown = [], []
        seen = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                seen.asked.append(self.path)
                if "Authorization" in self.headers:
                    kind, _, rest = self.headers["Authorization"].partition(" ")
                    seen.shown.append(base64.b64decode(rest).decode() if kind == "Basic" else rest)
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="here"')
                self.send_header("Docker-Distribution-API-Version", "registry/2.0")
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_HEAD = do_POST = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    started = docker.Daemon(tmp_path_factory.mktemp("dockerd"))
    started.busybox("bb:1")
    yield started
    started.destroy()


@pytest.fixture
def registries():
    made = {name: Registry() for name in ("corp", "evil")}
    yield made
    for one in made.values():
        one.close()


@pytest.fixture(scope="module")
def server(daemon, tmp_path_factory):
    with Server(tmp_path_factory.mktemp("registries") / "data", TRAINYARD_RUNTIME="docker",
                TRAINYARD_DOCKER__SOCKET=daemon.socket, TRAINYARD_DOCKER__PULL_PATIENCE="10s",
                TRAINYARD_DOCKER__SUBNETS=f"10.{random.randrange(64, 250)}.0.0/16") as running:
        running.mallory = running.create_user("mallory")
        yield running


def keep_login(server, registry):
    """The workspace's own login, which every member uses and nobody of them knows."""
    server.act(204, "PUT", f"/api/v1/registries/{registry.address}",
               json={"username": "corp-robot", "password": PASSWORD, "workspace": "default"})


def attempts(corp, evil):
    volcano = f"""apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: pull-{random.randrange(10**6)}}}
spec:
  tasks:
    - replicas: 1
      name: main
      template:
        spec:
          imagePullSecrets: [{{name: "{corp}"}}]
          containers: [{{name: main, image: "{evil}/x:1", command: [id]}}]
"""
    return {"native": f"image: {{name: '{evil}/x:1', auth: '{corp}'}}\nrun: id",
            "spelled otherwise": f"image: {{name: '{evil}/x:1', auth: 'http://{corp.upper()}/'}}\nrun: id",
            "volcano": volcano,
            "without asking for it": f"image: '{evil}/x:1'\nrun: id"}


@pytest.mark.parametrize("way", ["native", "spelled otherwise", "volcano", "without asking for it"])
def test_a_login_is_never_sent_to_another_registry(server, registries, way):
    keep_login(server, registries["corp"])
    text = attempts(registries["corp"].address, registries["evil"].address)[way]
    answer = server.call("POST", "/api/v1/jobs", token=server.mallory, data=text)
    if answer.status_code == 201:
        server.wait(answer.json()["id"], "failed")
    else:
        assert answer.status_code in (400, 422), answer.text
    assert registries["evil"].shown == []


def test_a_login_is_used_for_its_own(server, registries):
    keep_login(server, registries["corp"])
    server.wait(server.submit(f"image: {registries['corp'].address}/x:1\nrun: id", token=server.mallory), "failed")
    assert f"corp-robot:{PASSWORD}" in registries["corp"].shown
    named = f"image: {{name: '{registries['corp'].address}/y:1', auth: '{registries['corp'].address}'}}\nrun: id"
    before = len(registries["corp"].shown)
    server.wait(server.submit(named, token=server.mallory), "failed")
    assert len(registries["corp"].shown) > before


BAD = ["../containers/json?all=1#", "bb:1/../../containers/create?name=x&x=", "bb:1?fromSrc=-", "bb:1#", "a/../b", "bb:1\t", "bb:1 x",
       "bb%3A1", "bb:1\\x", "BB:1", "bb@sha256:1", "user:pass@corp.example/x", "corp.example@evil.example/x", "//x", "x//y", "bb:", ":1",
       "http://evil.example/x", "bb:1\r\nX-Registry-Auth: x", "a" * 300]


@pytest.mark.parametrize("name", BAD)
def test_a_name_of_an_image_is_nothing_else(server, name):
    answer = server.call("POST", "/api/v1/jobs", token=server.mallory, data=json.dumps({"image": name, "run": "id"}))
    assert answer.status_code in (400, 422), f"{name!r}: {answer.status_code} {answer.text}"


@pytest.mark.parametrize("name", ["bb:1", "bb", "docker.io/library/bb:1", "a/b-c/d_e/f__g:v1.0-rc_2"])
def test_good_names_stay_good(server, name):
    answer = server.call("POST", "/api/v1/jobs?dry_run=true", token=server.mallory, data=f"image: {name}\nrun: id")
    assert answer.status_code == 200, answer.text


def test_an_image_by_its_id_runs(server, daemon):
    status, image = daemon("GET", "/images/bb:1/json")
    assert status == 200
    job = server.submit(f"image: '{image['Id']}'\nrun: echo by id", token=server.mallory)
    server.wait(job, "succeeded")
    assert eventually(lambda: server.logs(job), "its log") == "by id\n"
