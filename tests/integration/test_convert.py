"""`check`, `convert` and `schema`, on the command line and over HTTP, for every format that can be written."""
import json

import pytest
import yaml
from trainyard import ROOT

pytestmark = pytest.mark.core

V1 = ROOT / "examples/openpai-v1/parameter-servers.json"
V2 = ROOT / "examples/openpai-v2/parameters.yaml"


def test_a_v1_file_becomes_native_and_runs(server, tmp_path):
    result = server.cli("convert", V1, "--to", "native", check=0)
    native = yaml.safe_load(result.stdout)
    assert native["retry"] == 1 and native["roles"]["worker"]["count"] == 2
    assert "warning: " in result.stderr and "command" in result.stderr
    path = tmp_path / "job.yaml"
    path.write_text(result.stdout)
    ran = server.cli("submit", path, "--follow", check=0, timeout=120)
    assert "worker 1 of 2 reached the server" in ran.stdout


def test_a_native_file_becomes_openpai_and_back(server, tmp_path):
    source = tmp_path / "native.yaml"
    source.write_text("name: both\nimage: python:3.12\nrun: echo $TRAINYARD_JOB_NAME\ntime_limit: 2h\nlabels: [mine]\nretry: 2\n")
    for dialect in ("openpai-v1", "openpai-v2"):
        there = server.cli("convert", source, "--to", dialect, check=0)
        assert "time_limit" in there.stderr and "extras.trainyard" in there.stderr
        path = tmp_path / dialect
        path.write_text(there.stdout)
        assert dialect in json.loads(server.cli("check", "--json", path, check=0).stdout)["dialect"]
        back = yaml.safe_load(server.cli("convert", path, "--to", "native", check=0).stdout)
        assert back["time_limit"] == "2h" and back["labels"] == ["mine"] and back["retry"] == 2


def test_its_own_format_is_left_alone_byte_for_byte(server):
    result = server.cli("convert", V1, "--to", "openpai-v1", check=0)
    assert result.stdout == V1.read_text()
    assert result.stderr == ""


def test_parameters_are_filled_in(server):
    result = server.cli("convert", V2, "--to", "native", "-p", "lr=0.7", check=0)
    assert "learns at 0.7" in result.stdout


def test_what_would_change_the_result_is_refused(server, tmp_path):
    source = tmp_path / "two.yaml"
    source.write_text("image: a:1\nroles:\n  a: {run: x}\n  b: {run: y, image: 'b:2'}\n")
    result = server.cli("convert", source, "--to", "openpai-v1", check=2)
    assert result.stdout == "" and "--lossy" in result.stderr and "b:2" in result.stderr
    written = server.cli("convert", source, "--to", "openpai-v1", "--lossy", check=0)
    assert json.loads(written.stdout)["image"] == "a:1"


def test_strict_writes_nothing_that_is_not_the_same(server):
    result = server.cli("convert", V1, "--to", "native", "--strict", check=2)
    assert result.stdout == "" and "--strict" in result.stderr


def test_an_unknown_format_is_named(server):
    result = server.cli("convert", V1, "--to", "slurm")
    assert result.returncode != 0 and "openpai-v2" in result.stderr


def test_a_faulty_file_is_not_converted(server, tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{"jobName": "a b", "image": "x", "taskRoles": [{"name": "w", "command": "c", "gpuNumber": "two"}]}')
    result = server.cli("convert", path, "--to", "native", check=2)
    assert result.stdout == "" and "gpuNumber" in result.stderr and "jobName" in result.stderr


def test_the_same_over_http(server):
    answer = server.call("POST", "/api/v1/convert?to=openpai-v2", data=V1.read_text())
    assert answer.status_code == 200
    body = answer.json()
    assert body["ok"] and body["dialect"] == "openpai-v1" and body["to"] == "openpai-v2"
    assert yaml.safe_load(body["text"])["taskRoles"]["worker"]["instances"] == 2
    assert {issue["code"] for issue in body["issues"]} <= {"convert.changed", "convert.carried", "convert.lost"}
    assert server.call("POST", "/api/v1/convert", data="run: x").status_code == 400
    assert server.call("POST", "/api/v1/convert?to=native", data="run: x", token="wrong").status_code == 401
    refused = server.call("POST", "/api/v1/convert?to=openpai-v1", data="run: x").json()
    assert not refused["ok"] and refused["text"] is None
    assert server.call("POST", "/api/v1/convert?to=openpai-v1&lossy=true", data="run: x").json()["ok"]


@pytest.mark.parametrize("dialect", ["native", "openpai-v1", "openpai-v2"])
def test_editors_get_a_schema(server, dialect):
    printed = json.loads(server.cli("schema", dialect, check=0).stdout)
    assert printed["$schema"].endswith("draft-07/schema#")
    served = server.call("GET", f"/schema/{dialect}.json", token="")
    assert served.status_code == 200 and served.json() == printed


def test_there_is_no_schema_of_nothing(server):
    assert server.call("GET", "/schema/nothing.json").status_code == 404
    assert server.cli("schema", "nothing").returncode != 0
