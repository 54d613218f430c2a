"""A thousand jobs by curl in parallel all reach their end, each exactly once, and the list answers while it happens."""
import json
import statistics
import subprocess
import time

from trainyard import FINAL, eventually

COUNT = 1000
PARALLEL = 16


def test_a_thousand_jobs_by_curl_run_once_each(make_server, tmp_path):
    server = make_server().start()
    bodies = tmp_path / "bodies"
    bodies.mkdir()
    config = []
    for i in range(COUNT):
        (bodies / f"{i}.yaml").write_text(f"name: many-{i}\ncpus: 0.25\nmemory: 16MB\n"
                                          f"run: echo {i} | tee -a $TRAINYARD_OUTPUT_DIR/ran\n")
        config.append(f'url = "{server.url}/api/v1/jobs"\ndata-binary = "@{bodies}/{i}.yaml"\n'
                      f'header = "Authorization: Bearer {server.token}"\noutput = "{bodies}/{i}.answer"\n'
                      f'write-out = "%{{http_code}}\\n"\n')
    (tmp_path / "curl.config").write_text("next\n".join(config))
    load = subprocess.Popen(["curl", "-sS", "--noproxy", "*", "--parallel", "--parallel-max", str(PARALLEL), "--config",
                             tmp_path / "curl.config"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    waits = []
    while load.poll() is None:
        began = time.monotonic()
        assert server.get("/api/v1/jobs?limit=50")["jobs"] is not None
        waits.append(time.monotonic() - began)
        time.sleep(0.02)
    codes, errors = load.communicate()
    assert codes.split() == ["201"] * COUNT, f"{set(codes.split())} {errors}"

    ids = [json.loads((bodies / f"{i}.answer").read_text())["id"] for i in range(COUNT)]
    assert len(set(ids)) == COUNT

    def all_ended():
        began = time.monotonic()
        jobs = server.jobs(limit=500)
        waits.append(time.monotonic() - began)
        return jobs if len(jobs) == COUNT and all(job["state"] in FINAL for job in jobs) else None

    jobs = eventually(all_ended, "all jobs ended", patience=180, pause=0.5)
    assert {job["state"] for job in jobs} == {"succeeded"}
    assert sorted(job["id"] for job in jobs) == sorted(ids)
    for i, job in enumerate(ids):
        ran = (server.output(job) / "ran").read_text()
        assert ran == f"{i}\n", f"job {i} ran {ran!r}"
        assert server.logs(job) == f"{i}\n"
    assert statistics.median(waits) < 0.5, f"the list took {statistics.median(waits):.2f} s"


def test_the_same_key_makes_one_job_also_when_asked_in_parallel(make_server, tmp_path):
    server = make_server().start()
    config = "next\n".join(f'url = "{server.url}/api/v1/jobs"\ndata-binary = "run: echo once"\n'
                           f'header = "Authorization: Bearer {server.token}"\nheader = "Idempotency-Key: the-same"\n'
                           f'output = "{tmp_path}/{i}.answer"\n' for i in range(64))
    (tmp_path / "curl.config").write_text(config)
    subprocess.run(["curl", "-sS", "--noproxy", "*", "--parallel", "--parallel-max", "16", "--config",
                    tmp_path / "curl.config"], check=True)
    ids = {json.loads((tmp_path / f"{i}.answer").read_text())["id"] for i in range(64)}
    assert len(ids) == 1
    assert len(server.jobs()) == 1
