"""The page as a browser's first requests see it: documents, their policy, and the files they name."""
import gzip
import re

import pytest
import requests

pytestmark = pytest.mark.core


def get(server, path, **headers):
    return requests.get(server.url + path, headers={"Accept": "text/html,*/*", **headers}, timeout=60)


@pytest.mark.parametrize("path", ["/", "/signin", "/jobs", "/jobs/k41f09c2/logs?task=worker-0", "/no/such/place"])
def test_every_place_of_the_page_is_a_document_with_a_policy(server, path):
    answer = get(server, path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/html")
    assert answer.headers["Cache-Control"] == "no-store"
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self' 'nonce-" in policy
    assert "unsafe-eval" not in policy and "script-src 'self' 'unsafe" not in policy
    nonce = re.search(r"'nonce-([0-9a-f]+)'", policy).group(1)
    assert nonce in answer.text and "@NONCE@" not in answer.text
    assert get(server, path).headers["Content-Security-Policy"] != policy, "a nonce is used once"


def test_files_are_compressed_as_asked_and_kept_for_ever(server):
    names = re.findall(r'"(/assets/[^"]+)"', get(server, "/").text)
    assert names
    for name in names:
        plain = get(server, name, **{"Accept-Encoding": "identity"})
        assert plain.status_code == 200 and "Content-Encoding" not in plain.headers
        assert "immutable" in plain.headers["Cache-Control"]
        assert plain.headers["Vary"] == "Accept-Encoding"
        with requests.get(server.url + name, headers={"Accept-Encoding": "gzip"}, stream=True, timeout=60) as packed:
            assert packed.headers["Content-Encoding"] == "gzip"
            assert gzip.decompress(packed.raw.read(decode_content=False)) == plain.content
        with requests.get(server.url + name, headers={"Accept-Encoding": "gzip, br"}, stream=True, timeout=60) as packed:
            assert packed.headers["Content-Encoding"] == "br"
            assert len(packed.raw.read(decode_content=False)) < len(plain.content)


@pytest.mark.parametrize("path", ["/assets/none.js", "/api/v1/none", "/api/none", "/rest-server/none"])
def test_what_programs_ask_for_is_never_answered_with_a_page(server, path):
    answer = get(server, path)
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


def test_a_program_that_does_not_ask_for_html_hears_that_nothing_is_there(server):
    answer = requests.get(server.url + "/no/such/place", headers={"Accept": "application/json"}, timeout=60)
    assert answer.status_code == 404
