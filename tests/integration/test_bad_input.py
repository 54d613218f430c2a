"""What bad input gets: a clear message that names the field or the cause and what to do, the right status, and nothing
changed."""
import concurrent.futures
import json
import socket

import pytest

pytestmark = pytest.mark.core

MIB = 1 << 20


@pytest.fixture(autouse=True)
def nothing_changed(server):
    """No test in this file may leave a job behind."""
    before = [job["id"] for job in server.jobs()]
    yield
    assert [job["id"] for job in server.jobs()] == before


def refuse(server, body, status, *words, **options):
    """Submits something that must be refused; returns the answer's body."""
    answer = server.call("POST", "/api/v1/jobs", data=body if isinstance(body, bytes) else body.encode(), **options)
    assert answer.status_code == status, f"{answer.status_code} {answer.text[:500]}"
    problem = answer.json()
    assert problem["code"] and problem["message"] and problem["request_id"]
    text = json.dumps(problem, ensure_ascii=False)
    for word in words:
        assert word in text, f"{word!r} is not in {text[:1500]}"
    return problem


# (job file, words the answer must hold)
FAULTS = {
    "unknown field": ("run: x\ngpuss: 1\n", ["gpuss", "gpus"]),
    "unknown field of a role": ("roles:\n  w: {run: x, comand: y}\n", ["comand"]),
    "wrong type": ("run: x\ngpus: two\n", ["gpus", "two", "whole number"]),
    "list instead of text": ("run: x\nname: [a]\n", ["name"]),
    "map instead of number": ("run: x\ncount: {a: 1}\n", ["count"]),
    "empty command": ("run: ''\n", ["run"]),
    "empty list as command": ("run: []\n", ["run"]),
    "blank command": ("run: '   '\n", ["run"]),
    "no command": ("name: x\nroles: {w: {cpus: 1}}\n", ["run"]),
    "empty file": ("", ["empty"]),
    "only a comment": ("# nothing\n", []),
    "a list": ("- run: x\n", ["map"]),
    "a number": ("42\n", []),
    "duplicate key": ("run: x\nname: a\nname: b\n", ["name", "twice", "2"]),
    "duplicate key in JSON": ('{"run": "x", "name": "a", "name": "b"}', ["name", "twice"]),
    "duplicate role": ("run: x\nroles:\n  w: {}\n  w: {}\n", ["w", "twice"]),
    "roles that differ only in case": ("run: x\nroles:\n  worker: {}\n  Worker: {}\n", ["Worker", "rename one"]),
    "negative count": ("run: x\ncount: -1\n", ["count", "1 or more"]),
    "zero count": ("run: x\ncount: 0\n", ["count", "1 or more"]),
    "too many tasks": ("run: x\ncount: 5000\n", ["count", "4096"]),
    "negative memory": ("run: x\nmemory: -1GB\n", ["memory"]),
    "memory without unit": ("run: x\nmemory: 16\n", ["memory", "unit"]),
    "memory in words": ("run: x\nmemory: 16 Gigs\n", ["memory", "16 Gigs"]),
    "overflowing memory": ("run: x\nmemory: 99999999999999999999GB\n", ["memory"]),
    "overflowing number": ("run: x\ncount: 99999999999999999999\n", ["count", "99999999999999999999"]),
    "negative cpus": ("run: x\ncpus: -2\n", ["cpus"]),
    "cpus nobody has": ("run: x\ncpus: 99999999999\n", ["cpus"]),
    "half a GPU": ("run: x\ngpus: 0.5\n", ["gpus", "0.5"]),
    "octal number": ("run: x\ncount: 012\n", ["count"]),
    "bad duration": ("run: x\ntime_limit: 2 hours\n", ["time_limit", "2 hours", "2h"]),
    "negative duration": ("run: x\ntime_limit: -5m\n", ["time_limit"]),
    "endless duration": ("run: x\ntime_limit: 99999999999d\n", ["time_limit"]),
    "bad name": ("run: x\nname: my job\n", ["name", "my job"]),
    "long name": ("run: x\nname: " + "a" * 300 + "\n", ["name"]),
    "bad priority": ("run: x\npriority: hihg\n", ["priority", "hihg", "low, normal, high"]),
    "bad variable name": ("run: x\nenv: {1A: x}\n", ["1A"]),
    "reserved variable": ("run: x\nenv: {TRAINYARD_X: x}\n", ["TRAINYARD_"]),
    "huge variable": ("run: x\nenv: {A: " + "y" * 70000 + "}\n", ["env"]),
    "huge command": ("run: " + "x" * (300 * 1024) + "\n", ["run"]),
    "unknown role in after": ("roles:\n  a: {run: x, after: b}\n", ["b"]),
    "roles waiting for each other": ("roles:\n  a: {run: x, after: b}\n  b: {run: x, after: a}\n", ["waits for itself"]),
    "two main roles": ("run: x\nroles:\n  a: {main: true}\n  b: {main: true}\n", ["main"]),
    "more failures than tasks": ("run: x\nfail_when: 5\n", ["fail_when"]),
    "shm over memory": ("run: x\nmemory: 4GB\nshm: 8GB\n", ["shm"]),
    "unset parameter": ("run: echo ${{ lr }}\n", ["lr"]),
    "local folder over HTTP": ("run: x\ncode: ./src\n", ["./src", "trainyard"]),
    "deep nesting": ("run: x\nextras: " + "[" * 60 + "]" * 60 + "\n", ["32"]),
    "broken YAML": ("run: 'x\n", []),
    "tab as indentation": ("roles:\n\tw:\n\t\trun: x\n", ["tab"]),
    "foreign tag": ("run: !!python/object x\n", ["tag"]),
    "invisible characters in a name": ("run: x\nname: \"a\u202eb\"\n", ["name"]),
    "path that climbs": ("run: x\nworkdir: /a/../../etc\n", ["workdir"]),
    "relative workdir": ("run: x\nworkdir: data\n", ["workdir"]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_job_file_is_refused_with_its_place(server, name):
    text, words = FAULTS[name]
    refuse(server, text, 400, *words)


@pytest.mark.parametrize("name", ["unknown field", "wrong type", "negative count", "duplicate key"])
def test_every_fault_has_line_and_column(server, name):
    problem = refuse(server, FAULTS[name][0], 400)
    for detail in problem["details"]:
        assert detail["line"] >= 1 and detail["column"] >= 1, detail
        assert detail["message"], detail


def test_all_faults_come_at_once(server):
    problem = refuse(server, "run: x\ngpus: two\nmemory: 16\ncount: 0\nnmae: x\n", 400, "gpus", "memory", "count", "nmae")
    assert len(problem["details"]) == 4


@pytest.mark.parametrize("body", [b"run: a\0b\n", b'{"run": "a\\u0000b"}', b'run: "a\\0b"\n'])
def test_nul_bytes_are_refused(server, body):
    refuse(server, body, 400, "NUL")


@pytest.mark.parametrize("body, word", [
    (b"run: \xff\xfe\n", "UTF-8"),
    ("run: x\n".encode("utf-16"), "UTF-8"),
    (b"PK\3\4aaaa", "archive"),
    (b"\x1f\x8b\x08aaaa", "archive"),
    (b"#!/bin/sh\necho x\n", "script"),
    (b"run: a\x01b\n", "1"),
])
def test_bytes_that_are_no_job_file_are_named(server, body, word):
    refuse(server, body, 400, word)


def test_a_yaml_bomb_is_refused_at_once(server):
    bomb = "x-a: &a [x,x,x,x,x,x,x,x,x,x]\n"
    names = "abcdefghij"
    for before, name in zip(names, names[1:]):
        bomb += f"x-{name}: &{name} [" + ",".join([f"*{before}"] * 10) + "]\n"
    refuse(server, bomb + "run: x\n", 400, "alias")


def test_an_alias_inside_itself_is_refused(server):
    refuse(server, "run: x\nextras: &a {b: *a}\n", 400)


def test_a_file_over_one_mebibyte_is_refused_by_size(server):
    refuse(server, "run: x\n#" + "y" * (2 * MIB), 413, "1 MiB")


def test_a_body_of_100_megabytes_is_refused_without_being_kept(server):
    def chunks():
        for _ in range(100):
            yield b"y" * MIB

    before = memory(server)
    # The server may answer and close before all has been sent.
    with socket.create_connection(("127.0.0.1", int(server.url.rsplit(":", 1)[1])), timeout=30) as wire:
        wire.sendall((f"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
                      f"Content-Length: {100 * MIB}\r\n\r\n").encode())
        try:
            for chunk in chunks():
                wire.sendall(chunk)
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = receive(wire)
    assert answer.startswith(b"HTTP/1.1 413"), answer[:200]
    assert b"1 MiB" in answer
    assert memory(server) < before + 64 * MIB
    assert server.call("GET", "/healthz").status_code == 200


def receive(wire):
    answer = b""
    try:
        while block := wire.recv(65536):
            answer += block
            if b"\r\n\r\n" in answer and answer.rstrip().endswith(b"}"):
                break
    except ConnectionResetError:
        pass
    return answer


def memory(server):
    """Resident bytes of the server."""
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))


def test_unknown_ids_are_not_found(server):
    for path in ("/api/v1/jobs/a0000000000000000000000000000000", "/api/v1/jobs/zzzz", "/api/v1/jobs/admin~nothing",
                 "/api/v1/jobs/a0000000000000000000000000000000/logs", "/api/v1/nothing", "/api/v2/jobs"):
        answer = server.call("GET", path)
        assert answer.status_code == 404, f"{path}: {answer.status_code}"
        assert answer.json()["code"] == "not_found"
        assert answer.json()["message"]


def test_ids_that_are_no_ids_harm_nothing(server):
    for name in ("%00", "..%2f..%2fetc%2fpasswd", "%ff%fe", "a" * 5000, "'; drop table jobs; --", "%0d%0aX: y"):
        answer = server.call("GET", f"/api/v1/jobs/{name}")
        assert answer.status_code in (400, 404, 414), f"{name}: {answer.status_code}"


@pytest.mark.parametrize("query, word", [
    ("state=runing", "runing"), ("limit=0", "limit"), ("limit=-1", "limit"), ("limit=100000", "limit"),
    ("limit=x", "limit"), ("sort=size", "sort"), ("cursor=nonsense", "cursor"), ("dialect=latin", "dialect"),
    ("created_from=yesterday", "created_from"), ("nmae=x", "nmae"),
])
def test_faulty_queries_are_named(server, query, word):
    answer = server.call("GET", f"/api/v1/jobs?{query}")
    assert answer.status_code == 400, f"{query}: {answer.status_code} {answer.text}"
    assert word in answer.text


def test_the_wrong_method_is_said(server):
    answer = server.call("PUT", "/api/v1/jobs")
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"] and "POST" in answer.headers["Allow"]


@pytest.mark.parametrize("raw", [
    b"GARBAGE\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /api/v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    b"GET /api/v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    b"\0\0\0\0\r\n\r\n",
    b"POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
])
def test_broken_http_gets_a_4xx_or_a_closed_door(server, raw):
    with socket.create_connection(("127.0.0.1", int(server.url.rsplit(":", 1)[1])), timeout=10) as wire:
        try:
            wire.sendall(raw)
            wire.shutdown(socket.SHUT_WR)
            answer = receive(wire)
        except (ConnectionResetError, BrokenPipeError):
            answer = b""
    assert answer == b"" or answer.split()[1].startswith(b"4"), answer[:200]
    assert server.call("GET", "/healthz").status_code == 200


def test_faulty_input_in_parallel_harms_nobody(server):
    bodies = [text.encode() for text, _ in FAULTS.values()] * 3
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda body: server.call("POST", "/api/v1/jobs", data=body).status_code, bodies)
        assert set(answers) == {400}
    assert server.call("GET", "/readyz").status_code == 200
