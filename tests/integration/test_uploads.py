"""Code that travels with a job: unpacked for its tasks, never outside their folder."""
import io
import os
import pathlib
import socket
import tarfile
import time
import zipfile

import pytest
from trainyard import Server, eventually

pytestmark = pytest.mark.core

FILE = "code: .\nrun: cat hello.txt\n"


def tar(entries, mode="w:gz"):
    """An archive of (TarInfo or name, bytes) pairs."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for entry, content in entries:
            info = entry if isinstance(entry, tarfile.TarInfo) else tarfile.TarInfo(entry)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def link(name, target, kind=tarfile.SYMTYPE):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def send(server, archive, text=FILE, part="code", **options):
    files = {"job": ("job.yaml", text), part: ("code.tar.gz", archive)}
    return server.call("POST", "/api/v1/jobs", files=files, **options)


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_tar_becomes_the_working_folder(server, mode):
    answer = send(server, tar([("hello.txt", b"from the archive\n")], mode))
    assert answer.status_code == 201, answer.text
    job = answer.json()["id"]
    server.wait(job, "succeeded")
    assert server.logs(job) == "from the archive\n"


def test_a_zip_works_too(server):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("hello.txt", "zipped\n")
    job = send(server, buffer.getvalue()).json()["id"]
    server.wait(job, "succeeded")
    assert server.logs(job) == "zipped\n"


def test_every_task_has_a_copy_of_its_own(server):
    text = "code: .\ncount: 2\nrun: |\n  echo $TRAINYARD_INDEX >> hello.txt\n  sleep 0.5\n  cat hello.txt\n"
    job = send(server, tar([("hello.txt", b"")]), text).json()["id"]
    server.wait(job, "succeeded")
    assert server.logs(job, task="main-0") == "0\n"
    assert server.logs(job, task="main-1") == "1\n"


def test_the_same_archive_serves_a_clone(server):
    job = send(server, tar([("hello.txt", b"again\n")])).json()["id"]
    server.wait(job, "succeeded")
    clone = server.clone(job)
    server.wait(clone, "succeeded")
    assert server.logs(clone) == "again\n"


EVIL = {
    "climbs out": [("../evil.txt", b"x")],
    "climbs out from within": [("a/../../evil.txt", b"x")],
    "absolute": [("/tmp/trainyard-evil.txt", b"x")],
    "link that leads out": [(link("out", "../../.."), b""), ("out/evil.txt", b"x")],
    "absolute link": [(link("etc", "/etc"), b""), ("etc/trainyard-evil", b"x")],
    "hard link to outside": [(link("passwd", "/etc/passwd", tarfile.LNKTYPE), b"")],
    "device": [(link("null", "", tarfile.CHRTYPE), b"")],
}


@pytest.mark.parametrize("name", EVIL)
def test_an_archive_that_reaches_outside_does_not(server, name):
    before = {path for path in server.data_dir.parent.rglob("*evil*")}
    answer = send(server, tar(EVIL[name]))
    if answer.status_code == 201:
        # Refused at the latest when it is unpacked: the job fails and says which entry it was.
        ended = server.wait(answer.json()["id"], "failed")
        assert ended["decision"]["reason"] == "code_failed", ended
    else:
        assert answer.status_code == 422, answer.text
        assert answer.json()["message"]
    assert {path for path in server.data_dir.parent.rglob("*evil*")} == before
    assert not pathlib.Path("/tmp/trainyard-evil.txt").exists() and not pathlib.Path("/etc/trainyard-evil").exists()


@pytest.mark.parametrize("archive", [b"", b"this is no archive", b"\x1f\x8b\x08" + b"\0" * 100,
                                     tar([("hello.txt", os.urandom(100_000))])[:50_000]],
                         ids=["empty", "text", "broken gzip", "cut off"])
def test_what_is_no_archive_is_said(server, archive):
    answer = send(server, archive)
    if answer.status_code == 201:
        ended = server.wait(answer.json()["id"], "failed")
        assert ended["decision"]["reason"] == "code_failed" and "archive" in ended["reason"], ended["reason"]
    else:
        assert answer.status_code == 400, answer.text


def test_a_folder_that_was_not_sent_is_named(server):
    answer = send(server, tar([("a", b"")]), "code: ./src\nrun: x\n", part="./other")
    assert answer.status_code == 400
    assert "./src" in answer.text


def test_a_multipart_body_without_a_job_is_refused(server):
    answer = server.call("POST", "/api/v1/jobs", files={"code": ("c.tar", tar([("a", b"")]))})
    assert answer.status_code == 400
    assert "job" in answer.text
    broken = server.call("POST", "/api/v1/jobs", data=b"--x\r\nContent-Disposition: form-data; name=job\r\n\r\nrun: x",
                         headers={"Content-Type": "multipart/form-data; boundary=x"})
    assert broken.status_code == 400


def test_half_of_an_upload_leaves_nothing(server):
    """The sender goes away in the middle."""
    before = sorted((server.data_dir / "uploads").rglob("*"))
    head = (f"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
            "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n--x\r\n"
            "Content-Disposition: form-data; name=\"code\"; filename=\"c\"\r\n\r\n")
    with socket.create_connection(("127.0.0.1", int(server.url.rsplit(":", 1)[1]))) as wire:
        wire.sendall(head.encode() + b"y" * 300_000)
    eventually(lambda: sorted((server.data_dir / "uploads").rglob("*")) == before, "the half file is gone")


def test_code_that_no_job_uses_any_more_goes_after_a_day(tmp_path):
    """Two archives from the day before yesterday; one of them belongs to a job that is still kept."""
    with Server(tmp_path / "data") as server:
        kept = send(server, tar([("hello.txt", b"kept\n")])).json()["id"]
        gone = send(server, tar([("hello.txt", b"gone\n")])).json()["id"]
        server.wait(kept, "succeeded")
        server.wait(gone, "succeeded")
        server.delete(gone)
        uploads = tmp_path / "data/uploads"
        assert len(list(uploads.iterdir())) == 4, "two archives and what was in them"
        (uploads / "incoming-0123456789abcdef").write_bytes(b"half an archive")
        server.restart()
        assert len(list(uploads.iterdir())) == 5, "all of it was sent just now"
        for path in uploads.iterdir():
            os.utime(path, (time.time() - 2 * 86400,) * 2)
        server.restart()
        eventually(lambda: len(list(uploads.iterdir())) == 2, "only what is in use")
        again = server.clone(kept)
        server.wait(again, "succeeded")
        assert server.logs(again) == "kept\n"
