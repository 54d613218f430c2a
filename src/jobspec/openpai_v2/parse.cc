#include "jobspec/openpai_v2/parse.h"

#include "jobspec/impl/carry.h"
#include "jobspec/impl/cover.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/messages.h"
#include "jobspec/openpai_v2/reader.h"

namespace ty::jobspec::openpai_v2 {

std::vector<std::string_view> keys() {
  return {"protocolVersion",
          "name",
          "type",
          "version",
          "contributor",
          "description",
          "prerequisites",
          "parameters",
          "secrets",
          "jobRetryCount",
          "taskRoles",
          "deployments",
          "defaults",
          "extras"};
}

model::JobSpec V2Reader::read() {
  keep_unknown(top_, keys());
  read_head();
  read_parameters();
  read_secrets();
  read_prerequisites();
  read_roles();
  read_deployments();
  read_extras();
  warn_first_role_ends();
  if (const Ref extras = top_.find("extras"); extras && extras.find("trainyard"))
    apply_carried(spec_, extras.find("trainyard"), report_);
  validate(spec_, *this, report_);
  return std::move(spec_);
}

void V2Reader::read_head() {
  const Ref version = top_.find("protocolVersion");
  if (!version) {
    report_.missing_with(
        top_, "protocolVersion", say::missing_write({.text = "protocolVersion: 2"}));
  } else if (!version.is_scalar() || version->text != "2") {
    report_.error(version,
                  "enum",
                  say::not_one_of({.value = quoted(version),
                                   .what = say::noun_protocol_version(),
                                   .choices = Words{"2"}}));
  }
  const Ref type = top_.find("type");
  if (!type) {
    report_.missing_with(top_, "type", say::missing_write({.text = "type: job"}));
  } else if (!type.is_scalar() || type->text != "job") {
    report_.error(type, "enum", say::cannot_be_submitted({.value = quoted(type)}));
  }
  need_text(top_, "name", spec_.name, "name: mnist");
  read_text(top_, "description", spec_.description, "description: trains a digit reader");
  read_links(top_, "");
  spec_.completion.at_end = model::AtEnd::Succeed;

  std::int64_t retries = 0;
  if (read_whole(top_, "jobRetryCount", retries, -2, 1'000'000, "jobRetryCount: 3")) {
    spec_.retry.budget = retries;
    if (retries < 0) {
      report_.warn(top_.find("jobRetryCount"),
                   "changed",
                   retries == -1 ? say::retried_without_limit() : say::retried_after_success());
    }
  }
  const Ref defaults = present(top_, "defaults");
  if (!defaults) return;
  if (!defaults.is_map()) {
    wrong_type(defaults, say::a_map(), "defaults: {virtualCluster: default}");
    return;
  }
  keep_unknown(defaults, {"virtualCluster", "deployment"});
  read_text(defaults, "virtualCluster", spec_.workspace, "virtualCluster: default");
}

void V2Reader::read_links(Ref from, const std::string& prefix) {
  for (const char* key : {"version", "contributor"}) {
    std::string text;
    read_text(from, key, text, std::string(key) + ": \"1.0\"");
    if (!text.empty()) spec_.links[prefix + key] = text;
  }
}

void V2Reader::read_parameters() {
  const Ref parameters = present(top_, "parameters");
  if (!parameters) return;
  if (!parameters.is_map()) {
    wrong_type(parameters, say::a_map(), "parameters: {lr: 0.1}");
    return;
  }
  std::string json = "{";
  for (const Ref entry : parameters) {
    if (json.size() > 1) json += ',';
    append_json_string(json, entry->key);
    json += ':';
    const auto given = params_.given(std::string(entry->key));
    if (!given) {
      json += to_json(entry);
    } else if (entry.is_plain()) {
      json += json_of_given(*given);
    } else {
      append_json_string(json, *given);
    }
  }
  spec_.params = json + "}";
}

void V2Reader::read_secrets() {
  const Ref secrets = present(top_, "secrets");
  if (!secrets) return;
  report_.hide(secrets);
  if (secrets.is_scalar() && secrets->text == kCovered) {
    if (options_.allow_covered) return;
    report_.error(secrets, "secret", say::values_were_covered());
    return;
  }
  if (!secrets.is_map()) {
    report_.error(secrets, "type", say::not_a_map_for_example({.example = "secrets: {key: …}"}));
    return;
  }
  add_secret(secrets, "");
}

void V2Reader::add_secret(Ref ref, const std::string& path) {
  if (ref.is_scalar()) {
    if (ref->text == kCovered && !options_.allow_covered) {
      report_.error(ref, "secret", say::value_was_covered());
      return;
    }
    spec_.secrets[path] = report_.keep_secret(path, *value_at(ref, ""), ref);
    return;
  }
  std::size_t n = 0;
  for (const Ref child : ref) {
    const std::string step = ref.is_map() ? std::string(child->key) : std::to_string(n++);
    add_secret(child, path.empty() ? step : path + "." + step);
  }
}

std::size_t V2Reader::role_index(std::string_view name) const {
  std::size_t i = 0;
  while (i < spec_.roles.size() && spec_.roles[i].name != name) ++i;
  return i;
}

model::JobSpec parse(Ref document, const ReadOptions& options, Params& params, Report& report) {
  return V2Reader(document, options, params, report).read();
}

}  // namespace ty::jobspec::openpai_v2
