"""The core of the docker runtime once more, on Podman's compatible service: the same jobs, the same words."""
import docker
import pytest
from trainyard import Server
from test_docker import (  # noqa: F401  (collected here with the fixtures below)
    containers_of, make_server, run, server,
    test_a_container_killed_by_somebody_else_is_lost_not_failed,
    test_a_debug_job_may_trace_and_a_user_may_be_named,
    test_a_job_runs_in_its_image_and_leaves_nothing_behind,
    test_a_stop_is_a_signal_first_and_then_the_end,
    test_a_time_limit_holds,
    test_an_image_without_a_shell_says_so,
    test_code_comes_along_and_output_stays,
    test_docker_away_for_a_while_disturbs_no_task_and_starts_none,
    test_five_containers_find_each_other_and_the_one_out_of_memory_is_named,
    test_jobs_are_kept_apart,
    test_leftovers_of_a_dead_server_are_swept,
    test_limits_and_rights_are_those_that_were_asked_for,
    test_the_node_says_how_tasks_run,
    test_what_a_container_uses_is_seen_and_kept,
    test_what_cannot_run_says_why,
    test_words_of_the_image_are_used_where_the_job_has_none,
)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    started = docker.Podman(tmp_path_factory.mktemp("podman"))
    started.busybox("bb:1")
    yield started
    started.destroy()


def test_it_is_podman(daemon):
    status, version = daemon("GET", "/version")
    assert status == 200 and version["Components"][0]["Name"] == "Podman Engine", version


def test_networks_without_names_are_warned_of(tmp_path):
    poor = docker.Podman(tmp_path / "podman", network="cni")
    try:
        with Server(tmp_path / "data", TRAINYARD_RUNTIME="docker", TRAINYARD_DOCKER__SOCKET=poor.socket) as server:
            [node] = server.get("/api/v1/nodes")["nodes"]
            assert any("netavark" in text for text in node["warnings"]), node
    finally:
        poor.destroy()
