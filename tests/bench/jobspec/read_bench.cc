// How long reading a job file takes: durable submissions at more than 15,000 a second leave 30 µs
// for a JSON job of 3.3 KB. Prints the median of many rounds and whether the goal is reached; exit
// 1 when not.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "jobspec/print.h"
#include "jobspec/read.h"

namespace {

constexpr const char* kHead = R"json({"name":"bert-large-pretrain","description":"nightly run",
"workspace":"nlp","priority":"high","labels":{"team":"nlp","model":"bert","stage":"pretrain"},
"params":{"lr":0.0001,"batch":256},"time_limit":"12h","retry":{"count":3,"backoff":"1m"},
"metrics":{"loss":"loss=([0-9.]+)",
"accuracy":{"regex":"acc=(?P<value>[0-9.]+) step=(?P<step>[0-9]+)","group":"eval"}},
"alerts":[{"on":["failed","retried"],"to":["alice","bob@example.org"],"level":"major"},
{"after":"8h","every":"1h","to":"alice"}],
"env":{"NCCL_DEBUG":"WARN","OMP_NUM_THREADS":8,"TOKENIZERS_PARALLELISM":false,"HF_HOME":"/data/hf"},
"roles":{)json";

constexpr const char* kRole = R"json({"image":"registry.example.org/nlp/bert:2.4.0-cuda12.1",
"count":4,"gpus":"A100:8","cpus":32,"memory":"400GB",
"code":"https://git.example.org/nlp/bert.git@v1.2","data":{"pile":"storage:team/pile"},
"ports":{"nccl":{"count":2},"web":8080},"env":{"ROLE":"worker"},"run":")json";

/// What a program submits: four roles, environment, ports, data, metrics, alerts, a script of some
/// length.
std::string json_job() {
  std::string script;
  for (int i = 0; i < 22; ++i) {
    script +=
        "python step.py --stage " + std::to_string(i) + " --data /data/train --out /output/run\\n";
  }
  std::string job = kHead;
  for (int role = 0; role < 4; ++role) {
    job += (role > 0 ? ",\n\"worker" : "\"worker") + std::to_string(role) + "\":" + kRole +
           (role == 0 ? script : "torchrun train.py --lr ${{ lr }} --batch ${{ batch }}") + "\"}";
  }
  return job + "}}";
}

double median_micros(const std::string& text, int rounds) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const ty::jobspec::ReadResult result = ty::jobspec::read(text);
    const auto end = std::chrono::steady_clock::now();
    if (!result.ok()) {
      std::puts(ty::jobspec::format_issue(result.errors.front(), "bench").c_str());
      std::exit(2);
    }
    times.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
  }
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return times[static_cast<std::size_t>(rounds / 2)];
}

}  // namespace

int main() {
  const std::string json = json_job();
  const std::string yaml = ty::jobspec::print_native(ty::jobspec::read(json).jobs.at(0).spec);
  const double json_time = median_micros(json, 20'000);
  const double yaml_time = median_micros(yaml, 1'000);
  constexpr double kGoal = 30;
  std::printf("read JSON job of %zu bytes  %7.1f us  goal %.0f us  %s\n",
              json.size(),
              json_time,
              kGoal,
              json_time <= kGoal ? "reached" : "MISSED");
  std::printf("read YAML job of %zu bytes  %7.1f us\n", yaml.size(), yaml_time);
  return json_time <= kGoal ? 0 : 1;
}
