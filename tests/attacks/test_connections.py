"""Connections that do nothing, thousands of them: others are served, and jobs start."""
import contextlib
import resource
import socket
import time

import pytest
import requests

from trainyard import PROGRAM, eventually

SECONDS = 3   # within which others must be served


@pytest.fixture(autouse=True)
def many_files():
    """This process needs as many descriptors as it opens connections."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65_536, max(before[1], before[0])), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def address(server):
    host, port = server.url.removeprefix("http://").split(":")
    return host, int(port)


def crowd(stack, server, count, source):
    """Idle connections from one address; those that the server closed meanwhile stay closed."""
    for n in range(count):
        one = stack.enter_context(socket.socket())
        one.settimeout(SECONDS)
        one.bind((source, 0))
        with contextlib.suppress(OSError):
            one.connect(address(server))
            if n % 2:
                one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")


def ask_from(server, source):
    """One request on a fresh connection from that address."""
    with socket.socket() as one:
        one.settimeout(SECONDS)
        one.bind((source, 0))
        one.connect(address(server))
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        return one.recv(100)


def with_few_files(tmp_path, count):
    """The program, allowed to open only so many files."""
    script = tmp_path / "few-files"
    script.write_text(f'#!/bin/sh\nulimit -n {count} || exit 99; exec {PROGRAM} "$@"\n')
    script.chmod(0o755)
    return script


def test_ten_thousand_from_one_address_leave_room_for_others(make_server):
    server = make_server().start()
    with contextlib.ExitStack() as stack:
        crowd(stack, server, 10_000, "127.0.0.2")
        for source in ("127.0.0.1", "127.0.0.3", "127.0.0.2"):
            assert ask_from(server, source).startswith(b"HTTP/1.1 200"), source
        began = time.monotonic()
        job = server.submit("run: echo served")
        server.wait(job, "succeeded")
        assert time.monotonic() - began < 2 * SECONDS


def test_two_thousand_do_not_stop_job_starts(make_server, tmp_path):
    """They must not use up the descriptors that starting a task needs."""
    server = make_server(program=with_few_files(tmp_path, 1024)).start()
    with contextlib.ExitStack() as stack:
        crowd(stack, server, 2_000, "127.0.0.2")
        jobs = [server.submit(f"run: echo {n}") for n in range(20)]
        for n, job in enumerate(jobs):
            assert server.wait(job, "succeeded", patience=20)["attempt"] == 0
            assert server.logs(job) == f"{n}\n"


def test_open_streams_of_one_address_leave_room_for_others(make_server, tmp_path):
    """Followers are not idle, so they are not closed; one address can have no more than its share of them."""
    server = make_server(program=with_few_files(tmp_path, 1024)).start()
    eve = server.create_user("eve")
    follow = (f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {eve}\r\n"
              "Accept: text/event-stream\r\n\r\n").encode()
    with contextlib.ExitStack() as stack:
        answered = []
        for _ in range(700):
            one = stack.enter_context(socket.socket())
            one.settimeout(SECONDS)
            one.bind(("127.0.0.2", 0))
            with contextlib.suppress(OSError):
                one.connect(address(server))
                one.sendall(follow)
                answered.append(one.recv(12))
        assert answered.count(b"HTTP/1.1 200") < 600, "a share"
        assert ask_from(server, "127.0.0.1").startswith(b"HTTP/1.1 200")
        server.wait(server.submit("run: true"), "succeeded", patience=20)
    eventually(lambda: requests.get(server.url + "/healthz", timeout=SECONDS).ok, "served again")


@pytest.mark.parametrize("head", [
    b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: 1\r\n  folded\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: 1\r\n\tfolded\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n Host: 127.0.0.1\r\n\r\n",
    b"POST /api/v1/login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    b"POST /api/v1/login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /api/v1/login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    b"POST /api/v1/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
], ids=["folded by blanks", "folded by a tab", "folded first field", "gzip, chunked", "two codings", "identity", "length and chunked"])
def test_a_request_that_another_server_would_read_otherwise_is_refused(server, head):
    """Byte by byte too: where a request is cut into packets changes nothing."""
    for piece in (len(head), 1):
        with socket.create_connection(address(server), SECONDS) as one:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with contextlib.suppress(OSError):
                for at in range(0, len(head), piece):
                    one.sendall(head[at:at + piece])
            answer = b""
            with contextlib.suppress(OSError):
                while got := one.recv(4096):
                    answer += got
        assert answer.startswith(b"HTTP/1.1 400") and answer.count(b"HTTP/1.1 ") == 1, answer
