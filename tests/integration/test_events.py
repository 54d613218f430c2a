"""The event stream: everything that happens, in order, and nothing missed by those who come back."""
import threading
import time

import pytest
from trainyard import events, eventually

pytestmark = pytest.mark.core


def until(stream, wanted):
    """Reads up to and including the first event that `wanted` likes."""
    seen = []
    for event in stream:
        seen.append(event)
        if wanted(event):
            return seen
    raise AssertionError("the stream ended")


def ended(job):
    return lambda event: event[2]["job"] == job and event[1] in ("job.succeeded", "job.failed", "job.cancelled")


def test_a_listener_sees_a_job_from_its_submit_to_its_end(server):
    seen = []
    ready = threading.Event()

    def listen():
        stream = events(server)
        with_marker = None
        for event in stream:
            seen.append(event)
            if event[2]["job"] == job.get("marker"):
                ready.set()
            if "id" in job and ended(job["id"])(event):
                return

    job = {}
    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    # The stream begins at "now": submit until it is surely listening.
    def listening():
        job["marker"] = server.submit("run: true")
        return ready.wait(0.3)
    eventually(listening, "the listener hears something")
    job["id"] = server.submit("name: heard\nrun: echo x")
    listener.join(30)
    assert not listener.is_alive()
    mine = [event for event in seen if event[2]["job"] == job["id"]]
    kinds = [kind for _, kind, _ in mine]
    assert kinds[0] == "job.submitted" and kinds[-1] == "job.succeeded", kinds
    for event_id, kind, data in mine:
        assert str(data["id"]) == event_id and data["kind"] == kind and data["at"].endswith("Z")


def test_one_who_comes_back_misses_nothing_and_sees_nothing_twice(server):
    first = server.submit("run: true")
    server.wait(first, "succeeded")
    history = until(events(server, last_id=0), ended(first))
    middle = history[len(history) // 2][0]
    second = server.submit("run: true")
    rest = until(events(server, last_id=middle), ended(second))
    everything = until(events(server, last_id=0), ended(second))
    ids = [int(event[0]) for event in everything]
    assert ids == sorted(set(ids))
    assert [event[0] for event in rest] == [event[0] for event in everything if int(event[0]) > int(middle)]


def test_the_stream_goes_on_over_a_restart(make_server):
    server = make_server().start()
    job = server.submit("run: |\n  sleep 1.5\n  echo x\n")
    before = until(events(server, last_id=0), lambda event: event[1] == "job.running")
    server.restart()
    after = until(events(server, last_id=before[-1][0]), ended(job))
    ids = [int(event[0]) for event in before + after]
    assert ids == sorted(set(ids))
    kinds = [event[1] for event in before + after]
    assert kinds.count("job.running") == 1 and kinds[-1] == "job.succeeded"
    assert [event["id"] for event in server.get(f"/api/v1/jobs/{job}/events")["events"]] == ids


def test_a_stream_of_one_job_has_no_others(server):
    job = server.submit("run: sleep 0.3")
    other = server.submit("run: true")
    seen = until(events(server, last_id=0, query=f"?job={job}"), ended(job))
    assert {event[2]["job"] for event in seen} == {job}
    server.wait(other, "succeeded")


def test_a_silent_stream_is_kept_open(server):
    """A comment comes now and then, so that proxies do not close it."""
    answer = server.call("GET", "/api/v1/events", stream=True, timeout=40)
    began = time.monotonic()
    for line in answer.iter_lines(chunk_size=1):
        if line.startswith(b":"):
            break
        assert time.monotonic() - began < 40
    answer.close()


@pytest.mark.parametrize("last", ["nonsense", "-1", "99999999999999999999999"])
def test_a_faulty_last_event_id_is_refused(server, last):
    answer = server.call("GET", "/api/v1/events", headers={"Last-Event-ID": last})
    assert answer.status_code == 400
    assert "Last-Event-ID" in answer.text
