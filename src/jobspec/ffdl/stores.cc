#include <algorithm>
#include <array>

#include "base/text.h"
#include "jobspec/ffdl/reader.h"
#include "jobspec/impl/cover.h"
#include "jobspec/impl/sources.h"

/// Where a manifest's data, results and code are, and under which folders its command finds them.
namespace ty::jobspec::ffdl {

using model::Mount;
using model::MountKind;
using model::MountMode;
using model::RoleSpec;

namespace {

constexpr std::string_view kCodeFolder = "/job/model-code";
constexpr char kStorePassword[] = "data_stores.password";

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

void ManifestReader::add_mount(RoleSpec& role, Mount mount, Ref at) {
  place_item(Part::Mounts, -1, role.mounts.size(), at);
  role.mounts.push_back(std::move(mount));
}

void ManifestReader::read_stores(RoleSpec& role) {
  const std::vector<Ref> stores =
      maps_in(top_, "data_stores", "{id: hostmount, type: mount_volume}");
  if (stores.size() > 1) {
    report_.error(stores[1], "range", "a job has one data store; join them, or split the job");
  }
  if (!stores.empty()) {
    read_store(stores.front(), role);
    return;
  }
  read_code({}, "", role);
}

void ManifestReader::read_store(Ref store, RoleSpec& role) {
  keep_unknown(
      store,
      {"id", "type", "connection", "training_data", "training_results", "training_workspace"});
  std::string type, id;
  read_text(store, "id", id, "id: hostmount");
  read_text(store, "type", type, "type: mount_volume");
  const Ref connection =
      map_in(store, "connection", "connection: {type: host_mount, path: /data/me}");
  std::string root, url, by;
  std::optional<std::string> secret;
  if (connection) {
    keep_unknown(connection,
                 {"type",
                  "name",
                  "path",
                  "auth_url",
                  "user_name",
                  "password",
                  "region",
                  "project_id",
                  "domain_name"});
    read_text(connection, "type", by, "type: host_mount");
    read_text(connection, "path", root, "path: /data/me");
    read_text(connection, "auth_url", url, "auth_url: http://s3.example.org");
    if (const Ref password = present(connection, "password")) {
      report_.hide(password);
      if (password.is_scalar() && password->text == kCovered && !options_.allow_covered) {
        report_.error(
            password, "secret", "the value was covered when this file was shown; write it again");
      } else if (password.is_scalar()) {
        secret = report_.keep_secret(kStorePassword, std::string(password->text), password).sealed;
      }
    }
  }
  if (by == "host_mount" || by == "mount_volume")
    type = "mount_volume";
  else if (!by.empty())
    type = by;

  const auto folder = [&](std::string_view key) -> std::string {
    const Ref block = map_in(store, key, std::string(key) + ": {container: data}");
    std::string name;
    if (!block) return name;
    keep_unknown(block, {"container"});
    read_text(block, "container", name, "container: data");
    while (name.ends_with('/')) name.pop_back();
    return name;
  };
  const std::string data = folder("training_data"), results = folder("training_results");
  const auto at = [&](std::string_view key) {
    const Ref block = store.find(key);
    const Ref name = block ? block.find("container") : Ref{};
    return name ? name : block ? block : store;
  };

  if (type == "mount_volume") {
    if (root.empty()) {
      report_.missing(connection ? connection : store,
                      connection ? "path" : "connection.path",
                      "missing; write the folder of the machine, for example path: /data/me");
      return;
    }
    if (!root.starts_with('/')) {
      report_.error(connection.find("path"),
                    "target",
                    "\"" + shorten(root) + "\" is not absolute; write /" + shorten(root));
      return;
    }
    while (root.size() > 1 && root.ends_with('/')) root.pop_back();
    const auto host = [&](const std::string& name) {
      return "host:" + (name.empty() ? root : root + "/" + name);
    };
    if (store.find("training_data")) {
      add_mount(role,
                {.kind = MountKind::Data,
                 .source = host(data),
                 .target = "/mnt/data/" + (data.empty() ? "root" : data),
                 .read_only = false},
                at("training_data"));
    }
    if (!results.empty()) {
      add_mount(
          role,
          {.kind = MountKind::Output, .source = host(results), .target = "/mnt/results/" + results},
          at("training_results"));
    } else if (prophecis_) {
      report_.missing(store,
                      "training_results.container",
                      "missing; write for example training_results: {container: result}");
    }
    read_code(store, root, role);
    return;
  }
  if (is_one_of(type, {"mount_cos", "s3_datastore"})) {
    const bool copied = type == "s3_datastore";
    const std::string base = copied ? "/job/" : "/mnt/data/";
    if (!data.empty()) {
      add_mount(role,
                {.kind = MountKind::Data,
                 .source = "s3://" + data,
                 .target = base + data,
                 .mode = copied ? MountMode::CopyIn : MountMode::Mount,
                 .secret = secret},
                at("training_data"));
    }
    if (!results.empty()) {
      add_mount(role,
                {.kind = MountKind::Output,
                 .source = "s3://" + results,
                 .target = (copied ? "/job/" : "/mnt/results/") + results,
                 .mode = copied ? MountMode::CopyInOut : MountMode::Mount,
                 .secret = secret},
                at("training_results"));
    }
    if (connection && url.empty())
      report_.missing(connection, "auth_url", "missing; write the address of the object store");
    const auto link = [&](const std::string& key, const std::string& value) {
      if (!value.empty()) spec_.links["data_stores." + key] = value;
    };
    link("auth_url", url);
    if (connection) {
      std::string user, region;
      read_text(connection, "user_name", user, "user_name: AKIAEXAMPLE");
      read_text(connection, "region", region, "region: us-east-1");
      link("user_name", user);
      link("region", region);
    }
    if (!copied && !data.empty()) {
      report_.warn(at("training_data"),
                   "changed",
                   "is copied when a task starts; what the task changes in it stays with the task");
    }
    read_code(store, "", role);
    return;
  }
  const Ref where = present(connection ? connection : store, "type");
  const Ref shown = where ? where : store;
  if (is_one_of(
          type,
          {"swift_datastore", "softlayer_objectstore", "bluemix_objectstore", "inmem_datastore"})) {
    report_.error(
        shown,
        "unsupported",
        "\"" + type +
            "\" cannot be reached from here; write mount_volume, mount_cos or s3_datastore");
  } else if (type.empty()) {
    report_.missing(store, "type", "missing; write for example type: mount_volume");
  } else {
    report_.error(shown,
                  "enum",
                  "\"" + shorten(type) +
                      "\" is no kind of store; write mount_volume, mount_cos or s3_datastore");
  }
}

/// FfDL has its code in a zip beside the manifest. Prophecis also takes a folder of the store.
void ManifestReader::read_code(Ref store, const std::string& root, RoleSpec& role) {
  const std::string selector = text_of("code_selector");
  const Ref at = present(top_, "code_selector");
  const Ref workspace = store ? present(store, "training_workspace") : Ref{};
  std::string folder;
  if (workspace && workspace.is_map()) {
    keep_unknown(workspace, {"container"});
    read_text(workspace, "container", folder, "container: workspace");
  }
  const Ref path = present(top_, "code_path");
  if (prophecis_ && text_of("job_type") == "tfos") return;
  if (prophecis_ && selector.empty()) {
    report_.missing(top_, "code_selector", "missing; write codeFile or storagePath");
    return;
  }
  if (selector == "storagePath") {
    if (folder.empty()) {
      report_.missing(store ? store : top_,
                      "training_workspace.container",
                      "missing: storagePath takes the code from there; write for example "
                      "training_workspace: {container: workspace}");
    }
    if (path) {
      report_.error_at_key(path, "two_of", "give either code_path or storagePath, not both");
    }
    if (folder.empty() || root.empty()) return;
    spec_.links["code_data_path"] = root;
    add_mount(role,
              {.kind = MountKind::Code,
               .source = "host:" + root + "/" + folder,
               .target = std::string(kCodeFolder)},
              workspace.find("container"));
    add_mount(role,
              {.kind = MountKind::Storage, .source = "host:" + root, .target = "/workspace"},
              workspace.find("container"));
    return;
  }
  if (!selector.empty() && selector != "codeFile") {
    report_.error(
        at,
        "enum",
        "\"" + shorten(selector) + "\" says not where the code is; write codeFile or storagePath");
    return;
  }
  if (!folder.empty() && prophecis_) {
    report_.error_at_key(
        workspace,
        "two_of",
        "codeFile brings the code itself; remove this, or write code_selector: storagePath");
    return;
  }
  if (path && path.is_scalar()) {
    add_mount(role,
              {.kind = MountKind::Code,
               .source = std::string(path->text),
               .target = std::string(kCodeFolder)},
              path);
    return;
  }
  add_upload(at ? at : top_, role);
}

/// The zip that comes with the manifest; the command packs the folder beside it.
void ManifestReader::add_upload(Ref at, RoleSpec& role) {
  Mount mount{.kind = MountKind::Code, .target = std::string(kCodeFolder)};
  for (const char* name : {".", "code", "model_definition"}) {
    const auto sent = options_.uploads.find(name);
    if (sent != options_.uploads.end() && mount.source.empty()) mount.source = sent->second;
  }
  if (mount.source.empty() && options_.local_sources == LocalSources::Keep)
    mount.source = "local:.";
  if (mount.source.empty()) {
    report_.error(at,
                  "local_path",
                  "the code belongs beside the manifest; submit with the trainyard command, which "
                  "uploads the folder, or send it as part \"code\" of a form");
    return;
  }
  add_mount(role, std::move(mount), at);
}

}  // namespace ty::jobspec::ffdl
