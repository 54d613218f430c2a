"""Archives made to hurt: each is refused as what it is (422), names the right entry, and leaves nothing behind."""
import io
import os
import pathlib
import subprocess
import tarfile
import zipfile

import pytest

from trainyard import Server



@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """On a disk of its own, which an archive that is not refused may fill."""
    if os.getuid() != 0:
        pytest.skip("a small file system can only be mounted by root")
    folder = tmp_path_factory.mktemp("small")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", folder], check=True)
    try:
        with Server(folder / "data") as running:
            yield running
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def tar(*entries, mode="w:gz"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=tarfile.GNU_FORMAT) as archive:
        for info, content in entries:
            info = info if isinstance(info, tarfile.TarInfo) else tarfile.TarInfo(info)
            info.size = info.size or len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def link(name, target, kind=tarfile.SYMTYPE):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, b""


def special(name, kind):
    info = tarfile.TarInfo(name)
    info.type = kind
    return info, b""


def zip_of(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return buffer.getvalue()


def sparse_file(name, size):
    """A GNU sparse entry: a megabyte of archive that says it is a terabyte."""
    header = bytearray(tarfile.TarInfo(name).tobuf(tarfile.GNU_FORMAT))
    header[156:157] = b"S"
    header[124:136] = b"%011o\0" % 512                                   # what the archive holds of it
    header[386:398] = (0x80 << 88 | (size - 512)).to_bytes(12, "big")    # where that lies
    header[398:410] = b"%011o\0" % 512
    header[483:495] = (0x80 << 88 | size).to_bytes(12, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + b"x" * 512 + b"\0" * 1024


# name → archive, and what the message must name
HOSTILE = {
    "climbs out": (tar(("../evil-one", b"x")), "../evil-one"),
    "climbs out from within": (tar(("a/../../evil-two", b"x")), "a/../../evil-two"),
    "absolute": (tar(("/tmp/evil-three", b"x")), "/tmp/evil-three"),
    "link that leads out": (tar(link("evil-out", "../../.."), ("evil-out/x", b"x")), "evil-out"),
    "absolute link": (tar(link("evil-etc", "/etc"), ("evil-etc/x", b"x")), "evil-etc"),
    "hard link to outside": (tar(link("evil-passwd", "/etc/passwd", tarfile.LNKTYPE)), "evil-passwd"),
    "hard link to nothing": (tar(link("evil-hard", "missing", tarfile.LNKTYPE)), "evil-hard"),
    "device": (tar(special("evil-null", tarfile.CHRTYPE)), "evil-null"),
    "fifo": (tar(special("evil-fifo", tarfile.FIFOTYPE)), "evil-fifo"),
    "through its own link": (tar(link("in", "folder"), ("in/evil-through", b"x")), "evil-through"),
    "a file as a folder": (tar(("evil-file", b"x"), ("evil-file/below", b"x")), "evil-file"),
    "a name too long for a file": (tar(("a" * 300 + "-evil", b"x")), "aaa"),
    "zip that climbs out": (zip_of("../evil-zip"), "../evil-zip"),
    "says it is a terabyte": (sparse_file("evil-sparse", 1 << 40), ""),
}


def left_behind(server):
    return {str(path) for path in (server.data_dir / "uploads").rglob("*")} | {
        str(path) for place in ("/tmp", "/etc") for path in pathlib.Path(place).glob("evil*")}


@pytest.mark.parametrize("name", HOSTILE)
def test_is_refused_as_what_it_is(server, name):
    archive, told = HOSTILE[name]
    before = left_behind(server)
    answer = server.call("POST", "/api/v1/jobs", files={"job": ("job.yaml", "code: .\nrun: true"), "code": ("code.tgz", archive)})
    assert (answer.status_code, answer.json()["code"]) == (422, "unprocessable"), answer.text
    assert told in answer.json()["message"] and str(server.data_dir) not in answer.text, answer.text
    assert left_behind(server) == before


@pytest.mark.parametrize("archive", [b"", b"no archive", b"\x1f\x8b\x08" + b"\0" * 100, tar(("x", os.urandom(100_000)))[:50_000]],
                         ids=["empty", "text", "broken gzip", "cut off"])
def test_what_is_no_archive_is_the_callers_fault(server, archive):
    answer = server.call("POST", "/api/v1/jobs", files={"job": ("job.yaml", "code: .\nrun: true"), "code": ("c.tgz", archive)})
    assert answer.status_code in (201, 400), answer.text
