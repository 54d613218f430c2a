"""What differs between the platforms people come from, shown by running it: how jobs end, start again, wait for each
other and are counted. One test per row of the job model's tables."""
import io
import json
import sqlite3
import tarfile

import pytest
from trainyard import eventually


def volcano(name, tasks, **spec):
    """A Volcano Job of tasks {name: (replicas, shell script, further keys)}."""
    items = []
    for task, (replicas, script, *more) in tasks.items():
        keys = dict(more[0]) if more else {}
        pod = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, **keys.pop("pod", {}),
               "containers": [{"name": "main", "image": "debian:12", "command": ["sh", "-c", script],
                               "resources": {"limits": {"cpu": "100m", "memory": "64Mi"}},
                               **keys.pop("container", {})}]}
        items.append({"name": task, "replicas": replicas, "template": {"spec": pod}, **keys})
    return json.dumps({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": name},
                       "spec": {"tasks": items, **spec}})


def manifest(name, command, **more):
    """An FfDL manifest whose code is an empty folder that came with it."""
    return json.dumps({"name": name, "cpus": 0.1, "memory": "64MiB",
                       "framework": {"name": "debian", "version": "12", "command": command}, **more})


def octopus(name, **subtasks):
    """An Octopus train job of {name: (replicas, S, F, main, command)}."""
    config = [{"name": task, "command": command, "resourceSpecId": "any", "taskNumber": n,
               "minSucceededTaskCount": s, "minFailedTaskCount": f, "isMainRole": main}
              for task, (n, s, f, main, command) in subtasks.items()]
    return json.dumps({"name": name, "imageUrl": "debian:12", "isDistributed": True, "config": config})


def states(server, job):
    return {name: task["state"] for name, task in server.tasks(job).items()}


def code():
    """An archive with a file that nobody looks at."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("readme"))
    return out.getvalue()


def submit_with_code(server, text):
    answer = server.call("POST", "/api/v1/jobs", files={"job": ("manifest.yml", text), "code": ("code.tar", code())})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


WAIT = "exec sleep 600"

# -- Volcano


def test_volcano_without_a_policy_a_failure_ends_nothing_before_all_have_ended(server):
    job = server.submit(volcano("no-policy", {"w": (2, "if [ $VC_TASK_INDEX = 0 ]; then exit 1; fi; sleep 1")}))
    ended = server.wait(job, "failed")
    assert states(server, ended) == {"w-0": "failed", "w-1": "succeeded"}


def test_volcano_min_available_says_how_many_must_succeed(server):
    job = server.submit(volcano("min-available", {"w": (2, "exit $VC_TASK_INDEX")}, minAvailable=1))
    assert states(server, server.wait(job, "succeeded")) == {"w-0": "succeeded", "w-1": "failed"}


def test_volcano_min_success_ends_the_job_early(server):
    job = server.submit(volcano("min-success", {"w": (2, f"[ $VC_TASK_INDEX = 0 ] || {WAIT}")}, minSuccess=1))
    assert states(server, server.wait(job, "succeeded")) == {"w-0": "succeeded", "w-1": "stopped"}


def test_volcano_terminate_job(server):
    policy = [{"event": "PodFailed", "action": "TerminateJob"}]
    job = server.submit(volcano("terminate", {"w": (2, f"[ $VC_TASK_INDEX = 0 ] || exit 3; {WAIT}")}, policies=policy))
    ended = server.wait(job, "failed")
    assert states(server, ended) == {"w-0": "stopped", "w-1": "failed"}
    assert ended["attempt"] == 0


def test_volcano_abort_job_can_be_resumed(server):
    policy = [{"event": "PodFailed", "action": "AbortJob"}]
    job = server.submit(volcano("abort", {"w": (1, "[ $TRAINYARD_ATTEMPT -ge 1 ]")}, policies=policy))
    server.wait(job, "paused")
    server.act(202, "POST", f"/api/v1/jobs/{job}/resume")
    assert server.wait(job, "succeeded")["attempt"] == 1


def test_volcano_complete_job_when_a_task_is_done(server):
    done = {"policies": [{"event": "TaskCompleted", "action": "CompleteJob"}]}
    job = server.submit(volcano("complete", {"ps": (1, WAIT), "w": (2, "true", done)}))
    assert states(server, server.wait(job, "succeeded")) == {"ps-0": "stopped", "w-0": "succeeded", "w-1": "succeeded"}


def test_volcano_max_retry_counts_runs(server):
    policy = [{"event": "PodFailed", "action": "RestartJob"}]
    job = server.submit(volcano("max-retry", {"w": (1, "echo run; exit 1")}, policies=policy, maxRetry=2))
    assert server.wait(job, "failed", patience=120)["attempt"] == 1


def test_volcano_restart_pod_leaves_the_others_alone(server):
    policy = [{"event": "PodFailed", "action": "RestartPod"}]
    script = "echo try $TRAINYARD_TASK_ATTEMPT; [ $VC_TASK_INDEX = 1 ] || [ $TRAINYARD_TASK_ATTEMPT -ge 1 ]"
    job = server.submit(volcano("restart-pod", {"w": (2, script)}, policies=policy))
    ended = server.wait(job, "succeeded")
    assert ended["attempt"] == 0
    assert server.logs(job, task="w-1") == "try 0\n"
    assert "try 1\n" in server.logs(job, task="w-0")


def test_volcano_an_exit_code_has_its_own_action(server):
    policies = [{"exitCode": 3, "action": "CompleteJob"}]
    job = server.submit(volcano("exit-code", {"w": (2, f"[ $VC_TASK_INDEX = 0 ] || exit 3; {WAIT}")}, policies=policies))
    server.wait(job, "succeeded")


def test_volcano_a_tasks_policy_goes_before_the_jobs(server):
    own = {"policies": [{"event": "PodFailed", "action": "CompleteJob"}]}
    job = server.submit(volcano("own-policy", {"w": (1, "exit 1", own)},
                                policies=[{"event": "PodFailed", "action": "TerminateJob"}]))
    server.wait(job, "succeeded")


def test_volcano_depends_on_waits_until_the_other_has_started(server):
    tasks = {"w": (1, "true", {"dependsOn": {"name": ["ps"]}, "policies": [{"event": "TaskCompleted",
                                                                          "action": "CompleteJob"}]}),
             "ps": (1, WAIT)}
    job = server.submit(volcano("depends-on", tasks))
    ended = server.tasks(server.wait(job, "succeeded"))
    assert ended["ps-0"]["started_at"] <= ended["w-0"]["started_at"]


def test_volcano_restart_policy_and_max_retry_of_a_task(server):
    again = {"pod": {"restartPolicy": "OnFailure"}, "maxRetry": 2}
    job = server.submit(volcano("on-failure", {"w": (1, "echo $TRAINYARD_TASK_ATTEMPT; exit 1", again)}))
    ended = server.wait(job, "failed", patience=120)
    assert ended["attempt"] == 0
    assert "2\n" in server.logs(job, task="w-0")


def test_volcano_ttl_removes_the_job(make_server):
    server = make_server().start()
    job = server.submit(volcano("ttl", {"w": (1, "true")}, ttlSecondsAfterFinished=0))
    kept = server.submit(volcano("kept", {"w": (1, "true")}))
    server.wait(kept, "succeeded")
    eventually(lambda: server.call("GET", f"/api/v1/jobs/{job}").json().get("state") == "succeeded", "it has ended")
    server.restart()  # a server cleans up when it starts, and now and then
    eventually(lambda: server.call("GET", f"/api/v1/jobs/{job}").status_code == 404, "the job is gone", patience=120)
    assert server.job(kept)["state"] == "succeeded"


def test_volcano_references_and_fields(server):
    container = {"container": {
        "command": ["echo", "$(POD)", "$(WHERE)", "$$(POD)", "$(NOBODY)"],
        "env": [{"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "WHERE", "value": "in $(SPACE)"},
                {"name": "SPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}]}}
    job = server.submit(volcano("references", {"w": (1, "", container)}))
    server.wait(job, "succeeded")
    assert server.logs(job) == "references-w-0 in default $(POD) $(NOBODY)\n"


def test_volcano_a_declared_port_need_not_be_free_for_every_replica(server):
    port = {"container": {"ports": [{"containerPort": 2222, "name": "grpc"}]}}
    job = server.submit(volcano("ports", {"w": (3, "echo $TRAINYARD_PORT_GRPC", port)}))
    server.wait(job, "succeeded")
    assert len({server.logs(job, task=f"w-{i}") for i in range(3)}) == 3


def test_volcano_a_name_can_be_taken_once(server):
    text = volcano("taken", {"w": (1, "true")})
    server.wait(server.submit(text), "succeeded")
    answer = server.call("POST", "/api/v1/jobs", data=text)
    assert answer.status_code == 409 and "taken" in answer.json()["message"], answer.text


ELSEWHERE = {
    "openpai-v1": json.dumps({"jobName": "elsewhere1", "image": "x", "virtualCluster": "research",
                              "taskRoles": [{"name": "main", "command": "true"}]}),
    "openpai-v2": """{protocolVersion: 2, name: elsewhere2, type: job, defaults: {virtualCluster: research},
prerequisites: [{type: dockerimage, name: x, uri: x}],
taskRoles: {main: {dockerImage: x, resourcePerInstance: {cpu: 1, memoryMB: 64, gpu: 0}, commands: ["true"]}}}""",
    "ffdl": manifest("elsewhere3", "true", namespace="research", code_selector="codeFile"),
    "volcano": volcano("elsewhere4", {"w": (1, "true")}, queue="research"),
}


@pytest.mark.parametrize("dialect", ELSEWHERE)
def test_a_queue_of_another_site_is_told_where_there_is_no_choice(server, dialect):
    """Virtual cluster, namespace, queue: with one workspace only, nobody ends up in a wrong one."""
    files = {"job": ("job", ELSEWHERE[dialect]), **({"code": ("code.tar", code())} if dialect == "ffdl" else {})}
    answer = server.call("POST", "/api/v1/jobs", files=files)
    assert answer.status_code == 201, answer.text
    assert any("research" in warning["message"] for warning in answer.json()["warnings"]), answer.text
    assert server.wait(answer.json()["id"], "succeeded")["workspace"] == "default"


def test_a_queue_that_does_not_exist_is_refused_where_there_is_a_choice(make_server):
    server = make_server().start()
    assert server.stop() == 0
    with sqlite3.connect(server.data_dir / "trainyard.db") as database:
        database.execute("insert into workspaces (name, description, created_at) values ('vision', '', 1)")
    server.start()
    for dialect, text in ELSEWHERE.items():
        files = {"job": ("job", text), **({"code": ("code.tar", code())} if dialect == "ffdl" else {})}
        answer = server.call("POST", "/api/v1/jobs", files=files)
        assert answer.status_code == 404, answer.text
        assert '"research"' in answer.json()["message"] and "default, vision" in answer.json()["message"], answer.text
        files["job"] = ("job", text.replace("research", "vision"))
        answer = server.call("POST", "/api/v1/jobs", files=files)
        assert answer.status_code == 201, answer.text
        assert server.wait(answer.json()["id"], "succeeded")["workspace"] == "vision"


def test_volumes_are_private_or_shared_by_name(server):
    mounts = {"pod": {"volumes": [{"name": "own", "emptyDir": {}},
                                  {"name": "all", "persistentVolumeClaim": {"claimName": "shared"}}]},
              "container": {"volumeMounts": [{"name": "own", "mountPath": "/own"}, {"name": "all", "mountPath": "/all"}]}}
    # The process runtime makes no absolute paths: they lie below the run folder, which is where a task starts.
    script = "cd $(dirname $TRAINYARD_PEERS_FILE); echo $VC_TASK_INDEX > own/x; cat own/x > all/$VC_TASK_INDEX; ls own"
    job = server.submit(volcano("volumes", {"w": (2, script, mounts)}))
    server.wait(job, "succeeded")
    assert server.logs(job, task="w-0") == "x\n"
    claims = list((server.data_dir / "volumes").glob("*/shared"))
    assert len(claims) == 1 and sorted(path.name for path in claims[0].iterdir()) == ["0", "1"]


def test_a_folder_of_the_machine_must_be_granted(make_server, tmp_path):
    (tmp_path / "granted").mkdir()
    (tmp_path / "granted/data.txt").write_text("from the machine\n")
    (tmp_path / "granted/out").symlink_to("/etc")
    server = make_server(TRAINYARD_JOBS__HOST_FOLDERS=str(tmp_path / "granted")).start()

    def job(name, path):
        mounts = {"pod": {"volumes": [{"name": "d", "hostPath": {"path": path}}]},
                  "container": {"volumeMounts": [{"name": "d", "mountPath": "/d", "readOnly": True}]}}
        return volcano(name, {"w": (1, "cat $(dirname $TRAINYARD_PEERS_FILE)/d/data.txt", mounts)})

    good = server.submit(job("granted", str(tmp_path / "granted")))
    server.wait(good, "succeeded")
    assert server.logs(good) == "from the machine\n"
    for refused in ("/etc", str(tmp_path / "granted/../../etc"), str(tmp_path / "grantedtoo")):
        answer = server.call("POST", "/api/v1/jobs", data=job("refused", refused))
        assert answer.status_code == 400 and "host_folders" in answer.text, answer.text
    assert server.wait(server.submit(job("link", str(tmp_path / "granted/out"))), "failed")

# -- the GPU manager


def gpu_manager(name, amount, script):
    return json.dumps({"jobname": name, "tasks": [{"name": "w", "amount": amount, "image": "debian:12",
                                                   "command": ["sh", "-c", script],
                                                   "resources": {"cpu": "100m", "memory": "64Mi"}}]})


def test_gpu_manager_the_first_failure_fails_the_job(server):
    job = server.submit(gpu_manager("gm-fails", 2, f"[ $VC_TASK_INDEX = 0 ] || exit 1; {WAIT}"))
    ended = server.wait(job, "failed")
    assert states(server, ended) == {"w-0": "stopped", "w-1": "failed"}
    assert ended["attempt"] == 0


def test_gpu_manager_a_lost_task_starts_again_alone(server):
    job = server.submit(gpu_manager("gm-lost", 1, "echo try $TRAINYARD_TASK_ATTEMPT; [ $TRAINYARD_TASK_ATTEMPT = 1 ] || exec sleep 600"))
    eventually(lambda: "try 0" in server.logs(job), "the first try")
    server.kill_tasks(job)
    ended = server.wait(job, "succeeded", patience=120)
    assert ended["attempt"] == 0


def test_gpu_manager_names_are_rewritten_and_unique(server):
    answer = server.call("POST", "/api/v1/jobs", data="jobname: My_Job\ntasks: [{image: x, command: 'true'}]")
    assert answer.json()["name"] == "my-job", answer.text
    again = server.call("POST", "/api/v1/jobs", data="jobname: my-job\ntasks: [{image: x, command: 'true'}]")
    assert again.status_code == 409, again.text

# -- FfDL and Prophecis


def test_ffdl_the_first_learner_to_succeed_decides(server):
    job = submit_with_code(server, manifest("first", "[ $LEARNER_ID = 1 ] || { sleep 1; exit 1; }", learners=2))
    assert states(server, server.wait(job, "succeeded")) == {"learner-0": "succeeded", "learner-1": "failed"}


def test_ffdl_a_failed_learner_fails_the_job_without_a_retry(server):
    job = submit_with_code(server, manifest("fails", "exit 4"))
    ended = server.wait(job, "failed")
    assert ended["attempt"] == 0 and server.tasks(ended)["learner-0"]["exit_code"] == 4


def test_prophecis_worker_0_decides_and_the_servers_are_stopped(server):
    command = f"case $TASKROLE_NAME in ps) {WAIT} ;; esac; [ $VC_TASK_INDEX = 0 ] || {WAIT}"
    job = submit_with_code(server, manifest("dist", command, namespace="default", job_type="dist-tf", learners=2,
                                            pss="1", ps_cpu="0.1", ps_memory="64Mi", code_selector="codeFile"))
    assert states(server, server.wait(job, "succeeded")) == {
        "worker-0": "succeeded", "worker-1": "stopped", "ps-0": "stopped"}


@pytest.mark.parametrize("selector", ["codeFile", "storagePath"])
def test_prophecis_folders_of_the_store(make_server, tmp_path, selector):
    """The two manifests of the users' manual, with a folder of this machine as the store."""
    root = tmp_path / "store"
    (root / "data").mkdir(parents=True)
    (root / "workspace/tf-model").mkdir(parents=True)
    (root / "data/train.txt").write_text("images\n")
    program = root / "workspace/tf-model/train.py"
    program.write_text("import os\nprint(open(os.environ['DATA_DIR'] + '/train.txt').read().strip())\n"
                       "open(os.environ['RESULT_DIR'] + '/model', 'w').write('weights')\n")
    store = {"id": "hostmount", "type": "mount_volume", "training_data": {"container": "data"},
             "training_results": {"container": "result"},
             "connection": {"type": "host_mount", "name": "host-mount", "path": str(root)}}
    if selector == "storagePath":
        store["training_workspace"] = {"container": "workspace"}
    text = json.dumps({
        "name": "tf-convolutional-network", "version": "1.0", "gpus": 0, "cpus": 1, "memory": "1Gb",
        "namespace": "ns-common-common-test", "code_selector": selector, "data_stores": [store],
        "framework": {"name": "wedatasphere/di", "version": "tensorflow-1.14.0-gpu-py3",
                      "command": "python3 ${MODEL_DIR}/tf-model/train.py\n  --learningRate 0.001\n"}})
    (tmp_path / "manifest.yml").write_text(text)
    server = make_server(TRAINYARD_JOBS__HOST_FOLDERS=str(root)).start()
    code = [root / "workspace"] if selector == "codeFile" else []
    result = server.cli("submit", tmp_path / "manifest.yml", *code, "--follow", check=0, timeout=120)
    assert "images\n" in result.stdout, result.stdout
    assert (root / "result/model").read_text() == "weights"

# -- Octopus and Pumpkin


def test_octopus_the_main_task_ends_the_job(server):
    job = server.submit(octopus("main", worker=(2, 2, 1, True, "true"), helper=(1, 1, 1, False, WAIT)))
    assert states(server, server.wait(job, "succeeded")) == {
        "worker-0": "succeeded", "worker-1": "succeeded", "helper-0": "stopped"}


def test_octopus_another_task_that_fails_fails_the_job(server):
    job = server.submit(octopus("other", worker=(1, 1, 1, True, WAIT), helper=(1, 1, 1, False, "exit 2")))
    assert states(server, server.wait(job, "failed")) == {"worker-0": "stopped", "helper-0": "failed"}


def test_octopus_so_many_may_fail_and_so_many_must_succeed(server):
    job = server.submit(octopus("race", w=(3, 1, 3, True, f"case $VC_TASK_INDEX in 0) exit 1 ;; 1) {WAIT} ;; esac; sleep 1")))
    assert states(server, server.wait(job, "succeeded")) == {"w-0": "failed", "w-1": "stopped", "w-2": "succeeded"}


def test_octopus_without_a_main_task_all_must_succeed(server):
    job = server.submit(octopus("all", a=(1, 1, 1, False, "true"), b=(1, 1, 1, False, "true")))
    assert states(server, server.wait(job, "succeeded")) == {"a-0": "succeeded", "b-0": "succeeded"}


def test_octopus_resource_specs_are_the_sites(make_server):
    server = make_server(TRAINYARD_JOBS__RESOURCE_SPECS="small=cpus: 0.5; memory: 256MB").start()
    job = server.submit(octopus("spec", a=(1, 1, 1, False, "echo $PAI_TASK_MEM_MB")).replace('"any"', '"small"'))
    server.wait(job, "succeeded")
    assert server.logs(job) == "256\n"
    answer = server.call("POST", "/api/v1/jobs", data=octopus("unknown", a=(1, 1, 1, False, "true")))
    assert answer.status_code == 400 and "there are small" in answer.text, answer.text


def test_octopus_a_dataset_that_nobody_keeps_is_refused_by_its_name(server):
    text = json.loads(octopus("asset", a=(1, 1, 1, False, "true")))
    answer = server.call("POST", "/api/v1/jobs", data=json.dumps({**text, "dataSetId": "d1", "dataSetVersion": "V1"}))
    assert answer.status_code == 400 and "d1@V1" in answer.text, answer.text

# -- OpenPAI's isDebug, which no other platform has


def test_openpai_is_debug_holds_a_failed_task_for_a_while(make_server):
    server = make_server(TRAINYARD_JOBS__MAX_DEBUG_HOLD="20s").start()
    job = server.submit(json.dumps({"jobName": "debug", "image": "x", "jobEnvs": {"isDebug": True},
                                    "taskRoles": [{"name": "main", "command": "echo failing; exit 5"}]}))
    eventually(lambda: "failing" in server.logs(job), "the command ran")
    eventually(lambda: server.job(job)["state"] == "running", "it is held")
    ended = server.wait(job, "failed")
    assert server.tasks(ended)["main-0"]["exit_code"] == 5

# -- what the platform does when it loses a task itself


def lose(server, job):
    """Kills everything of the job from outside once it runs, as the kernel does when the machine is short of memory."""
    eventually(lambda: "first" in server.logs(job), "it runs")
    server.kill_tasks(job)


FIRST = "[ $TRAINYARD_ATTEMPT$TRAINYARD_TASK_ATTEMPT = 00 ] || exit 0; echo first; exec sleep 600"
LOST = {
    # name: (file, end, attempt in which it ended)
    "openpai": (json.dumps({"jobName": "lost1", "image": "x", "taskRoles": [{"name": "w", "memoryMB": 100, "command": FIRST}]}),
                "succeeded", 1),
    "octopus": (octopus("lost2", w=(1, 1, 1, True, FIRST)), "failed", 0),
    "volcano": (volcano("lost3", {"w": (1, FIRST)}), "succeeded", 0),
    "volcano-evicted": (volcano("lost4", {"w": (1, FIRST)}, policies=[{"event": "PodEvicted", "action": "RestartJob"}]),
                        "succeeded", 1),
    "volcano-any": (volcano("lost5", {"w": (1, FIRST)}, policies=[{"event": "*", "action": "TerminateJob"}]), "failed", 0),
}


def test_a_lost_task_is_nobodys_fault_on_openpai_a_failure_on_octopus_and_up_to_the_policies_on_volcano(server):
    jobs = {name: server.submit(text) for name, (text, _, _) in LOST.items()}
    jobs["ffdl"] = submit_with_code(server, manifest("lost6", FIRST))
    for job in jobs.values():
        lose(server, job)
    for name, (state, attempt) in {**{name: rest for name, (_, *rest) in LOST.items()}, "ffdl": ("failed", 0)}.items():
        ended = server.wait(jobs[name], patience=120)
        assert (ended["state"], ended["attempt"]) == (state, attempt), (name, ended)


def test_volcano_restart_task_starts_all_of_it_again_and_nothing_else(server):
    """RestartTask: every replica of the task, not those of others."""
    script = "echo try $TRAINYARD_TASK_ATTEMPT; [ $TRAINYARD_TASK_ATTEMPT -ge 1 ] && exit 0; [ $VC_TASK_INDEX = 0 ] && exit 1; exec sleep 600"
    done = {"policies": [{"event": "PodFailed", "action": "RestartTask"}, {"event": "TaskCompleted", "action": "CompleteJob"}]}
    job = server.submit(volcano("restart-task", {"w": (2, script, done), "ps": (1, "echo serving; exec sleep 600")}))
    ended = server.wait(job, "succeeded", patience=120)
    assert ended["attempt"] == 0
    for index in (0, 1):
        assert "try 1\n" in server.logs(job, task=f"w-{index}")
    assert server.logs(job, task="ps-0") == "serving\n"


def test_volcano_depends_on_any_needs_one_of_them(server):
    """iteration: any: the worker starts when one of the two it waits for has."""
    tasks = {"w": (1, "true", {"dependsOn": {"name": ["a", "b"], "iteration": "any"},
                               "policies": [{"event": "TaskCompleted", "action": "CompleteJob"}]}),
             "a": (1, WAIT), "b": (1, WAIT)}
    ended = server.tasks(server.wait(server.submit(volcano("depends-any", tasks)), "succeeded"))
    assert min(ended["a-0"]["started_at"], ended["b-0"]["started_at"]) <= ended["w-0"]["started_at"]


def test_volcano_always_starts_again_after_success_too(server):
    again = {"pod": {"restartPolicy": "Always"}, "maxRetry": 1}
    job = server.submit(volcano("always", {"w": (1, "echo run $TRAINYARD_TASK_ATTEMPT", again)}))
    server.wait(job, "succeeded", patience=120)
    assert "run 1\n" in server.logs(job, task="w-0")


def test_octopus_the_first_of_two_main_tasks_decides(server):
    job = server.submit(octopus("two-mains", a=(1, 1, 1, True, "true"), b=(1, 1, 1, True, WAIT)))
    assert states(server, server.wait(job, "succeeded")) == {"a-0": "succeeded", "b-0": "stopped"}


def test_openpai_retry_minus_one_never_gives_up_and_minus_two_begins_again_after_success(server):
    def job(name, retries, command):
        return server.submit(json.dumps({"jobName": name, "image": "x", "retryCount": retries,
                                         "taskRoles": [{"name": "w", "memoryMB": 100, "command": command}]}))
    never = job("never-gives-up", -1, "[ $TRAINYARD_ATTEMPT = 2 ]")
    again = job("once-more", -2, "echo attempt $TRAINYARD_ATTEMPT")
    broken = job("not-for-ever", -1, "/no/such/program")
    assert server.wait(never, "succeeded", patience=120)["attempt"] == 2
    eventually(lambda: server.job(again)["attempt"] >= 1, "it began again", patience=60)
    server.stop_job(again)
    server.wait(again, "cancelled")
    assert server.wait(broken, {"succeeded", "failed"})["state"] == "failed"


def test_openpai_kill_all_on_completed_task_number(server):
    job = server.submit(json.dumps({"jobName": "kill-all", "image": "x", "killAllOnCompletedTaskNumber": 1, "taskRoles": [
        {"name": "w", "taskNumber": 2, "memoryMB": 100, "command": f"[ $PAI_TASK_INDEX = 0 ] || {WAIT}"}]}))
    assert states(server, server.wait(job, "succeeded")) == {"w-0": "succeeded", "w-1": "stopped"}


def test_openpai_gpu_type_chooses_the_device_and_extras_come_back(make_server):
    server = make_server(TRAINYARD_NODE__GPUS="A100:1,V100:1").start()
    text = json.dumps({"jobName": "typed", "image": "x", "gpuType": "V100", "extras": {"note": ["kept", 1]}, "taskRoles": [
        {"name": "w", "gpuNumber": 1, "memoryMB": 100, "command": "echo $CUDA_VISIBLE_DEVICES $TRAINYARD_GPU_TYPE"}]})
    job = server.submit(text)
    server.wait(job, "succeeded")
    assert server.logs(job) == "1 V100\n"
    assert server.call("GET", f"/api/v1/jobs/{job}/spec").text == text
