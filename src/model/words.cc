#include "model/words.h"

#include <array>
#include <string>

#include "model/environment.h"
#include "model/job_query.h"

namespace ty::model {

namespace {

/// The words of E, each at the position of its enumerator.
template <class E>
constexpr auto kWords = nullptr;

template <class... W>
constexpr auto list(W... words) {
  return std::array<std::string_view, sizeof...(W)>{words...};
}

template <>
constexpr auto kWords<Dialect> =
    list("native", "openpai-v1", "openpai-v2", "ffdl", "gpu-manager", "volcano", "octopus");
template <>
constexpr auto kWords<PullPolicy> = list("if_missing", "always", "never");
template <>
constexpr auto kWords<Network> = list("bridge", "host");
template <>
constexpr auto kWords<MountKind> =
    list("code", "data", "output", "model", "storage", "home", "scratch");
template <>
constexpr auto kWords<MountMode> = list("mount", "copy_in", "copy_in_out", "export_only");
template <>
constexpr auto kWords<Shell> = list("none", "sh", "bash", "bash_or_sh");
template <>
constexpr auto kWords<Entrypoint> = list("keep", "clear");
template <>
constexpr auto kWords<AtEnd> = list("succeed", "check_role", "check_job");
template <>
constexpr auto kWords<FailureClass> = list("none", "user", "platform", "conflict", "permanent");
template <>
constexpr auto kWords<RestartOn> = list("failure", "any");
template <>
constexpr auto kWords<PolicyEvent> = list("task_failed",
                                          "task_evicted",
                                          "task_pending",
                                          "role_done",
                                          "role_failed",
                                          "unplaceable",
                                          "job_updated",
                                          "any");
template <>
constexpr auto kWords<PolicyAction> = list("restart_job",
                                           "restart_role",
                                           "restart_task",
                                           "restart_partition",
                                           "pause_job",
                                           "resume_job",
                                           "fail_job",
                                           "succeed_job");
template <>
constexpr auto kWords<AlertLevel> = list("critical", "major", "minor", "warning", "info");
template <>
constexpr auto kWords<MetricKind> = list("regex", "tensorboard", "file");
template <>
constexpr auto kWords<AfterWhen> = list("started", "succeeded");
template <>
constexpr auto kWords<JobState> =
    list("queued", "starting", "running", "stopping", "paused", "succeeded", "failed", "cancelled");
template <>
constexpr auto kWords<TaskState> =
    list("waiting", "starting", "running", "stopping", "succeeded", "failed", "stopped");
template <>
constexpr auto kWords<Outcome> = list("none", "succeeded", "failed", "stopped", "lost");
template <>
constexpr auto kWords<Reason> = list("none",
                                     "exit",
                                     "killed",
                                     "command_not_found",
                                     "oom",
                                     "image_missing",
                                     "bad_spec",
                                     "time_limit",
                                     "wait_limit",
                                     "code_failed",
                                     "data_failed",
                                     "output_failed",
                                     "node_lost",
                                     "evicted",
                                     "preempted",
                                     "gpu_lost",
                                     "port_conflict",
                                     "start_failed",
                                     "gang_timeout",
                                     "user_stop",
                                     "job_ended",
                                     "scaled_down");
template <>
constexpr auto kWords<RuntimeKind> = list("process", "docker", "oci", "kubernetes", "fake");
template <>
constexpr auto kWords<JobSort> = list("newest", "oldest", "name", "ended");

}  // namespace

template <class E>
std::string_view to_word(E value) {
  const auto at = static_cast<std::size_t>(value);
  return at < kWords<E>.size() ? kWords<E>[at] : std::string_view("?");
}

template <class E>
std::optional<E> from_word(std::string_view word) {
  for (std::size_t i = 0; i < kWords<E>.size(); ++i) {
    if (kWords<E>[i] == word) return static_cast<E>(i);
  }
  return std::nullopt;
}

template <class E>
std::string_view words() {
  static const std::string all = [] {
    std::string text;
    for (const std::string_view word : kWords<E>) {
      if (!text.empty()) text += ", ";
      text += word;
    }
    return text;
  }();
  return all;
}

#define TY_WORDS(E)                                         \
  template std::string_view to_word<E>(E);                  \
  template std::optional<E> from_word<E>(std::string_view); \
  template std::string_view words<E>();
TY_WORDS(Dialect)
TY_WORDS(PullPolicy)
TY_WORDS(Network)
TY_WORDS(MountKind)
TY_WORDS(MountMode)
TY_WORDS(Shell)
TY_WORDS(Entrypoint)
TY_WORDS(AtEnd)
TY_WORDS(FailureClass)
TY_WORDS(RestartOn)
TY_WORDS(PolicyEvent)
TY_WORDS(PolicyAction)
TY_WORDS(AlertLevel)
TY_WORDS(MetricKind)
TY_WORDS(AfterWhen)
TY_WORDS(JobState)
TY_WORDS(TaskState)
TY_WORDS(Outcome)
TY_WORDS(Reason)
TY_WORDS(RuntimeKind)
TY_WORDS(JobSort)
#undef TY_WORDS

}  // namespace ty::model
