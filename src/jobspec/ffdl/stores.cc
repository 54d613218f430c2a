#include <algorithm>
#include <array>

#include "base/text.h"
#include "jobspec/ffdl/reader.h"
#include "jobspec/impl/cover.h"
#include "jobspec/impl/sources.h"
#include "jobspec/messages.h"

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
    report_.error(stores[1], "range", say::one_data_store());
  }
  if (!stores.empty()) {
    read_store(stores.front(), role);
    return;
  }
  read_code({}, "", role);
}

void ManifestReader::read_store(Ref at, RoleSpec& role) {
  keep_unknown(
      at, {"id", "type", "connection", "training_data", "training_results", "training_workspace"});
  Store store{.at = at};
  std::string id;
  read_text(at, "id", id, "id: hostmount");
  read_text(at, "type", store.type, "type: mount_volume");
  read_connection(store);
  store.data = read_container(at, "training_data");
  store.results = read_container(at, "training_results");

  if (store.type == "mount_volume")
    mount_folders(store, role);
  else if (is_one_of(store.type, {"mount_cos", "s3_datastore"}))
    mount_buckets(store, role);
  else
    refuse_store(store);
}

void ManifestReader::read_connection(Store& store) {
  const Ref connection =
      map_in(store.at, "connection", "connection: {type: host_mount, path: /data/me}");
  store.connection = connection;
  if (!connection) return;
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
  std::string by;
  read_text(connection, "type", by, "type: host_mount");
  if (by == "host_mount" || by == "mount_volume")
    store.type = "mount_volume";
  else if (!by.empty())
    store.type = by;
  read_text(connection, "path", store.root, "path: /data/me");
  read_text(connection, "auth_url", store.url, "auth_url: http://s3.example.org");
  if (const Ref password = present(connection, "password")) {
    report_.hide(password);
    if (password.is_scalar() && password->text == kCovered && !options_.allow_covered) {
      report_.error(password, "secret", say::value_was_covered());
    } else if (password.is_scalar()) {
      store.secret =
          report_.keep_secret(kStorePassword, std::string(password->text), password).sealed;
    }
  }
}

std::string ManifestReader::read_container(Ref store, std::string_view key) {
  const Ref block = map_in(store, key, std::string(key) + ": {container: data}");
  std::string name;
  if (!block) return name;
  keep_unknown(block, {"container"});
  read_text(block, "container", name, "container: data");
  while (name.ends_with('/')) name.pop_back();
  return name;
}

/// A folder of the machine.
void ManifestReader::mount_folders(Store& store, RoleSpec& role) {
  std::string& root = store.root;
  if (root.empty()) {
    report_.missing_with(store.connection ? store.connection : store.at,
                         store.connection ? "path" : "connection.path",
                         say::missing_machine_folder());
    return;
  }
  if (!root.starts_with('/')) {
    report_.error(
        store.connection.find("path"),
        "target",
        say::path_not_absolute({.path = in_quotes(root), .example = "/" + shorten(root)}));
    return;
  }
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  const auto host = [&](const std::string& name) {
    return "host:" + (name.empty() ? root : root + "/" + name);
  };
  const std::string &data = store.data, &results = store.results;
  if (store.at.find("training_data")) {
    add_mount(role,
              {.kind = MountKind::Data,
               .source = host(data),
               .target = "/mnt/data/" + (data.empty() ? "root" : data),
               .read_only = false},
              store.place_of("training_data"));
  }
  if (!results.empty()) {
    add_mount(
        role,
        {.kind = MountKind::Output, .source = host(results), .target = "/mnt/results/" + results},
        store.place_of("training_results"));
  } else if (prophecis_) {
    report_.missing(
        store.at, "training_results.container", "training_results: {container: result}");
  }
  read_code(store.at, root, role);
}

/// Buckets of an object store.
void ManifestReader::mount_buckets(const Store& store, RoleSpec& role) {
  const bool copied = store.type == "s3_datastore";
  if (!store.data.empty()) {
    add_mount(role,
              {.kind = MountKind::Data,
               .source = "s3://" + store.data,
               .target = (copied ? "/job/" : "/mnt/data/") + store.data,
               .mode = copied ? MountMode::CopyIn : MountMode::Mount,
               .secret = store.secret},
              store.place_of("training_data"));
  }
  if (!store.results.empty()) {
    add_mount(role,
              {.kind = MountKind::Output,
               .source = "s3://" + store.results,
               .target = (copied ? "/job/" : "/mnt/results/") + store.results,
               .mode = copied ? MountMode::CopyInOut : MountMode::Mount,
               .secret = store.secret},
              store.place_of("training_results"));
  }
  const auto link = [&](const std::string& key, const std::string& value) {
    if (!value.empty()) spec_.links["data_stores." + key] = value;
  };
  link("auth_url", store.url);
  if (store.connection) {
    if (store.url.empty()) {
      report_.missing_with(store.connection, "auth_url", say::missing_store_address());
    }
    std::string user, region;
    read_text(store.connection, "user_name", user, "user_name: AKIAEXAMPLE");
    read_text(store.connection, "region", region, "region: us-east-1");
    link("user_name", user);
    link("region", region);
  }
  if (!copied && !store.data.empty()) {
    report_.warn(store.place_of("training_data"), "changed", say::copied_at_start());
  }
  read_code(store.at, "", role);
}

void ManifestReader::refuse_store(const Store& store) {
  if (store.type.empty()) {
    report_.missing(store.at, "type", "type: mount_volume");
    return;
  }
  const Ref where = present(store.connection ? store.connection : store.at, "type");
  const Ref shown = where ? where : store.at;
  if (is_one_of(
          store.type,
          {"swift_datastore", "softlayer_objectstore", "bluemix_objectstore", "inmem_datastore"})) {
    report_.error(shown, "unsupported", say::store_unreachable({.type = in_quotes(store.type)}));
  } else {
    report_.error(shown,
                  "enum",
                  say::not_one_of({.value = in_quotes(store.type),
                                   .what = say::noun_store_type(),
                                   .choices = Words{"mount_volume", "mount_cos", "s3_datastore"}}));
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
    report_.missing_with(
        top_, "code_selector", say::missing_one_of({.choices = Words{"codeFile", "storagePath"}}));
    return;
  }
  if (selector == "storagePath") {
    if (folder.empty()) {
      report_.missing_with(
          store ? store : top_, "training_workspace.container", say::missing_code_folder());
    }
    if (path) {
      report_.error_at_key(
          path, "two_of", say::only_one_of({.keys = Words{"code_path", "storagePath"}}));
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
    report_.error(at,
                  "enum",
                  say::not_one_of({.value = in_quotes(selector),
                                   .what = say::noun_code_selector(),
                                   .choices = Words{"codeFile", "storagePath"}}));
    return;
  }
  if (!folder.empty() && prophecis_) {
    report_.error_at_key(workspace, "two_of", say::code_file_brings_code());
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
    report_.error(at, "local_path", say::code_beside_manifest());
    return;
  }
  add_mount(role, std::move(mount), at);
}

}  // namespace ty::jobspec::ffdl
