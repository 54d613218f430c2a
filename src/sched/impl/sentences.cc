#include "sched/impl/sentences.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "base/text.h"

namespace ty::sched {
namespace {

struct Sentence {
  std::string_view code;
  std::string_view text;
};

constexpr Sentence kSentences[] = {
    // What is scarce now.
    {"free_on_node", "needs {needs} at once; {free} of {total} are free on {node}"},
    {"none_free", "needs {needs} at once; 0 free"},
    {"scattered",
     "needs {needs} on one node; {sum} are free on {nodes} nodes, at most {free} on {node}"},
    {"room_for_some",
     "needs {needs} at once ({tasks} tasks); there is room for {room} of {tasks} tasks now"},
    {"not_together", "needs {needs} on one node; no node has all of it free"},
    {"port_taken", "port {port} is in use on {node} by {job}"},
    // What people decided.
    {"draining", "{node} is being drained; with it the job would fit"},
    {"reserved", "{node} is reserved until {until} ({reservation})"},
    {"reserved_soon",
     "{node} is reserved from {from} ({reservation}) and the job could run longer"},
    {"backoff", "waits until {until} after its last attempt failed"},
    {"no_balance", "workspace {workspace} has no machine time left"},
    {"workspace_limit",
     "workspace {workspace} uses {used} of {limit} {what}; this job needs {needs}"},
    {"user_limit",
     "its owner uses {used} of {limit} {what} in workspace {workspace}; this job needs {needs}"},
    {"guaranteed",
     "needs {needs} {what}; {left} are not promised to other workspaces, and only preemptible jobs "
     "may "
     "borrow"},
    // Who goes first.
    {"would_delay", "fits now, but could run into the start of {job}, expected at {at}"},
    {"behind", "{job} goes first"},
    {"making_room", "{count} being stopped to make room"},
    {"starts_now", "starts with the next decision"},
    {"not_waiting", "does not wait"},
    // What can never be.
    {"no_nodes", "there is no node"},
    {"no_label", "no node has the labels {labels}"},
    {"no_type", "needs {needs}; there are {types}"},
    {"no_device", "needs {needs} {device}; no node has so many"},
    {"node_too_small", "needs {needs} on one node; the largest, {node}, has {most}"},
    {"site_too_small",
     "needs {needs} at once ({tasks} tasks); with every node empty there is room for {room}"},
    {"above_limit", "needs {needs} {what}; workspace {workspace} may use {limit} at most"},
    {"above_user_limit",
     "needs {needs} {what}; a user of workspace {workspace} may use {limit} at most"},
    // What would help.
    {"skip_backoff", "start it again now, without the pause after its failure"},
    {"add_balance", "give workspace {workspace} machine time"},
    {"raise_limit", "raise the limit of workspace {workspace} to {to} {what}"},
    {"raise_user_limit", "raise the limit per user of workspace {workspace} to {to} {what}"},
    {"make_preemptible", "let it be preemptible"},
    {"undrain", "let {node} take jobs again"},
    {"join_reservation", "add workspace {workspace} to the reservation {reservation}"},
    {"shorten_time_limit", "give it a time limit of {limit} or less"},
    {"other_port", "use another port than {port}"},
    {"move_to_front", "move it to the front of the queue"},
    {"raise_priority", "give it priority {priority}"},
    {"any_type", "let it use any type of GPU"},
    {"any_label", "let it run on any node, without labels"},
    {"fewer_tasks", "start it with {tasks} tasks"},
    {"fewer_gpus", "ask for {gpus} GPUs per task"},
    {"less_memory", "ask for {to} of memory per task"},
    {"fewer_cpus", "ask for {to} CPUs per task"},
    {"stop_jobs", "stop {jobs}"},
};

std::string_view template_of(std::string_view code) {
  const auto* at = std::ranges::find(kSentences, code, &Sentence::code);
  TY_CHECK(at != std::end(kSentences), "every code that is said has its sentence");
  return at->text;
}

}  // namespace

Statement say(std::string_view code, Data data) {
  std::string text;
  std::string_view rest = template_of(code);
  while (true) {
    const auto open = rest.find('{');
    text += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = rest.find('}', open);
    const auto value = data.find(std::string(rest.substr(open + 1, close - open - 1)));
    TY_CHECK(value != data.end(), "every value a sentence names is given");
    if (const auto* number = std::get_if<std::int64_t>(&value->second)) {
      text += std::to_string(*number);
    } else {
      text += std::get<std::string>(value->second);
    }
    rest.remove_prefix(close + 1);
  }
  return {std::string(code), std::move(text), std::move(data)};
}

std::string gpus_in_words(std::int64_t count, const std::vector<std::string>& types) {
  if (types.empty()) return count_of(count, "GPU");
  return fmt::format("{} {}", count, join(types, " or "));
}

std::string cpus_in_words(std::int64_t milli) {
  if (milli % 1000 == 0) return count_of(milli / 1000, "CPU");
  return fmt::format("{:g} CPUs", static_cast<double>(milli) / 1000);
}

}  // namespace ty::sched
