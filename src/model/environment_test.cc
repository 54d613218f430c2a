#include "model/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace ty::model {
namespace {

/// The job of the dump in job-model §7.3.
JobSpec bert() {
  JobSpec spec;
  spec.name = "bert";
  RoleSpec ps{.name = "ps", .system_name = "ps"};
  ps.resources = {.cpu_milli = 4000, .memory = 16LL << 30, .shm = 8LL << 30};
  RoleSpec worker{.name = "worker", .system_name = "worker", .count = 2};
  worker.resources = {.cpu_milli = 16000, .memory = 64LL << 30, .shm = 32LL << 30, .gpus = 1};
  worker.ports = {{.label = "nccl", .count = 2}};
  worker.completion = {.min_succeeded = 2, .ends_job = true, .need = 2};
  spec.roles = {ps, worker};
  return spec;
}

std::vector<Task> placed(bool process) {
  const auto address = [&](int last) {
    return process ? std::string("127.0.0.1") : "10.88.4." + std::to_string(last);
  };
  std::vector<Task> tasks(3);
  tasks[0].ref = {0, 0};
  tasks[0].placement = Placement{.node = "n", .address = address(2), .ports = {{20400}, {20401}}};
  tasks[1].ref = {1, 0};
  tasks[1].placement = Placement{
      .node = "n", .address = address(3), .gpus = {2}, .ports = {{20402}, {20403}, {20404, 20405}}};
  tasks[2].ref = {1, 1};
  tasks[2].placement = Placement{
      .node = "n", .address = address(4), .gpus = {3}, .ports = {{20406}, {20407}, {20408, 20409}}};
  return tasks;
}

EnvironmentInput input(const JobSpec& spec, const std::vector<Task>& tasks, RuntimeKind runtime) {
  EnvironmentInput in{.spec = spec,
                      .job = JobId("k41f09c2ab7d34e8899d0c51e2f7a6b3"),
                      .handle = "bert",
                      .owner = "ann",
                      .owner_id = {7},
                      .workspace = "default",
                      .runtime = runtime,
                      .tasks = tasks,
                      .self = {1, 1}};
  in.output_dir = runtime == RuntimeKind::Process ? "/srv/run/output" : "/output";
  if (runtime == RuntimeKind::Process) {
    in.run_dir = "/srv/run";
    in.master_port = 20410;
    in.tf_ports = {20411, 20412, 20413};
  }
  return in;
}

using Map = std::map<std::string, std::string>;

Map all(const TaskEnvironment& environment) {
  Map map(environment.soft.begin(), environment.soft.end());
  for (const auto& [name, value] : environment.platform) map[name] = value;
  return map;
}

/// NAME=value, separated by blanks; values hold none.
void expect_contains(const Map& map, const std::string& dump) {
  std::istringstream words(dump);
  for (std::string word; words >> word;) {
    const std::size_t at = word.find('=');
    const auto found = map.find(word.substr(0, at));
    ASSERT_NE(found, map.end()) << word;
    EXPECT_EQ(found->second, word.substr(at + 1)) << word;
  }
}

constexpr const char* kDump = R"(
TRAINYARD_JOB_ID=k41f09c2ab7d34e8899d0c51e2f7a6b3 TRAINYARD_JOB_NAME=bert TRAINYARD_USER=ann
TRAINYARD_WORKSPACE=default TRAINYARD_ROLE=worker TRAINYARD_ROLES=ps,worker TRAINYARD_INDEX=1 TRAINYARD_COUNT=2
TRAINYARD_TASKS=3 TRAINYARD_ATTEMPT=0 TRAINYARD_HOST=worker-1 TRAINYARD_HOSTS_PS=ps-0
TRAINYARD_HOSTS_WORKER=worker-0,worker-1 TRAINYARD_PORT_NCCL=20408 TRAINYARD_PORTS_NCCL=20408,20409 TRAINYARD_CPUS=16
TRAINYARD_MEMORY_MB=65536 TRAINYARD_GPUS=1 TRAINYARD_OUTPUT_DIR=/output TRAINYARD_RUNTIME=docker
RANK=1 NODE_RANK=1 WORLD_SIZE=2 NNODES=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 MASTER_ADDR=worker-0 MASTER_PORT=29500
NVIDIA_VISIBLE_DEVICES=3 PET_NNODES=2 PET_NODE_RANK=1 PET_NPROC_PER_NODE=1 PET_MASTER_ADDR=worker-0
PET_MASTER_PORT=29500 HOSTNAME=worker-1
TF_CONFIG={"cluster":{"ps":["ps-0:2222"],"worker":["worker-0:2222","worker-1:2222"]},"task":{"type":"worker","index":1},"environment":"cloud"}
PAI_JOB_NAME=ann~bert PAI_USER_NAME=ann PAI_VIRTUAL_CLUSTER=default PAI_TASK_ROLE_COUNT=2 PAI_TASK_ROLE_LIST=ps,worker
PAI_TASKS_NUM=3 PAI_TASK_ROLE_INSTANCES=ps:0,worker:0,worker:1 PAI_CURRENT_TASK_ROLE_NAME=worker
PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX=1 PAI_TASK_ROLE_TASK_COUNT_ps=1 PAI_TASK_ROLE_TASK_COUNT_worker=2
PAI_RESOURCE_ps=0,4,16384,8192 PAI_RESOURCE_worker=1,16,65536,32768 PAI_MIN_FAILED_TASK_COUNT_worker=1
PAI_MIN_SUCCEEDED_TASK_COUNT_worker=2 PAI_MIN_SUCCEEDED_TASK_COUNT_ps= PAI_HOST_IP_ps_0=10.88.4.2
PAI_HOST_IP_worker_0=10.88.4.3 PAI_HOST_IP_worker_1=10.88.4.4 PAI_PORT_LIST_worker_1_nccl=20408,20409
PAI_worker_1_ssh_PORT=20407 PAI_TASK_ROLE_worker_HOST_LIST=10.88.4.3:20402,10.88.4.4:20406
PAI_CONTAINER_HOST_IP=10.88.4.4 PAI_CONTAINER_HOST_PORT=20406
PAI_CONTAINER_HOST_PORT_LIST=http:20406;ssh:20407;nccl:20408,20409; TASKROLE_NAME=worker VC_TASK_INDEX=1
VK_TASK_INDEX=1 VC_PS_HOSTS=ps-0 VC_PS_NUM=1 VC_WORKER_HOSTS=worker-0,worker-1 VC_WORKER_NUM=2 VC_TASK0_HOSTS=ps-0
VC_TASK1_HOSTS=worker-0,worker-1 TASKSET_NAME=k41f09c2ab7d34e8899d0c51e2f7a6b3 LEARNER_ID=2 NUM_LEARNERS=2
LEARNER_NAME_PREFIX=worker RESULT_DIR=/output GPU_COUNT=1.000000)";

TEST(Environment, OnDockerIsTheDumpOfTheSpecification) {
  const JobSpec spec = bert();
  const auto tasks = placed(false);
  const Map map = all(make_environment(input(spec, tasks, RuntimeKind::Docker)));
  expect_contains(map, kDump);
  EXPECT_EQ(map.at("PAI_TASK_ROLE_1_HOST_LIST"), map.at("PAI_TASK_ROLE_worker_HOST_LIST"));
  EXPECT_EQ(map.at("TASKSET_NAMESPACE"), "7");
  EXPECT_EQ(map.at("TRAINYARD_PEERS_FILE"), "/etc/trainyard/peers.json");
  EXPECT_FALSE(map.contains("CUDA_VISIBLE_DEVICES"));
  EXPECT_FALSE(map.contains("TRAINYARD_CODE_DIR"));
  EXPECT_FALSE(map.contains("TRAINYARD_DEADLINE"));
  EXPECT_FALSE(map.contains("FC_TASK_INDEX"));
}

TEST(Environment, ARoleMayPlayAPartThatItsNameDoesNotSay) {
  JobSpec spec = bert();
  spec.dialect = Dialect::Volcano;
  spec.services.tensorflow_port = 2345;
  spec.roles[0].part = "ps";
  spec.roles[0].name = spec.roles[0].system_name = "keeper";
  spec.roles[1].part = "worker";
  spec.roles[1].name = spec.roles[1].system_name = "hand";
  const auto tasks = placed(false);
  const Map map = all(make_environment(input(spec, tasks, RuntimeKind::Docker)));
  EXPECT_EQ(map.at("TF_CONFIG"),
            R"({"cluster":{"ps":["keeper-0:2345"],"worker":["hand-0:2345","hand-1:2345"]},)"
            R"("task":{"type":"worker","index":1},"environment":"cloud"})");
  EXPECT_EQ(map.at("RANK"), "1") << "parameter servers are no ranks under any name";
  EXPECT_EQ(map.at("VC_HAND_HOSTS"), "bert-hand-0.bert,bert-hand-1.bert");
  EXPECT_EQ(map.at("HOSTNAME"), "bert-hand-1");
}

TEST(Environment, VariablesOfAVolcanoJobReferToEachOther) {
  JobSpec spec = bert();
  spec.dialect = Dialect::Volcano;
  spec.roles[1].env = {{"POD", "$(HOSTNAME)"}, {"TEXT", "$(POD) of $(VC_WORKER_NUM), $$(POD)"}};
  const auto tasks = placed(false);
  EXPECT_EQ(all(make_environment(input(spec, tasks, RuntimeKind::Docker))).at("TEXT"),
            "bert-worker-1 of 2, $(POD)");
  spec.dialect = Dialect::Native;
  EXPECT_EQ(all(make_environment(input(spec, tasks, RuntimeKind::Docker))).at("POD"),
            "$(HOSTNAME)");
}

TEST(Environment, AsAProcessHasAddressesAndDrawnPorts) {
  const JobSpec spec = bert();
  const auto tasks = placed(true);
  const Map map = all(make_environment(input(spec, tasks, RuntimeKind::Process)));
  expect_contains(map,
                  R"(MASTER_ADDR=127.0.0.1 MASTER_PORT=20410 VC_WORKER_HOSTS=127.0.0.1,127.0.0.1
      PAI_HOST_IP_worker_0=127.0.0.1 CUDA_VISIBLE_DEVICES=3 TRAINYARD_OUTPUT_DIR=/srv/run/output
      TRAINYARD_RUNTIME=process TRAINYARD_HOSTFILE=/srv/run/hostfile PET_MASTER_PORT=20410
      TF_CONFIG={"cluster":{"ps":["127.0.0.1:20411"],"worker":["127.0.0.1:20412","127.0.0.1:20413"]},"task":{"type":"worker","index":1},"environment":"cloud"})");
  EXPECT_FALSE(map.contains("NVIDIA_VISIBLE_DEVICES"));
}

TEST(Environment, NamesAreSortedDistinctAndLegal) {
  JobSpec spec = bert();
  spec.roles[1].name = "my-worker.v2~x";
  for (const RuntimeKind runtime : {RuntimeKind::Docker, RuntimeKind::Process}) {
    for (const Dialect dialect :
         {Dialect::Native, Dialect::OpenPaiV1, Dialect::Ffdl, Dialect::Pumpkin, Dialect::Volcano}) {
      spec.dialect = dialect;
      const auto tasks = placed(runtime == RuntimeKind::Process);
      const TaskEnvironment made = make_environment(input(spec, tasks, runtime));
      for (const Environment* layer : {&made.soft, &made.platform}) {
        const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
        EXPECT_TRUE(std::ranges::is_sorted(*layer, by_name));
        for (std::size_t i = 0; i < layer->size(); ++i) {
          const std::string& name = (*layer)[i].first;
          if (i > 0) EXPECT_NE((*layer)[i - 1].first, name);
          EXPECT_EQ(ident_name(name), name);
          EXPECT_FALSE(std::isdigit(static_cast<unsigned char>(name.front()))) << name;
        }
      }
    }
  }
}

TEST(Environment, RolesAreSpelledAsWrittenByIdentAndSqueezed) {
  JobSpec spec = bert();
  spec.roles[1].name = "My_worker";
  const auto tasks = placed(false);
  Map map = all(make_environment(input(spec, tasks, RuntimeKind::Docker)));
  EXPECT_EQ(map.at("PAI_HOST_IP_My_worker_0"), "10.88.4.3");
  EXPECT_EQ(map.at("PAI_HOST_IP_myworker_0"), "10.88.4.3");
  EXPECT_EQ(map.at("VC_MY_WORKER_NUM"), "2");
  spec.roles[1].name = "my-worker";
  map = all(make_environment(input(spec, tasks, RuntimeKind::Docker)));
  EXPECT_EQ(map.at("PAI_HOST_IP_my_worker_0"), "10.88.4.3");
}

TEST(Environment, LaterLayersWinAndOursStay) {
  JobSpec spec = bert();
  spec.env = {{"MASTER_ADDR", "elsewhere"},
              {"A", "job"},
              {"B", "job"},
              {"RANK", std::nullopt},
              {"NVIDIA_VISIBLE_DEVICES", "all"},
              {"RESULT_DIR", "/mine"}};
  spec.roles[1].env = {{"B", "role"}};
  const auto tasks = placed(false);
  EnvironmentInput in = input(spec, tasks, RuntimeKind::Docker);
  in.site_defaults = {{"A", "site"}, {"C", "site"}, {"HTTP_PROXY", "p"}};
  in.secrets = {{"TOKEN", "s3cret"}};
  const TaskEnvironment made = make_environment(in);
  const Map map(made.platform.begin(), made.platform.end());
  EXPECT_EQ(map.at("MASTER_ADDR"), "elsewhere");
  EXPECT_EQ(map.at("A"), "job");
  EXPECT_EQ(map.at("B"), "role");
  EXPECT_EQ(map.at("C"), "site");
  EXPECT_EQ(map.at("TOKEN"), "s3cret");
  EXPECT_EQ(map.at("RESULT_DIR"), "/mine");
  EXPECT_FALSE(map.contains("RANK"));
  EXPECT_EQ(map.at("NVIDIA_VISIBLE_DEVICES"), "3");
  EXPECT_TRUE(
      std::ranges::none_of(made.soft, [](const auto& v) { return v.first == "RESULT_DIR"; }));
}

TEST(Environment, SoftWordsAreFirmInFfdlJobsAndAbsentElsewhereOnKubernetes) {
  JobSpec spec = bert();
  const auto tasks = placed(false);
  EXPECT_TRUE(make_environment(input(spec, tasks, RuntimeKind::Kubernetes)).soft.empty());
  spec.dialect = Dialect::Ffdl;
  EnvironmentInput in = input(spec, tasks, RuntimeKind::Docker);
  in.code_dir = "/job/model-code";
  in.output_dir = "/mnt/results/out";
  const TaskEnvironment made = make_environment(in);
  EXPECT_TRUE(made.soft.empty());
  const Map map(made.platform.begin(), made.platform.end());
  const std::string id = "training-k41f09c2ab7d34e8899d0c51e2f7a6b3";
  EXPECT_EQ(map.at("RESULT_DIR"), "/mnt/results/out/" + id);
  EXPECT_EQ(map.at("MODEL_DIR"), "/job/model-code");
  EXPECT_EQ(map.at("PYTHONPATH"), "/job/model-code");
  EXPECT_EQ(map.at("TRAINING_ID"), id);
  EXPECT_EQ(map.at("LEARNER_ID"), "worker-1");
}

TEST(Environment, UnrankedTasksHaveNoRank) {
  const JobSpec spec = bert();
  const auto tasks = placed(false);
  EnvironmentInput in = input(spec, tasks, RuntimeKind::Docker);
  in.self = {0, 0};
  const Map map = all(make_environment(in));
  EXPECT_FALSE(map.contains("RANK"));
  EXPECT_FALSE(map.contains("PET_NNODES"));
  EXPECT_EQ(map.at("WORLD_SIZE"), "2");
  EXPECT_EQ(map.at("NVIDIA_VISIBLE_DEVICES"), "none");
}

TEST(Environment, MastersComeFirstAmongTheRanks) {
  JobSpec spec = bert();
  spec.roles[0].name = spec.roles[0].system_name = "worker";
  spec.roles[1].name = spec.roles[1].system_name = "master";
  const auto tasks = placed(false);
  const Map map = all(make_environment(input(spec, tasks, RuntimeKind::Docker)));
  EXPECT_EQ(map.at("RANK"), "1");
  EXPECT_EQ(map.at("MASTER_ADDR"), "master-0");
  EXPECT_EQ(map.at("WORLD_SIZE"), "3");
}

TEST(Environment, HostsFollowThePlatformTheJobWasWrittenFor) {
  JobSpec spec = bert();
  const auto tasks = placed(false);
  spec.dialect = Dialect::Pumpkin;
  Map map = all(make_environment(input(spec, tasks, RuntimeKind::Docker)));
  const std::string id = "k41f09c2ab7d34e8899d0c51e2f7a6b3";
  EXPECT_EQ(map.at("TASKROLE_NAME"), "task1");
  EXPECT_EQ(map.at("VC_TASK1_HOSTS"), id + "-task1-0." + id + "," + id + "-task1-1." + id);
  EXPECT_EQ(map.at("HOSTNAME"), id + "-task1-1");
  spec.dialect = Dialect::Volcano;
  map = all(make_environment(input(spec, tasks, RuntimeKind::Docker)));
  EXPECT_EQ(map.at("VC_WORKER_HOSTS"), "bert-worker-0.bert,bert-worker-1.bert");
  EXPECT_EQ(map.at("HOSTNAME"), "bert-worker-1");
}

TEST(Environment, OpenPaiJobsFindTheirControllersNames) {
  JobSpec spec = bert();
  spec.dialect = Dialect::OpenPaiV2;
  const auto tasks = placed(false);
  const Map map = all(make_environment(input(spec, tasks, RuntimeKind::Docker)));
  EXPECT_EQ(map.at("FC_FRAMEWORK_NAME"), "2d094af6942df5732c130fa7b2a504b3");
  EXPECT_EQ(map.at("FC_POD_NAME"), "2d094af6942df5732c130fa7b2a504b3-worker-1");
  EXPECT_FALSE(map.contains("PET_NNODES"));
}

TEST(Environment, FilesListEveryPeer) {
  const JobSpec spec = bert();
  const auto tasks = placed(false);
  const TaskEnvironment made = make_environment(input(spec, tasks, RuntimeKind::Docker));
  const Map files(made.files.begin(), made.files.end());
  EXPECT_EQ(files.at("hostfile"), "worker-0 slots=1\nworker-1 slots=1\n");
  EXPECT_EQ(files.at("volcano/worker.host"), "worker-0\nworker-1\n");
  EXPECT_EQ(files.at("taskInfo/ps.host"), "ps-0\n");
  EXPECT_NE(
      files.at("peers.json")
          .find(
              R"({"role":"worker","index":1,"host":"worker-1","ip":"10.88.4.4","ports":{"http":[20406],"ssh":[20407],"nccl":[20408,20409]},"rank":1})"),
      std::string::npos);
}

TEST(Environment, HugeJobsKeepTheirListsInFiles) {
  JobSpec spec;
  spec.name = "wide";
  spec.roles = {{.name = "worker", .system_name = "worker-with-a-rather-long-name", .count = 4096}};
  std::vector<Task> tasks(4096);
  for (int i = 0; i < 4096; ++i) {
    tasks[static_cast<std::size_t>(i)].ref = {0, i};
    tasks[static_cast<std::size_t>(i)].placement =
        Placement{.address = "10.0.0.1", .ports = {{20000}, {20001}}};
  }
  EnvironmentInput in = input(spec, tasks, RuntimeKind::Docker);
  in.self = {0, 1};
  const TaskEnvironment made = make_environment(in);
  std::size_t bytes = 0;
  for (const auto& [name, value] : made.platform) bytes += name.size() + value.size();
  EXPECT_LT(bytes, 300u * 1024);
  const Map map = all(made);
  EXPECT_FALSE(map.contains("PAI_HOST_IP_worker_0"));
  EXPECT_FALSE(map.contains("VC_WORKER_HOSTS"));
  EXPECT_EQ(map.at("VC_WORKER_NUM"), "4096");
}

TEST(Names, DnsNamesAreLabels) {
  EXPECT_EQ(dns_name("My_Job.v2~x y", ""), "my-job-v2-x-y");
  EXPECT_EQ(dns_name("--a__b--", ""), "a-b");
  EXPECT_EQ(dns_name("7b", ""), "j-7b");
  EXPECT_EQ(dns_name("训练", "k41f09c2ab7d"), "j-k41f09c2");
  const std::string longer = dns_name(std::string(60, 'a'), "");
  EXPECT_EQ(longer.size(), 40u);
  EXPECT_NE(longer, dns_name(std::string(61, 'a'), ""));
  EXPECT_EQ(gpu_manager_name("Test_Job1"), "test-job1");
}

TEST(Names, ATaskIsFoundUnderEveryPlatformsName) {
  JobSpec spec = bert();
  const JobId id("k41f09c2ab7d34e8899d0c51e2f7a6b3");
  const std::vector<std::string> expected = {"worker-1",
                                             "task1-1",
                                             "bert-worker-1",
                                             "bert-worker-1.bert",
                                             id.str() + "-task1-1",
                                             id.str() + "-task1-1." + id.str(),
                                             "worker-1.worker"};
  EXPECT_EQ(task_aliases(spec, id, {1, 1}), expected);
}

}  // namespace
}  // namespace ty::model
