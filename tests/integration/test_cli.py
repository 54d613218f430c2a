"""The command as people and scripts use it: words for people, JSON for scripts, exit codes for both."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from trainyard import PROGRAM, ROOT, clean_environment, eventually

pytestmark = pytest.mark.core

COMMANDS = ["submit", "list", "show", "logs", "metrics", "why", "queue", "events", "nodes", "stop", "pause", "resume", "set-limit",
            "clone", "retry", "delete", "check", "schema", "login", "logout", "token", "user", "version", "completion",
            "serve", "replay", "move"]
USAGE, UNREACHABLE, INTERRUPTED = 2, 3, 130


def write(tmp_path, text, name="job.yaml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def submit(server, tmp_path, text):
    return json.loads(server.cli("submit", write(tmp_path, text), "-o", "json", check=0).stdout)["id"]


def plain(*words, env=None, **options):
    """The command without any server."""
    options.setdefault("timeout", 30)
    return subprocess.run([PROGRAM, *words], env=clean_environment(HOME="/nonexistent", **(env or {})),
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


# -- help and usage

def test_help_lists_every_command():
    result = plain("--help")
    assert result.returncode == 0
    for command in COMMANDS:
        assert re.search(rf"^\s+{command}\b", result.stdout, re.M), f"{command} is not in\n{result.stdout}"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command):
    result = plain(command, "--help")
    assert result.returncode == 0
    assert len(result.stdout.splitlines()) >= 3
    assert result.stderr == ""


def test_no_command_and_unknown_ones_get_help():
    assert plain().returncode == USAGE
    assert "submit" in plain().stderr and "--help" in plain().stderr
    result = plain("sumbit")
    assert result.returncode == USAGE
    assert 'unknown command "sumbit"; did you mean submit?' in result.stderr
    unknown = plain("list", "--no-such-flag")
    assert unknown.returncode == USAGE and "--no-such-flag" in unknown.stderr


@pytest.mark.parametrize("words", [["submit"], ["show"], ["logs"], ["list", "--no-such"], ["submit", "a", "b"],
                                   ["set-limit", "x"]])
def test_wrong_usage_is_exit_2(words):
    result = plain(*words)
    assert result.returncode == USAGE, result.stdout + result.stderr
    assert result.stderr


def test_version_and_completion_need_no_server():
    assert re.search(r"\d+\.\d+\.\d+", plain("version").stdout)
    for shell in ("bash", "zsh"):
        result = plain("completion", shell)
        assert result.returncode == 0 and "trainyard" in result.stdout and "submit" in result.stdout
    script = plain("completion", "bash").stdout
    assert subprocess.run(["bash", "-n"], input=script, text=True).returncode == 0


def test_no_server_is_exit_3_with_a_way_out():
    result = plain("list")
    assert result.returncode == UNREACHABLE
    assert "trainyard" in result.stderr
    away = plain("list", env={"TRAINYARD_URL": "http://127.0.0.1:1", "TRAINYARD_TOKEN": "x"})
    assert away.returncode == UNREACHABLE
    assert "127.0.0.1:1" in away.stderr


def test_a_refused_token_is_exit_3(server):
    result = server.cli("list", token="nonsense")
    assert result.returncode == UNREACHABLE
    assert "login" in result.stderr


# -- submit

def test_follow_shows_the_log_and_ends_with_the_jobs_code(server, tmp_path):
    good = server.cli("submit", ROOT / "examples/hello.yaml", "--follow", check=0)
    assert re.fullmatch(r"(hello \d from \S+, task main-0\n){3}", good.stdout), good.stdout
    bad = server.cli("submit", ROOT / "examples/exit-code.yaml", "-f", check=7)
    assert bad.stdout == "something is wrong\n"
    assert "failed" in bad.stderr and "7" in bad.stderr


def test_follow_lives_through_a_crash_of_the_server(make_server, tmp_path):
    from trainyard import free_port
    server = make_server(listen=f"127.0.0.1:{free_port()}").start()
    path = write(tmp_path, "run: |\n  for i in $(seq 1 30); do echo line $i; sleep 0.1; done\n  exit 5\n")
    follower = subprocess.Popen([PROGRAM, "submit", path, "--follow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=clean_environment(TRAINYARD_URL=server.url, TRAINYARD_TOKEN=server.token), text=True)
    job = eventually(lambda: next((j for j in server.jobs() if j["state"] == "running"), None), "the job runs")["id"]
    time.sleep(0.5)
    server.kill()
    time.sleep(0.5)
    server.start()
    out, err = follower.communicate(timeout=60)
    assert follower.returncode == 5, err
    assert out == "".join(f"line {i}\n" for i in range(1, 31))
    assert server.logs(job) == out


def test_ctrl_c_leaves_the_job_and_says_how_to_come_back(server, tmp_path):
    path = write(tmp_path, "name: left-alone\nstop_grace: 1s\nrun: |\n  echo up\n  sleep 60\n")
    follower = subprocess.Popen([PROGRAM, "submit", path, "--follow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=clean_environment(TRAINYARD_URL=server.url, TRAINYARD_TOKEN=server.token), text=True)
    assert follower.stdout.readline() == "up\n"
    follower.send_signal(signal.SIGINT)
    _, err = follower.communicate(timeout=10)
    assert follower.returncode == INTERRUPTED
    assert "trainyard logs -f" in err
    job = next(j for j in server.jobs(name="left-alone"))
    server.wait(job["id"], {"running"})
    server.stop_job(job["id"])


def test_a_faulty_file_is_exit_2_with_every_fault(server, tmp_path):
    path = write(tmp_path, "run: x\ngpus: two\ncount: 0\n", "faulty.yaml")
    result = server.cli("submit", path, check=USAGE)
    assert f"{path}:2:" in result.stderr and f"{path}:3:" in result.stderr
    missing = server.cli("submit", tmp_path / "none.yaml")
    assert missing.returncode in (1, USAGE)
    assert "none.yaml" in missing.stderr


def test_a_job_file_comes_from_standard_input(server):
    with open(ROOT / "examples/hello.yaml", encoding="utf-8") as file:
        server.cli("submit", "-", "--follow", stdin=file, check=0)


def test_code_beside_the_file_travels_along(server, tmp_path):
    folder = tmp_path / "project"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib/words.txt").write_text("packed and unpacked\n")
    (folder / "run.sh").write_text("#!/bin/sh\ncat lib/words.txt\nls -a\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "secret.key").write_text("stays behind")
    (folder / ".trainyardignore").write_text("*.key\n")
    write(folder, "code: .\nrun: ./run.sh\n")
    result = server.cli("submit", folder / "job.yaml", "--follow", check=0)
    assert "packed and unpacked\n" in result.stdout
    assert "secret.key" not in result.stdout


def test_a_dry_run_submits_nothing(server, tmp_path):
    before = len(server.jobs())
    server.cli("submit", ROOT / "examples/hello.yaml", "--dry-run", check=0)
    assert len(server.jobs()) == before


def test_the_same_key_is_the_same_job(server):
    ids = {json.loads(server.cli("submit", ROOT / "examples/hello.yaml", "--idempotency-key", "cli-key", "-o", "json",
                                 check=0).stdout)["id"] for _ in range(2)}
    assert len(ids) == 1


# -- look

def test_list_and_show_speak_to_people_and_to_scripts(server, tmp_path):
    job = submit(server, tmp_path, "name: looked-at\nlabels: {team: x}\nrun: exit 3\n")
    server.wait(job, "failed")
    table = server.cli("list", check=0).stdout
    assert "looked-at" in table and "failed" in table
    page = json.loads(server.cli("list", "-o", "json", check=0).stdout)
    rows = page["jobs"] if isinstance(page, dict) else page
    assert job in [row["id"] for row in rows]
    text = server.cli("show", job, check=0).stdout
    assert "looked-at" in text and "failed" in text and "3" in text
    shown = json.loads(server.cli("show", job, "-o", "json", check=0).stdout)
    assert shown["id"] == job and shown["state"] == "failed"
    assert server.cli("show", job[:10], check=0).stdout == text
    unknown = server.cli("show", "zzzzzzzz")
    assert unknown.returncode == 1
    assert "zzzzzzzz" in unknown.stderr


def test_logs_have_all_the_ways_to_look(server, tmp_path):
    job = submit(server, tmp_path, "run: seq 1 100\n")
    server.wait(job, "succeeded")
    everything = "".join(f"{n}\n" for n in range(1, 101))
    assert server.cli("logs", job, check=0).stdout == everything
    assert server.cli("logs", "-f", job, check=0).stdout == everything
    assert server.cli("logs", job, "--tail", "2", check=0).stdout == "99\n100\n"
    assert server.cli("logs", job, "--grep", "^5$", check=0).stdout == "5\n"


def test_output_into_a_closed_pipe_is_no_drama(server, tmp_path):
    job = submit(server, tmp_path, "run: seq 1 200000\n")
    server.wait(job, "succeeded")
    environment = clean_environment(TRAINYARD_URL=server.url, TRAINYARD_TOKEN=server.token)
    result = subprocess.run(["bash", "-c", f"'{PROGRAM}' logs {job} | head -n 1"], env=environment, capture_output=True,
                            text=True, timeout=30)
    assert result.stdout == "1\n"
    assert result.stderr == ""


def test_events_and_nodes(server, tmp_path):
    job = submit(server, tmp_path, "run: true\n")
    server.wait(job, "succeeded")
    assert "succeeded" in server.cli("events", job, check=0).stdout
    assert json.loads(server.cli("nodes", "-o", "json", check=0).stdout)
    assert "CPU" in server.cli("nodes", check=0).stdout.upper()


# -- act

def test_stop_retry_clone_limit_delete(server, tmp_path):
    job = submit(server, tmp_path, "name: acted-on\nstop_grace: 1s\nrun: sleep 60\n")
    server.wait(job, "running")
    server.cli("set-limit", job, "--time", "2h", check=0)
    assert server.job(job)["time_limit"] == 7200
    refused = server.cli("delete", job)
    assert refused.returncode == 1 and "running" in refused.stderr
    server.cli("stop", job, check=0)
    server.wait(job, "cancelled")
    clone = json.loads(server.cli("clone", job, "-o", "json", check=0).stdout)["id"]
    server.cli("stop", clone, check=0)
    server.wait(clone, "cancelled")
    again = json.loads(server.cli("retry", clone, "-o", "json", check=0).stdout)["id"]
    server.cli("stop", again, check=0)
    server.wait(again, "cancelled")
    for each in (job, clone, again):
        server.cli("delete", each, check=0)
        assert server.call("GET", f"/api/v1/jobs/{each}").status_code == 404


# -- check

def test_check_says_what_a_file_means_without_a_server(tmp_path):
    good = plain("check", ROOT / "examples/two-roles.yaml")
    assert good.returncode == 0, good.stderr
    assert "ps" in good.stdout and "worker" in good.stdout
    described = json.loads(plain("check", ROOT / "examples/two-roles.yaml", "--json").stdout)
    assert described["dialect"] == "native"
    path = write(tmp_path, "run: x\ngpus: two\nnmae: y\n")
    bad = plain("check", path)
    assert bad.returncode == USAGE
    assert f"{path}:2:7:" in bad.stdout + bad.stderr and "nmae" in bad.stdout + bad.stderr
    assert json.loads(plain("check", path, "--json").stdout)["issues"]


# -- sign in

def test_login_is_remembered_for_this_user_only(server, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    token = server.create_token(name="laptop", scopes=["write"])["token"]
    environment = clean_environment(HOME=home)
    signed = subprocess.run([PROGRAM, "login", server.url, "--token-stdin"], input=token, env=environment,
                            capture_output=True, text=True, timeout=30)
    assert signed.returncode == 0, signed.stderr
    kept = home / ".config/trainyard/login.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    listed = subprocess.run([PROGRAM, "list"], env=environment, capture_output=True, text=True, timeout=30)
    assert listed.returncode == 0, listed.stderr


def test_tokens_by_command(server):
    made = json.loads(server.cli("token", "create", "ci", "--scope", "read", "--expires", "1d", "-o", "json", check=0).stdout)
    assert server.call("GET", "/api/v1/jobs", token=made["token"]).status_code == 200
    assert "ci" in server.cli("token", "list", check=0).stdout
    server.cli("token", "revoke", str(made["id"]), check=0)
    eventually(lambda: server.call("GET", "/api/v1/jobs", token=made["token"]).status_code == 401, "it is revoked")


def test_a_server_of_ones_own_is_found_by_itself(tmp_path):
    """`make up` leaves a server in the user's data directory; the command needs no settings then."""
    from trainyard import Server
    with Server(tmp_path / "home/.local/share/trainyard") as server:
        result = subprocess.run([PROGRAM, "list"], env=clean_environment(HOME=tmp_path / "home"), capture_output=True,
                                text=True, timeout=30)
        assert result.returncode == 0, result.stderr
        assert server.process.poll() is None


def test_the_program_needs_nothing_but_glibc():
    """Only where it is the program we ship; sanitizer builds carry their runtimes."""
    if "asan" in str(PROGRAM) or "tsan" in str(PROGRAM):
        return
    needed = re.findall(r"^\s*(\S+?)(?:\.so\S*)?\s+(?:=>|\()", subprocess.check_output(["ldd", PROGRAM], text=True), re.M)
    assert {os.path.basename(name) for name in needed} <= {"linux-vdso", "libc", "libm", "ld-linux-x86-64",
                                                           "libdl", "libpthread", "libresolv", "librt"}, needed
    assert pathlib.Path(PROGRAM).stat().st_size < 200 << 20


# -- what is refused is named as it was typed

def test_a_refused_value_is_named_by_its_flag(server, tmp_path):
    job = submit(server, tmp_path, "run: sleep 60")
    lines = server.cli("logs", job, "--lines", "nonsense", check=USAGE).stderr
    assert lines.startswith("trainyard: --lines: ") and "?lines" not in lines
    limit = server.cli("set-limit", job, "--time", "soon", check=USAGE).stderr
    assert limit.startswith("trainyard: --time: ") and "/time_limit" not in limit
    several = server.cli("logs", job, "--since", "once", "--until", "never", check=USAGE).stderr.splitlines()
    assert [line.split(": ")[1] for line in several] == ["--since", "--until"]
    expires = server.cli("token", "create", "laptop", "--expires", "soon", check=USAGE).stderr
    assert expires.startswith("trainyard: --expires: ")
    for_programs = json.loads(server.cli("set-limit", job, "--time", "soon", "-o", "json", check=USAGE).stderr)
    assert for_programs["details"][0]["pointer"] == "/time_limit"
    server.cli("delete", job, "--force", check=0)


@pytest.mark.parametrize("name", ["a/b", "a?b", "a#b", "%2e%2e", "ä ö"])
def test_names_with_odd_characters_reach_the_server_as_they_are(server, name):
    refused = server.cli("show", name, check=1).stderr
    assert "trainyard: " in refused and "no such address" not in refused


# -- in the language of whoever reads it

CHINESE = re.compile("[\u4e00-\u9fff]")
WAYS_TO_CHINESE = [pytest.param(["--lang", "zh"], {}, id="by flag"),
                   pytest.param([], {"LANG": "zh_CN.UTF-8"}, id="by LANG"),
                   pytest.param([], {"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, id="by LC_ALL")]
WAYS_TO_ENGLISH = [pytest.param([], {}, id="by default"), pytest.param([], {"LANG": "de_DE.UTF-8"}, id="by LANG"),
                   pytest.param(["--lang", "en"], {"LANG": "zh_CN.UTF-8"}, id="by flag")]


@pytest.fixture(scope="module")
def told(server, tmp_path_factory):
    """Asks for all that people are told in sentences; what each command printed, by what was asked."""
    folder = tmp_path_factory.mktemp("told")
    faulty = write(folder, "run: x\ngpus: two\n", "faulty.yaml")
    elsewhere = write(folder, "run: x\nworkspace: nowhere\n", "elsewhere.yaml")
    failed = submit(server, folder, "run: exit 3\n")
    waiting = submit(server, folder, "run: x\ngpus: 1000\n")
    server.wait(failed, "failed")

    def ask(flags, env):
        def said(*words):
            result = server.cli(*flags, *words, env=env)
            return result.stdout + result.stderr
        # Tables keep their headers and the words that flags take.
        reason = next(line for line in said("show", failed).splitlines() if line.startswith("reason"))
        return {"a faulty file": said("submit", faulty), "a refused submit": said("submit", elsewhere),
                "a missing job": said("show", "zzzzzzzz"), "a failed job": reason,
                "a waiting job": said("why", waiting), "an unknown command": said("sumbit")}

    yield ask
    server.cli("delete", waiting, "--force", check=0)


@pytest.mark.parametrize("flags, env", WAYS_TO_CHINESE)
def test_messages_are_chinese_for_those_who_read_it(told, flags, env):
    for about, text in told(flags, env).items():
        assert CHINESE.search(text), f"{about}: {text}"
        assert "{" not in text, f"{about}: {text}"


@pytest.mark.parametrize("flags, env", WAYS_TO_ENGLISH)
def test_messages_are_english_for_all_others(told, flags, env):
    for about, text in told(flags, env).items():
        assert text and not CHINESE.search(text), f"{about}: {text}"


def test_json_is_the_same_in_every_language(server, tmp_path):
    job = submit(server, tmp_path, "run: exit 3\n")
    server.wait(job, "failed")
    for words in (["show", job, "-o", "json"], ["show", "zzzzzzzz", "-o", "json"]):
        chinese, english = (server.cli("--lang", language, *words) for language in ("zh", "en"))
        assert (chinese.stdout, chinese.stderr) == (english.stdout, english.stderr)


def test_an_unknown_language_is_refused():
    assert plain("--lang", "de", "version").returncode == USAGE
