#include "jobspec/ffdl/parse.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "base/text.h"
#include "jobspec/ffdl/command.h"
#include "jobspec/ffdl/reader.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/limits.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/messages.h"

namespace ty::jobspec::ffdl {

using model::RoleSpec;

namespace {

constexpr std::int64_t kUsualCpuMilli = 5000;
constexpr std::int64_t kUsualMemory = 512 * kMiB;
constexpr Seconds kLinger{60};

/// Keys that only Prophecis knows.
constexpr std::array<std::string_view, 26> kProphecisKeys = {
    "namespace",   "job_type",   "code_selector", "code_path", "fileName",     "job_alert",
    "pss",         "ps_cpu",     "ps_memory",     "ps_image",  "exec_type",    "exp_run_id",
    "dss_task_id", "proxy_user", "user_id",       "submit_id", "job_params",   "fit_params",
    "algorithm",   "API_type",   "data_set",      "mf_model",  "tfos_request", "exp_id",
    "exp_name",    "group_name"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// `1Gb`, `1.5 GiB`, `300mib`: any case, binary whatever the spelling.
Parsed<std::int64_t> parse_size(std::string_view text) {
  std::string plain;
  for (const char c : trim(text)) {
    if (c != ' ') plain += c;
  }
  std::string upper = to_upper(plain);
  const std::size_t unit = upper.find_first_not_of("0123456789.");
  if (unit != std::string::npos) {
    // parse_memory() reads one spelling: a capital letter, then `i`, then `B`.
    for (std::size_t at = unit + 1; at < upper.size(); ++at) {
      if (upper[at] == 'I') upper[at] = 'i';
    }
  }
  auto size = parse_memory(upper);
  if (size) return size;
  const bool bare = !plain.empty() && std::ranges::all_of(plain, is_digit);
  return std::unexpected(
      Refusal{size.error().code,
              say::invalid_memory({.value = in_quotes(text),
                                   .example = bare && plain.size() < 6 ? plain + "MiB" : "1GiB"})});
}

}  // namespace

ManifestReader::ManifestReader(Ref top, const ReadOptions& options, Report& report)
    : PlacedReader(top, model::Dialect::Ffdl, options, report) {
  prophecis_ = std::ranges::any_of(
      kProphecisKeys, [&](std::string_view key) { return static_cast<bool>(top.find(key)); });
}

std::string ManifestReader::text_of(std::string_view key) const {
  const Ref at = present(top_, key);
  return at && at.is_scalar() ? std::string(at->text) : std::string();
}

model::JobSpec ManifestReader::read() {
  keep_unknown(top_, {"name",       "description",
                      "version",    "cpus",
                      "gpus",       "gpu_type",
                      "learners",   "memory",
                      "storage",    "data_stores",
                      "framework",  "namespace",
                      "job_type",   "code_selector",
                      "code_path",  "fileName",
                      "job_alert",  "pss",
                      "ps_cpu",     "ps_memory",
                      "ps_image",   "exec_type",
                      "exp_run_id", "dss_task_id",
                      "proxy_user", "user_id",
                      "submit_id",  "job_params",
                      "fit_params", "algorithm",
                      "API_type",   "data_set",
                      "mf_model",   "tfos_request",
                      "exp_id",     "exp_name",
                      "group_name", "evaluation_metrics"});
  spec_.retry.on.clear();
  spec_.completion.at_end = model::AtEnd::Succeed;
  read_job();
  read_links();
  read_roles();
  read_metrics();
  read_alerts();
  validate(spec_, *this, report_);
  return std::move(spec_);
}

void ManifestReader::read_job() {
  read_text(top_, "name", spec_.name, "name: mnist");
  const std::string type = text_of("job_type");
  if (spec_.name.empty() && prophecis_) spec_.name = type;
  if (spec_.name.empty()) {
    report_.missing(top_, "name", "name: mnist");
    doubt(Part::Name, -1);
  } else if (const Ref at = present(top_, "name")) {
    place(Part::Name, -1, at);
  }
  read_text(top_, "description", spec_.description, "description: first try");
  if (const Ref at = top_.find("description")) place(Part::Description, -1, at);
  if (!type.empty() && type != "Local" && type != "MLPipeline" && type != "dist-tf") {
    const Ref at = top_.find("job_type");
    if (type == "tfos")
      report_.error(at, "unsupported", say::needs_spark({.what = "tfos", .instead = "dist-tf"}));
    else
      report_.error(at,
                    "enum",
                    say::not_one_of({.value = in_quotes(type),
                                     .what = say::noun_job_type(),
                                     .choices = Words{"Local", "MLPipeline", "dist-tf"}}));
  }
  servers_ = type == "dist-tf";
  // Equal learners may finish what they do; parameter servers would only wait for ever.
  if (!servers_) spec_.completion.linger = kLinger;
  if (const Ref at = present(top_, "namespace")) {
    place(Part::Workspace, -1, at);
    read_text(top_, "namespace", spec_.workspace, "namespace: ns-team");
  } else if (prophecis_) {
    report_.missing_with(top_, "namespace", say::missing_workspace());
  }
}

/// What other parts of Prophecis attach to a job: kept and shown.
void ManifestReader::read_links() {
  for (const std::string_view key : {"version",
                                     "exec_type",
                                     "exp_run_id",
                                     "dss_task_id",
                                     "submit_id",
                                     "user_id",
                                     "fileName",
                                     "algorithm",
                                     "API_type",
                                     "job_params",
                                     "fit_params",
                                     "code_selector",
                                     "exp_id",
                                     "exp_name",
                                     "group_name"}) {
    std::string value;
    if (read_text(top_, key, value, std::string(key) + ": text") && !value.empty())
      spec_.links[std::string(key)] = value;
  }
  for (const std::string_view key : {"algorithm", "API_type", "job_params", "fit_params"})
    ignore(top_, key, say::command_must_read_it);
  std::string extras;
  for (const std::string_view key : {"data_set", "mf_model"}) {
    const Ref at = present(top_, key);
    if (!at) continue;
    report_.warn_at_key(at, "ignored", say::kept_without_effect());
    extras += extras.empty() ? "{" : ",";
    append_json_string(extras, key);
    extras += ":" + to_json(at);
  }
  if (!extras.empty()) spec_.extras = extras + "}";
  if (const Ref at = present(top_, "tfos_request"))
    unsupported(at, say::needs_spark({.what = "tfos_request", .instead = "job_type: dist-tf"}));
  std::string user;
  if (read_text(top_, "proxy_user", user, "proxy_user: hadoop") && !user.empty())
    spec_.run_as = model::RunAs{.user = user};
}

void ManifestReader::read_roles() {
  RoleSpec learner;
  learner.name = servers_ ? "worker" : "learner";
  learner.system_name = learner.name;
  learner.completion.ends_job = true;
  if (servers_)
    learner.completion.decider = 0;
  else
    learner.completion.min_succeeded = 1;
  if (const Ref at = present(top_, "learners")) {
    place(Part::Count, 0, at);
    if (!read_whole(top_, "learners", learner.count, INT32_MIN, limits::kTasks, "learners: 2"))
      doubt(Part::Count, 0);
    learner.count = std::max<std::int64_t>(learner.count, 1);
    if (prophecis_ && !servers_ && learner.count > 1) {
      report_.error(at, "range", say::several_learners());
    }
  }
  read_resources(learner.resources, 0);
  read_framework(learner);
  read_stores(learner);
  spec_.roles.push_back(learner);
  if (servers_) {
    read_servers(learner);
    return;
  }
  for (const std::string_view key : {"pss", "ps_cpu", "ps_memory", "ps_image"})
    ignore(top_, key, say::servers_need_distributed);
}

void ManifestReader::read_servers(const RoleSpec& worker) {
  RoleSpec ps = worker;
  ps.name = "ps";
  ps.system_name = "ps";
  ps.ranked = false;
  ps.completion = {};
  ps.resources.gpus = 0;
  ps.resources.gpu_types.clear();
  ps.resources.cpu_milli = 1000;
  ps.resources.memory = kGiB;
  ps.count = 1;
  if (const Ref at = present(top_, "pss")) place(Part::Count, 1, at);
  if (!read_whole(top_, "pss", ps.count, 0, limits::kTasks, "pss: \"1\"")) doubt(Part::Count, 1);
  read_cpus("ps_cpu", "ps_cpu: \"1\"", 1, ps.resources.cpu_milli);
  read_memory("ps_memory", "ps_memory: 2Gi", 1, ps.resources.memory);
  ps.resources.shm = default_shm(ps.resources.memory);
  std::string tag;
  const Ref framework = top_.find("framework");
  if (read_text(top_, "ps_image", tag, "ps_image: tensorflow-1.14.0") && !tag.empty()) {
    std::string name;
    if (framework) read_text(framework, "name", name, "name: tensorflow");
    ps.image = image_of(name, tag);
    ps.pull = default_pull(ps.image);
    place(Part::Image, 1, top_.find("ps_image"));
  }
  if (ps.count > 0) spec_.roles.push_back(std::move(ps));
}

bool ManifestReader::read_cpus(std::string_view key,
                               std::string_view example,
                               int role,
                               std::int64_t& out) {
  const Ref at = present(top_, key);
  if (!at) return true;
  place(Part::Cpus, role, at);
  const auto value = at.is_scalar() ? parse_cpus(trim(at->text)) : Parsed<std::int64_t>(0);
  if (!at.is_scalar()) {
    wrong_type(at, say::a_number_of_cpus(), example);
  } else if (!value) {
    report_.error(at, value.error().code, value.error().message);
  } else {
    out = *value;
    return true;
  }
  doubt(Part::Cpus, role);
  return false;
}

bool ManifestReader::read_memory(std::string_view key,
                                 std::string_view example,
                                 int role,
                                 std::int64_t& out) {
  const Ref at = present(top_, key);
  if (!at) return true;
  place(Part::Memory, role, at);
  const auto value = at.is_scalar() ? parse_size(at->text) : Parsed<std::int64_t>(0);
  if (!at.is_scalar()) {
    wrong_type(at, say::an_amount_of_memory(), example);
  } else if (!value) {
    report_.error(at, value.error().code, value.error().message);
  } else {
    out = *value;
    return true;
  }
  doubt(Part::Memory, role);
  return false;
}

void ManifestReader::read_resources(model::Resources& out, int role) {
  out.cpu_milli = 0;
  const bool cpus = read_cpus("cpus", "cpus: 2", role, out.cpu_milli);
  if (cpus && out.cpu_milli == 0) {
    if (!prophecis_) {
      out.cpu_milli = kUsualCpuMilli;
    } else if (const Ref at = present(top_, "cpus")) {
      report_.error(at, "range", say::zero_for_example({.example = "cpus: 2"}));
      doubt(Part::Cpus, role);
    } else {
      report_.missing(top_, "cpus", "cpus: 2");
      doubt(Part::Cpus, role);
    }
  }
  if (const Ref at = present(top_, "gpus")) {
    place(Part::Gpus, role, at);
    const auto value = at.is_scalar() ? parse_whole(trim(at->text)) : Parsed<std::int64_t>(0);
    if (!at.is_scalar()) {
      wrong_type(at, say::a_whole_number(), "gpus: 1");
      doubt(Part::Gpus, role);
    } else if (!value) {
      if (is_json_number(trim(at->text)))
        report_.error(at, "fraction", say::fraction_of_gpus({.value = shorten(at->text)}));
      else if (value.error().code == "type")
        wrong_type(at, say::a_whole_number(), "gpus: 1");
      else
        report_.error(at, value.error().code, value.error().message);
      doubt(Part::Gpus, role);
    } else {
      out.gpus = *value;
    }
  }
  std::string type;
  if (read_text(top_, "gpu_type", type, "gpu_type: V100") && !type.empty()) {
    constexpr std::string_view kPrefix = "nvidia-Tesla";
    if (type.starts_with(kPrefix) && type.size() > kPrefix.size()) type.erase(0, kPrefix.size());
    out.gpu_types = {type};
  }
  if (!present(top_, "memory")) {
    out.memory = kUsualMemory;
    if (prophecis_) {
      report_.missing(top_, "memory", "memory: 4Gb");
    } else {
      report_.warn(top_, "missing", say::memory_assumed());
    }
  } else {
    read_memory("memory", "memory: 4Gb", role, out.memory);
  }
  out.shm = default_shm(out.memory);
  if (const Ref at = present(top_, "storage")) {
    const auto size = at.is_scalar() ? parse_size(at->text) : Parsed<std::int64_t>(0);
    if (!at.is_scalar() || !size) {
      report_.error(
          at,
          "quantity",
          say::invalid_value(
              {.value = quoted(at), .what = say::noun_storage_size(), .example = "10GB"}));
    } else {
      out.disk = *size;
      report_.warn(at, "ignored", say::scratch_not_limited());
    }
  }
}

std::string ManifestReader::image_of(const std::string& name, const std::string& version) const {
  constexpr std::pair<std::string_view, std::string_view> kImages[] = {
      {"tensorflow", "tensorflow/tensorflow"},
      {"caffe", "bvlc/caffe"},
      {"caffe2", "caffe2ai/caffe2"},
      {"pytorch", "pytorch/pytorch"},
      {"horovod", "uber/horovod"},
      {"pytorchmpi", "tomcli/pytorch"},
      {"h2o3", "opsh2oai/h2o3-ffdl"}};
  if (name == "custom") return version;
  for (const auto& [framework, image] : kImages) {
    if (framework == name) return std::string(image) + ":" + version;
  }
  return name + ":" + version;
}

void ManifestReader::read_framework(RoleSpec& role) {
  const Ref framework = map_in(top_, "framework", "framework: {name: tensorflow, version: 2.16.1}");
  if (!framework) {
    if (!present(top_, "framework")) {
      report_.missing(top_,
                      "framework",
                      "framework: {name: tensorflow, version: 2.16.1, command: python3 train.py}");
    }
    return;
  }
  keep_unknown(framework, {"name", "version", "command", "image_tag"});
  ignore(framework, "image_tag", say::build_of_ffdl_images);
  std::string name, version, command;
  const bool has_name = need_text(framework, "name", name, "name: tensorflow");
  const bool has_version = need_text(framework, "version", version, "version: 2.16.1");
  if (has_name && has_version) {
    role.image = image_of(name, version);
    role.pull = default_pull(role.image);
    place(Part::Image, 0, framework.find("version"));
  }
  if (!need_text(framework, "command", command, "command: python3 train.py")) return;
  place(Part::Command, 0, framework.find("command"));
  const bool by_mpi = name == "horovod" || name == "pytorchmpi";
  set_command(role, with_run_dates(std::move(command)), by_mpi);
}

/// FfDL runs the command in the folder of the code, all output in one stream.
void ManifestReader::set_command(RoleSpec& role, std::string command, bool by_mpi) {
  std::string line;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\r' && i + 1 < command.size() && command[i + 1] == '\n') continue;
    line += command[i] == '\n' ? ' ' : command[i];
  }
  role.command.shell = model::Shell::Bash;
  role.command.entrypoint = model::Entrypoint::Clear;
  role.command.script = std::string(trim(line));
  role.command.pre =
      "exec 2>&1\n"
      "mkdir -p \"$MODEL_DIR\" \"$LOG_DIR\" ${RESULT_DIR:+\"$RESULT_DIR\"} "
      "${JOB_RESULT_DIR:+\"$JOB_RESULT_DIR\"} ${CHECKPOINT_DIR:+\"$CHECKPOINT_DIR\"}\n"
      "cd \"$MODEL_DIR\"";
  if (!by_mpi) return;
  spec_.services.mpi = true;
  spec_.services.ssh = true;
  role.completion.min_succeeded.reset();
  role.completion.decider = 0;
  spec_.completion.linger = Seconds{0};
  const std::int64_t ranks = role.count * std::max<std::int64_t>(role.resources.gpus, 1);
  // The others wait for the launcher to reach them, and are stopped when it is done.
  role.command.pre += "\n[ \"$LEARNER_ID\" = 1 ] || exec sleep infinity";
  role.command.script = launch_by_mpi(role.command.script, ranks);
}

/// `${run_date-1}`: yesterday, and so many days from it, as the file is handed in.
std::string ManifestReader::with_run_dates(std::string command) {
  if (command.find("[#") != std::string::npos) {
    report_.warn(
        locate({.part = Part::Command, .role = 0}), "template", say::run_date_without_value());
  }
  constexpr std::string_view kMark = "${run_date";
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = command.find(kMark); at != std::string::npos;
       at = command.find(kMark, from)) {
    std::size_t end = at + kMark.size();
    int days = 0;
    const char sign = end < command.size() ? command[end] : '\0';
    if (sign == '+' || sign == '-') {
      ++end;
      while (end < command.size() && is_digit(command[end]) && days < 100'000)
        days = days * 10 + (command[end++] - '0');
      if (sign == '-') days = -days;
    }
    const bool closed = end < command.size() && command[end] == '}';
    out += command.substr(from, at - from);
    if (!closed || !options_.now) {
      out += kMark;
      from = at + kMark.size();
      continue;
    }
    const std::time_t day = std::chrono::system_clock::to_time_t(
        std::chrono::system_clock::time_point(options_.now->time_since_epoch()) +
        std::chrono::hours(24) * (days - 1));
    std::tm local{};
    localtime_r(&day, &local);
    char text[16];
    std::strftime(text, sizeof text, "%Y%m%d", &local);
    out += text;
    from = end + 1;
  }
  return out + command.substr(from);
}

model::JobSpec parse(Ref document, const ReadOptions& options, Params&, Report& report) {
  return ManifestReader(document, options, report).read();
}

}  // namespace ty::jobspec::ffdl
