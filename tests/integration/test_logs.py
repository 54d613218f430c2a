"""Logs as people read them: the end, a part, a search, live, all tasks together, and very large ones."""
import threading
import time
import zlib

import pytest
from trainyard import eventually

pytestmark = pytest.mark.core

COUNTING = "run: seq 1 %d\n"


def numbers(first, last):
    return "".join(f"{n}\n" for n in range(first, last + 1))


def follow(server, job, **query):
    """Reads a followed log to its end; returns bytes and the time each piece came."""
    pieces = []
    with server.call("GET", f"/api/v1/jobs/{job}/logs", params={"follow": "true", **query}, stream=True) as answer:
        assert answer.status_code == 200, answer.text
        for piece in answer.iter_content(None):
            pieces.append((time.monotonic(), piece))
    return pieces


def test_a_log_is_what_the_task_wrote(server):
    job = server.submit("run: |\n  printf 'no newline at the end'\n  printf ' err\\r\\n\\tx' >&2\n")
    server.wait(job, "succeeded")
    answer = server.call("GET", f"/api/v1/jobs/{job}/logs")
    assert answer.content == b"no newline at the end err\r\n\tx"
    assert answer.headers["Content-Type"].startswith("text/plain")


def test_bytes_that_are_no_text_come_back_unchanged(server):
    job = server.submit("run: |\n  printf '\\000\\377\\376\\033[31m'\n  head -c 300000 /dev/zero | tr '\\0' '\\200'\n")
    server.wait(job, "succeeded")
    assert server.call("GET", f"/api/v1/jobs/{job}/logs").content == b"\0\xff\xfe\x1b[31m" + b"\x80" * 300_000


def test_stdout_and_stderr_keep_their_order(server):
    job = server.submit("run: |\n  for i in $(seq 1 500); do echo out $i; echo err $i >&2; done\n")
    server.wait(job, "succeeded")
    assert server.logs(job) == "".join(f"out {i}\nerr {i}\n" for i in range(1, 501))


def test_tail_gives_the_last_lines(server):
    job = server.submit(COUNTING % 10_000)
    server.wait(job, "succeeded")
    assert server.logs(job, tail=3) == numbers(9_998, 10_000)
    assert server.logs(job, tail=1_000_000) == numbers(1, 10_000)
    assert server.logs(job, tail=0) == ""


def test_grep_finds_lines_in_the_whole_log(server):
    job = server.submit(COUNTING % 100_000)
    server.wait(job, "succeeded")
    assert server.logs(job, grep="^99..9$") == "".join(f"99{a}{b}9\n" for a in range(10) for b in range(10))
    assert server.logs(job, grep="nothing") == ""


@pytest.mark.parametrize("pattern", ["(", "(?<=x)y", "a" * 2000, "((a{1,1000}){1,1000}){1,1000}"])
def test_a_broken_pattern_is_refused(server, pattern):
    job = server.submit("run: echo x")
    server.wait(job, "succeeded")
    answer = server.call("GET", f"/api/v1/jobs/{job}/logs", params={"grep": pattern})
    assert answer.status_code == 400
    assert answer.json()["message"]


def test_following_shows_lines_as_they_come_and_ends_with_the_task(server):
    job = server.submit("run: |\n  for i in $(seq 1 8); do echo $i; sleep 0.5; done\n")
    pieces = follow(server, job)
    assert b"".join(piece for _, piece in pieces) == numbers(1, 8).encode()
    assert len(pieces) >= 2, "all of it came at once"


def test_following_a_job_that_waits_shows_it_once_it_runs(make_server):
    server = make_server(TRAINYARD_NODE__CPUS="1").start()
    first = server.submit("cpus: 1\nrun: sleep 1")
    second = server.submit("cpus: 1\nrun: echo at last")
    assert b"".join(piece for _, piece in follow(server, second)) == b"at last\n"
    assert server.job(first)["state"] == "succeeded"


def test_many_followers_all_get_everything(server):
    job = server.submit("run: |\n  for i in $(seq 1 50); do seq $((i * 100)) $((i * 100 + 99)); sleep 0.02; done\n")
    got = [None] * 16

    def read(i):
        got[i] = b"".join(piece for _, piece in follow(server, job))

    threads = [threading.Thread(target=read, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(got) == {numbers(100, 5099).encode()}


def test_a_follower_that_goes_away_is_no_trouble(server):
    job = server.submit("stop_grace: 1s\nrun: |\n  while :; do echo tick; sleep 0.05; done\n")
    server.wait(job, "running")
    for _ in range(10):
        with server.call("GET", f"/api/v1/jobs/{job}/logs?follow=true", stream=True) as answer:
            assert next(answer.iter_content(1))
    assert server.call("GET", "/readyz").status_code == 200
    server.stop_job(job)
    server.wait(job, "cancelled")


def test_tasks_have_logs_of_their_own_and_one_together(server):
    job = server.submit("roles:\n"
                        "  a: {run: 'for i in 1 2 3; do echo a$i; sleep 0.2; done'}\n"
                        "  b: {count: 2, run: 'sleep 0.1; for i in 1 2 3; do echo b$TRAINYARD_INDEX$i; sleep 0.2; done'}\n")
    server.wait(job, "succeeded")
    assert server.logs(job, task="a-0") == "a1\na2\na3\n"
    assert server.logs(job, task="b-1") == "b11\nb12\nb13\n"
    merged = server.logs(job, merged="true").splitlines()
    assert len(merged) == 9
    assert [line.split()[-1] for line in merged if "a-0" in line] == ["a1", "a2", "a3"]
    assert merged.index(next(line for line in merged if line.endswith("b01"))) > 0
    assert "a3" not in merged[0]


def test_an_unknown_task_is_not_found(server):
    job = server.submit("run: echo x")
    server.wait(job, "succeeded")
    for task in ("main-1", "worker-0", "nonsense", "main-99999999999999999999"):
        answer = server.call("GET", f"/api/v1/jobs/{job}/logs", params={"task": task})
        assert answer.status_code in (400, 404), f"{task}: {answer.status_code}"
        assert answer.json()["message"]


def test_parts_by_line_and_by_byte(server):
    job = server.submit(COUNTING % 1000)
    server.wait(job, "succeeded")
    assert server.logs(job, lines="5-7") == "5\n6\n7\n"
    assert server.logs(job, lines="999-5000") == "999\n1000\n"
    part = server.call("GET", f"/api/v1/jobs/{job}/logs", headers={"Range": "bytes=2-5"})
    assert part.status_code == 206 and part.content == b"2\n3\n"
    assert part.headers["Content-Range"] == f"bytes 2-5/{len(numbers(1, 1000))}"
    assert server.call("GET", f"/api/v1/jobs/{job}/logs", headers={"Range": "bytes=99999-"}).status_code == 416


def test_a_download_has_a_file_name(server):
    job = server.submit("name: named\nrun: echo x")
    server.wait(job, "succeeded")
    answer = server.call("GET", f"/api/v1/jobs/{job}/logs?download=true")
    assert "attachment" in answer.headers["Content-Disposition"] and "named" in answer.headers["Content-Disposition"]


def test_since_gives_what_came_after_a_moment(server):
    job = server.submit("run: |\n  echo early\n  sleep 1.5\n  date +%s > $TRAINYARD_OUTPUT_DIR/now\n  echo late\n")
    server.wait(job, "succeeded")
    late = int((server.output(job) / "now").read_text())
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(late))
    assert server.logs(job, since=moment) == "late\n"


def test_a_large_log_neither_hangs_nor_fills_memory(server):
    """300 MB, read to its end, its tail and a search at once; the server stays small."""
    line = "0123456789" * 9 + "012345678"
    job = server.submit(f"memory: 256MB\nrun: awk 'BEGIN {{ for (i = 0; i < 3000000; i++) print \"{line}\" }}'\n")
    server.wait(job, "succeeded", patience=120)
    assert server.logs(job, tail=1) == line + "\n"
    size, check = 0, 0
    with server.call("GET", f"/api/v1/jobs/{job}/logs", stream=True) as answer:
        for piece in answer.iter_content(1 << 20):
            size += len(piece)
            check = zlib.crc32(piece, check)
    assert size == 300_000_000
    wanted = 0
    for _ in range(3000):
        wanted = zlib.crc32((line + "\n").encode() * 1000, wanted)
    assert check == wanted
    assert server.logs(job, grep="no such line") == ""
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        peak = next(int(row.split()[1]) for row in status if row.startswith("VmHWM"))
    assert peak < 400 * 1024, f"the server grew to {peak / 1024:.0f} MB"


def test_one_line_of_100_megabytes_is_just_a_line(server):
    job = server.submit("run: head -c 100000000 /dev/zero | tr '\\0' x; echo; echo end\n")
    server.wait(job, "succeeded", patience=120)
    assert server.logs(job, tail=1) == "end\n"
    answer = server.call("GET", f"/api/v1/jobs/{job}/logs")
    assert len(answer.content) == 100_000_005


def test_the_log_of_a_deleted_job_is_gone(server):
    job = server.submit("run: echo x")
    server.wait(job, "succeeded")
    server.delete(job)
    assert server.call("GET", f"/api/v1/jobs/{job}/logs").status_code == 404
    folder = server.data_dir / "logs" / job[:2] / job
    eventually(lambda: not folder.exists(), "the log's folder is gone")


def lines(server, job, **query):
    answer = server.call("GET", f"/api/v1/jobs/{job}/logs/lines", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_any_line_by_its_number_with_its_time(server):
    job = server.submit(COUNTING % 50_000)
    server.wait(job, "succeeded")
    last = lines(server, job)
    assert (last["task"], last["attempt"], last["total"], last["first"]) == ("main-0", 0, 50_000, 49_801)
    assert [line["text"] for line in last["lines"]] == [str(n) for n in range(49_801, 50_001)]
    middle = lines(server, job, first=25_000, count=3)
    assert [line["text"] for line in middle["lines"]] == ["25000", "25001", "25002"]
    assert all(line["at"] and not line["cut"] for line in middle["lines"])
    assert lines(server, job, first=60_000)["lines"] == []
    assert lines(server, job, at="2020-01-01T00:00:00Z", count=1)["first"] == 1
    assert lines(server, job, at="2100-01-01T00:00:00Z", count=1)["first"] == 50_001


def test_lines_of_odd_logs(server):
    job = server.submit("run: |\n  printf 'a\\n\\n\\377b'\n  head -c 20000 /dev/zero | tr '\\0' x\n")
    server.wait(job, "succeeded")
    answer = lines(server, job)
    assert answer["total"] == 3
    assert [line["text"][:4] for line in answer["lines"]] == ["a", "", "\ufffdbxx"]
    assert [line["cut"] for line in answer["lines"]] == [False, False, True]
    assert len(answer["lines"][2]["text"]) == 8192


def test_a_job_that_has_written_nothing_has_no_lines(server):
    job = server.submit('run: "true"\n')
    server.wait(job, "succeeded")
    assert lines(server, job) == {"task": "main-0", "attempt": 0, "total": 0, "first": 1, "lines": []}


def test_a_search_answers_numbers_page_by_page(server):
    job = server.submit(COUNTING % 30_000)
    server.wait(job, "succeeded")
    path = f"/api/v1/jobs/{job}/logs/search"
    first = server.call("GET", path, params={"q": "7{3}", "limit": 4}).json()
    assert [(hit["line"], hit["text"]) for hit in first["hits"]] == [(n, str(n)) for n in (777, 1777, 2777, 3777)]
    rest = server.call("GET", path, params={"q": "7{3}", "limit": 500, "from": first["next"]}).json()
    found = [hit["line"] for hit in first["hits"] + rest["hits"]]
    assert found == [n for n in range(1, 30_001) if "777" in str(n)] and rest["next"] is None
    assert server.call("GET", path, params={"q": "NOTHING"}).json()["hits"] == []
    refused = server.call("GET", path, params={"q": "(", "limit": 4})
    assert refused.status_code == 400 and refused.json()["code"] == "invalid"
    assert server.call("GET", path).status_code == 400


def test_lines_are_counted_in_one_task(server):
    job = server.submit("roles:\n  worker: { count: 2, run: 'echo $TRAINYARD_INDEX' }\n")
    server.wait(job, "succeeded")
    refused = server.call("GET", f"/api/v1/jobs/{job}/logs/lines")
    assert refused.status_code == 400 and "task=" in refused.json()["message"]
    assert lines(server, job, task="worker-1")["lines"][0]["text"] == "1"
    assert server.call("GET", f"/api/v1/jobs/{job}/logs/lines", params={"task": "ps-0"}).status_code == 404


def test_a_failed_job_says_what_its_log_knows_of_the_cause(server):
    job = server.submit("""
roles:
  ps: {run: sleep 600}
  worker:
    count: 2
    run: |
      seq 1 500
      if [ "$TRAINYARD_INDEX" = 1 ]; then
        echo 'Traceback (most recent call last):'
        echo "ModuleNotFoundError: No module named 'apex'"
        exit 1
      fi
      sleep 600
""")
    server.wait(job, "failed")
    clue = server.get(f"/api/v1/jobs/{job}/why")["clue"]
    assert (clue["code"], clue["task"], clue["line"]) == ("missing_module", "worker-1", 502), clue
    assert clue["said"] == "ModuleNotFoundError: No module named 'apex'"
    said = server.cli("why", job).stdout
    assert "a Python module is missing" in said and "worker-1, line 502: ModuleNotFoundError" in said, said


def test_the_line_that_tells_the_cause_gives_no_orders_to_the_terminal(server):
    said = r"\033[31mtorch.OutOfMemoryError:\033[0m CUDA out of memory. \033]0;gotcha\007\302\2332J" + "x" * 2000
    job = server.submit(f"name: colourful\nrun: |\n  printf '{said}\\n'; exit 1\n")
    server.wait(job, "failed")
    shown = server.cli("why", job).stdout
    assert "torch.OutOfMemoryError: CUDA out of memory." in shown and not set("\x1b\x07\x9b") & set(shown)
    assert max(map(len, shown.splitlines())) < 400


def test_nothing_is_guessed_about_a_log_that_says_nothing(server):
    job = server.submit("run: echo fine; exit 3\n")
    server.wait(job, "failed")
    why = server.get(f"/api/v1/jobs/{job}/why")
    assert why["clue"] is None and "exit code 3" in why["text"], why
    done = server.submit("run: echo MemoryError\n")
    server.wait(done, "succeeded")
    assert server.get(f"/api/v1/jobs/{done}/why")["clue"] is None
