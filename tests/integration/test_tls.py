"""https: the server's own certificate or one it makes for itself, renewed while it runs, and clients that know whom they speak with."""
import http.client
import json
import os
import pathlib
import signal
import socket
import ssl
import stat
import subprocess

import pytest
from trainyard import NotReady, PROGRAM, clean_environment, eventually


def make_certificate(folder, name):
    """A root and a certificate for 127.0.0.1 that it signed, made by OpenSSL's own program."""
    def openssl(*words, **options):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, **options)
    root, key = folder / f"{name}-root.pem", folder / f"{name}.key"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", 30,
            "-subj", f"/CN={name} root", "-keyout", folder / f"{name}-root.key", "-out", root)
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", folder / f"{name}.csr")
    (folder / "extensions").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", root, "-CAkey", folder / f"{name}-root.key", "-days", 20,
            "-extfile", folder / "extensions", "-out", folder / f"{name}.pem")
    return root, folder / f"{name}.pem", key


def shown_certificate(server):
    port = int(server.url.rsplit(":", 1)[1])
    return ssl.get_server_certificate(("127.0.0.1", port))


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    return {name: make_certificate(folder, name) for name in ("first", "second")}


@pytest.fixture
def own(make_server, certificates, tmp_path):
    root, certificate, key = certificates["first"]
    for source, name in ((certificate, "server.pem"), (key, "server.key")):
        (tmp_path / name).write_bytes(source.read_bytes())
    server = make_server("--tls-cert", tmp_path / "server.pem", "--tls-key", tmp_path / "server.key").start()
    server.http.verify = str(root)
    return server


@pytest.mark.core
def test_a_self_signed_server_is_used_like_any_other(make_server):
    server = make_server("--tls-self-signed").start()
    assert server.url.startswith("https://")
    described = json.loads((server.data_dir / "server.json").read_text())
    assert described["url"] == server.url
    job = server.submit("run: echo safely")
    server.wait(job, "succeeded")
    assert server.logs(job) == "safely\n"
    key = pathlib.Path(described["certificate"]).with_name("key.pem")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    printed = subprocess.run(["openssl", "x509", "-noout", "-fingerprint", "-sha256", "-in", described["certificate"]],
                             capture_output=True, text=True, check=True).stdout
    fingerprint = "SHA256:" + printed.split("=")[1].strip().replace(":", "").lower()
    assert fingerprint in server.printed()
    before = shown_certificate(server)
    server.stop()
    server.start()
    assert shown_certificate(server) == before


def test_other_peoples_clients_accept_it(own, certificates):
    root = certificates["first"][0]
    port = int(own.url.rsplit(":", 1)[1])
    curl = subprocess.run(["curl", "-sS", "--cacert", root, own.url + "/healthz"], capture_output=True, text=True)
    assert curl.returncode == 0, curl.stderr
    distrust = subprocess.run(["curl", "-sS", own.url + "/healthz"], capture_output=True, text=True)
    assert distrust.returncode == 60, distrust
    shown = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", root, "-alpn", "h2,http/1.1",
                            "-verify_return_error"], input="", capture_output=True, text=True)
    assert "Verify return code: 0 (ok)" in shown.stdout and "ALPN protocol: http/1.1" in shown.stdout, shown.stdout

    context = ssl.create_default_context(cafile=str(root))
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context.minimum_version = context.maximum_version = version
        link = http.client.HTTPSConnection("127.0.0.1", port, context=context)
        for _ in range(3):
            link.request("GET", "/healthz")
            answer = link.getresponse()
            assert answer.status == 200
            answer.read()
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    with socket.create_connection(("127.0.0.1", port)) as raw, pytest.raises(ssl.SSLError):
        old.wrap_socket(raw)


def test_plain_http_is_told_to_use_https(own):
    answer = subprocess.run(["curl", "-sS", "-i", own.url.replace("https", "http") + "/"], capture_output=True, text=True).stdout
    assert answer.startswith("HTTP/1.1 400") and "https" in answer, answer


def renew(tmp_path, certificate, key):
    for source, name in ((certificate, "server.pem"), (key, "server.key")):
        fresh = tmp_path / (name + ".new")
        fresh.write_bytes(source.read_bytes())
        os.replace(fresh, tmp_path / name)


def test_a_renewed_certificate_is_used_without_a_restart(own, certificates, tmp_path):
    _, certificate, key = certificates["second"]
    before = shown_certificate(own)
    assert before == certificates["first"][1].read_text()
    own.get("/api/v1/jobs")  # on a connection that stays open
    renew(tmp_path, certificate, key)
    eventually(lambda: shown_certificate(own) == certificate.read_text(), "the new certificate")
    own.get("/api/v1/jobs")

    renew(tmp_path, *certificates["first"][1:])
    own.process.send_signal(signal.SIGHUP)
    eventually(lambda: shown_certificate(own) == before, "the first certificate again")
    assert own.process.poll() is None


def test_a_broken_renewal_keeps_the_old_certificate(own, certificates, tmp_path):
    before = shown_certificate(own)
    (tmp_path / "server.key").write_text("nonsense")
    own.process.send_signal(signal.SIGHUP)
    eventually(lambda: "tls.reload_failed" in own.printed(), "a line in the log")
    assert shown_certificate(own) == before


def test_the_cookie_of_a_page_is_for_https_only(own):
    link = next(line.split()[-1] for line in own.printed().splitlines() if "sign in once" in line)
    assert link.startswith("https://")
    answer = own.call("POST", "/api/v1/login", token="", json={"link": link.split("#")[1]})
    assert answer.status_code == 200, answer.text
    assert "; Secure" in answer.headers["Set-Cookie"]


def run_cli(server, *words, **env):
    environment = clean_environment(HOME=server.data_dir.parent, **env)
    return subprocess.run([server.program, *words], env=environment, capture_output=True, text=True, timeout=60,
                          input=server.token if "--token-stdin" in words else "")


def test_the_cli_knows_whom_it_speaks_with(own, certificates):
    root = str(certificates["first"][0])
    other_root = str(certificates["second"][0])
    known = {"TRAINYARD_URL": own.url, "TRAINYARD_TOKEN": own.token}
    refused = run_cli(own, "list", **known)
    assert refused.returncode == 3 and "is not trusted" in refused.stderr and "--fingerprint" in refused.stderr, refused
    assert run_cli(own, "list", TRAINYARD_CA=other_root, **known).returncode == 3
    assert run_cli(own, "list", TRAINYARD_CA=root, **known).returncode == 0
    assert run_cli(own, "list", "--ca", root, **known).returncode == 0
    # A server of this machine says itself which certificate it has.
    assert run_cli(own, "list", TRAINYARD_DATA_DIR=str(own.data_dir)).returncode == 0


def test_a_login_remembers_the_certificate(make_server, certificates):
    server = make_server("--tls-self-signed").start()
    refused = run_cli(server, "login", server.url, "--token-stdin")
    assert refused.returncode == 3, refused
    fingerprint = next(word for word in server.printed().split() if word.startswith("SHA256:"))
    assert fingerprint in refused.stderr
    signed_in = run_cli(server, "login", server.url, "--token-stdin", "--fingerprint", fingerprint)
    assert signed_in.returncode == 0, signed_in.stderr
    assert run_cli(server, "list").returncode == 0
    server.stop()
    for file in (server.data_dir / "tls").iterdir():
        file.unlink()
    server.listen = server.url.removeprefix("https://")
    server.start()
    changed = run_cli(server, "list")
    assert changed.returncode == 3 and "has changed" in changed.stderr, changed


def test_half_a_pair_is_refused(make_server, certificates):
    for flags, word in ((("--tls-cert", certificates["first"][1]), "tls.key"),
                        (("--tls-cert", certificates["first"][1], "--tls-key", certificates["second"][2]), "cannot be used"),
                        (("--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.key"), "/nowhere.pem")):
        with pytest.raises(NotReady) as problem:
            make_server(*flags).start(patience=20)
        assert word in problem.value.output, problem.value.output


def test_a_page_whose_name_was_bent_to_us_gets_nothing(make_server):
    server = make_server().start()
    answer = server.call("GET", "/api/v1/jobs", headers={"Host": "evil.example"})
    assert answer.status_code == 421 and "http.hosts" in answer.json()["message"], answer.text
    assert server.call("GET", "/api/v1/jobs", headers={"Host": "localhost:1234"}).status_code == 200
    named = make_server("--set", "http.hosts=train.example.org", name="named").start()
    assert named.call("GET", "/healthz", headers={"Host": "train.example.org"}).status_code == 200
    foreign = named.call("GET", "/healthz", headers={"Host": "127.0.0.1", "Connection": "Upgrade", "Upgrade": "websocket",
                                                     "Origin": "https://evil.example"})
    assert foreign.status_code == 403, foreign.text
