#include "jobspec/impl/carry.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "base/text.h"
#include "jobspec/messages.h"
#include "model/spec_json.h"

namespace ty::jobspec {
namespace {

namespace json = boost::json;

/// Not part of what a job means in another dialect, or never to be set from a file.
constexpr std::array<std::string_view, 4> kOfTheFile = {"dialect", "unknown", "kube", "secrets"};
constexpr std::array<std::string_view, 2> kOfTheRole = {"image_auth", "system_name"};

/// Structs that are compared field by field; everything else is one value.
bool is_struct(std::string_view key) {
  constexpr std::array<std::string_view, 6> kStructs = {
      "completion", "retry", "services", "command", "resources", "restart"};
  return std::ranges::find(kStructs, key) != kStructs.end();
}

template <std::size_t N>
bool in(const std::array<std::string_view, N>& list, std::string_view key) {
  return std::ranges::find(list, key) != list.end();
}

/// The same job, spelled one way: rules that can never apply are taken out.
model::JobSpec plainly(model::JobSpec spec) {
  using model::AtEnd;
  bool needs = spec.completion.need > 0;
  for (model::RoleSpec& role : spec.roles) {
    needs = needs || role.completion.need > 0;
    if (role.resources.gpus == 0) role.resources.gpu_types.clear();
    if (!role.completion.min_succeeded && !role.completion.decider)
      role.completion.ends_job = false;
  }
  if (!needs && spec.completion.at_end == AtEnd::CheckRole) spec.completion.at_end = AtEnd::Succeed;
  return spec;
}

json::object tree_of(const model::JobSpec& spec) {
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  json::error_code ec;
  json::value value = json::parse(model::to_full_json(plainly(spec)), ec, {}, options);
  return value.is_object() ? std::move(value.as_object()) : json::object{};
}

std::string name_of(const json::value& role) { return std::string(role.at("name").as_string()); }

class Comparison {
 public:
  std::vector<Difference> found;

  void jobs(const json::object& meant, const json::object& read) {
    for (const auto& [key, value] : meant) {
      if (in(kOfTheFile, key)) continue;
      if (key == "roles")
        roles(value.as_array(), read.at("roles").as_array());
      else
        field(std::string(key), key, value, read.at(key));
    }
  }

 private:
  void roles(const json::array& meant, const json::array& read) {
    if (meant.size() != read.size()) {
      found.push_back({"roles", std::to_string(meant.size())});
      return;
    }
    for (std::size_t i = 0; i < meant.size(); ++i) {
      const std::string path = "roles." + name_of(meant[i]) + ".";
      for (const auto& [key, value] : meant[i].as_object()) {
        if (!in(kOfTheRole, key)) field(path + std::string(key), key, value, read[i].at(key));
      }
    }
  }

  void field(const std::string& path,
             std::string_view key,
             const json::value& meant,
             const json::value& read) {
    if (meant == read) return;
    if (is_struct(key) && meant.is_object() && read.is_object()) {
      for (const auto& [inner, value] : meant.as_object())
        field(path + "." + std::string(inner), "", value, read.at(inner));
      return;
    }
    found.push_back({path, json::serialize(meant)});
  }
};

/// Follows `path` through objects that are made on the way.
void put(json::object& into, const std::string& path, std::string_view prefix, json::value value) {
  std::string_view rest = std::string_view(path).substr(prefix.size());
  json::object* at = &into;
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    json::value& next = (*at)[rest.substr(0, dot)];
    if (!next.is_object()) next = json::object{};
    at = &next.as_object();
    rest.remove_prefix(dot + 1);
  }
  (*at)[rest] = std::move(value);
}

/// Only fields that exist, and only those a file may set.
void merge(json::object& into, const json::object& from, bool of_role) {
  for (const auto& [key, value] : from) {
    json::value* old = into.if_contains(key);
    if (old == nullptr || in(kOfTheFile, key) || key == "roles" || key == "name") continue;
    if (of_role && in(kOfTheRole, key)) continue;
    if (is_struct(key) && old->is_object() && value.is_object()) {
      for (const auto& [inner, field] : value.as_object()) {
        if (old->as_object().contains(inner)) old->as_object()[inner] = field;
      }
      continue;
    }
    *old = value;
  }
}

}  // namespace

std::vector<Difference> differences(const model::JobSpec& meant, const model::JobSpec& read) {
  Comparison comparison;
  comparison.jobs(tree_of(meant), tree_of(read));
  return std::move(comparison.found);
}

std::string carry(const model::JobSpec& meant,
                  const model::JobSpec& read,
                  const std::vector<Difference>& keep) {
  json::object out;
  for (const Difference& difference : keep) {
    json::value value = json::parse(difference.value);
    // Role names may hold dots, so the role is found by its whole prefix.
    const auto role = std::ranges::find_if(meant.roles, [&](const model::RoleSpec& r) {
      return difference.path.starts_with("roles." + r.name + ".");
    });
    if (role == meant.roles.end()) {
      put(out, difference.path, "", std::move(value));
      continue;
    }
    const auto index = static_cast<std::size_t>(role - meant.roles.begin());
    json::value& roles = out["roles"];
    if (!roles.is_object()) roles = json::object{};
    json::value& own = roles.as_object()[read.roles[index].name];
    if (!own.is_object()) own = json::object{};
    put(own.as_object(), difference.path, "roles." + role->name + ".", std::move(value));
  }
  return json::serialize(out);
}

void apply_carried(model::JobSpec& spec, Ref carried, Report& report) {
  const auto refuse = [&](Message why) { report.error(carried, "carried", std::move(why)); };
  if (!carried.is_map()) return refuse(say::carried_not_a_map());
  json::error_code ec;
  const json::value patch = json::parse(to_json(carried), ec);
  if (ec || !patch.is_object()) return refuse(say::carried_unreadable());
  json::value whole = json::parse(model::to_full_json(spec), ec);
  if (ec) return refuse(say::carried_unreadable());
  json::object& job = whole.as_object();
  merge(job, patch.as_object(), false);
  const json::value* roles = patch.as_object().if_contains("roles");
  if (roles != nullptr && roles->is_object()) {
    for (json::value& role : job["roles"].as_array()) {
      const json::value* own = roles->as_object().if_contains(name_of(role));
      if (own != nullptr && own->is_object()) merge(role.as_object(), own->as_object(), true);
    }
  }
  Result<model::JobSpec> result = model::spec_from_json(json::serialize(whole));
  if (!result) return refuse(say::carried_wrong({.why = result.error().message}));
  spec = std::move(*result);
}

}  // namespace ty::jobspec
