#include "control/storages/mount_sources.h"

#include <algorithm>

#include "base/text.h"
#include "control/messages.h"
#include "jobspec/storage_path.h"

namespace ty::control {

namespace source = engine::source;
using model::MountKind;

namespace {

constexpr std::string_view kUpload = "upload:";
constexpr std::string_view kVolume = "volume:";
constexpr std::string_view kHost = "host:";
constexpr std::string_view kS3 = "s3://";

/// The bucket of an FfDL job's data store; none: it is no such mount, or nobody says where it is.
std::optional<engine::ObjectFolder> bucket_of(const std::string& named,
                                              const model::JobSpec& spec) {
  const auto link = [&](const std::string& key) {
    const auto found = spec.links.find("data_stores." + key);
    return found == spec.links.end() ? std::string() : found->second;
  };
  engine::ObjectFolder folder{
      .endpoint = link("auth_url"), .region = link("region"), .access_key = link("user_name")};
  if (!named.starts_with(kS3) || folder.endpoint.empty()) return std::nullopt;
  folder.path = named.substr(kS3.size());
  return folder;
}

/// What platforms that keep such things call them; empty: another word.
Message kind_of_asset(std::string_view word) {
  if (word == "algorithm") return say::asset_algorithms();
  if (word == "dataset") return say::asset_datasets();
  if (word == "model") return say::asset_models();
  return {};
}

Message unknown_source(const std::string& named) {
  const std::size_t colon = named.find(':');
  if (Message kind = kind_of_asset(named.substr(0, colon)); !kind.empty()) {
    return say::no_assets_yet(
        {.kind = std::move(kind),
         .name = shorten(colon == std::string::npos ? named : named.substr(colon + 1))});
  }
  return say::no_storage_serves({.source = shorten(named)});
}

void replace_word(std::string& text, std::string_view word, const std::string& value) {
  for (std::size_t at = text.find(word); at != std::string::npos;) {
    const char next = at + word.size() < text.size() ? text[at + word.size()] : '/';
    const bool longer = std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '_';
    if (!longer) text.replace(at, word.size(), value);
    at = text.find(word, at + (longer ? word.size() : value.size()));
  }
}

}  // namespace

Result<engine::Mount> mount_of(const model::Mount& mount,
                               const model::JobSpec& spec,
                               WorkspaceId workspace) {
  const std::string& named = mount.source;
  engine::Mount made{.kind = mount.kind,
                     .named = named,
                     .target = mount.target,
                     .read_only = mount.read_only,
                     .private_copy = mount.mode == model::MountMode::CopyIn,
                     .size_limit = mount.size_limit};
  const bool is_own = named.empty() || named == "scratch:" || named == "memory:";
  if (auto bucket = bucket_of(named, spec)) {
    // Data are brought to the task's own folder. Results are kept where those of all jobs are, and
    // sent to the bucket from there.
    made.read_only = made.private_copy = false;
    if (mount.kind == MountKind::Output) {
      made.source = source::JobOutput{};
      made.save_to = *std::move(bucket);
    } else {
      made.source = source::ObjectStore{*std::move(bucket)};
    }
  } else if (const auto path = jobspec::storage_path(named)) {
    made.source = source::Storage{*path};
  } else if (named.starts_with(kUpload)) {
    made.source = source::Upload{named.substr(kUpload.size())};
    made.private_copy = !mount.read_only;
  } else if (is_own && mount.kind == MountKind::Output) {
    made.source = source::JobOutput{};
    made.private_copy = false;
  } else if (is_own && !named.empty()) {
    made.source = source::Scratch{};
  } else if (named.starts_with(kVolume)) {
    made.source = source::Volume{.workspace = workspace, .name = named.substr(kVolume.size())};
    made.private_copy = false;
  } else if (named.starts_with(kHost)) {
    made.source = source::HostFolder{named.substr(kHost.size())};
  } else {
    return fail(Errc::Invalid, unknown_source(named));
  }
  return made;
}

void set_secret_key(engine::Mount& mount, Secret key) {
  if (mount.save_to) mount.save_to->secret_key = key;
  if (auto* store = std::get_if<source::ObjectStore>(&mount.source))
    store->folder.secret_key = std::move(key);
}

engine::LoginFile login_file(const std::string& named) {
  if (auto path = jobspec::storage_path(named))
    return {.source = source::Storage{*std::move(path)}, .named = named};
  const bool has_kind = named.starts_with(kHost);
  return {.source = source::HostFolder{has_kind ? named.substr(kHost.size()) : named},
          .named = named};
}

const engine::ObjectFolder* object_folder(const engine::Mount& mount) {
  if (mount.save_to) return &*mount.save_to;
  const auto* store = std::get_if<source::ObjectStore>(&mount.source);
  return store == nullptr ? nullptr : &store->folder;
}

std::optional<Message> object_refusal(const engine::ObjectFolder& folder,
                                      const std::vector<std::string>& stores,
                                      bool is_possible) {
  const auto without_slash = [](std::string_view url) {
    while (url.ends_with('/')) url.remove_suffix(1);
    return url;
  };
  const bool is_listed = std::ranges::any_of(stores, [&](const std::string& store) {
    return store == "*" || without_slash(store) == without_slash(folder.endpoint);
  });
  if (!is_listed) return say::object_store_refused({.store = shorten(folder.endpoint)});
  if (!is_possible) return say::rclone_missing();
  return std::nullopt;
}

void fill_names(model::JobSpec& spec, const std::string& user, const std::string& job) {
  if (spec.dialect != model::Dialect::OpenPaiV1) return;
  const auto fill = [&](std::string& text) {
    replace_word(text, "$PAI_JOB_NAME", job);
    replace_word(text, "$PAI_USER_NAME", user);
    replace_word(text, "$PAI_USERNAME", user);
  };
  for (model::RoleSpec& role : spec.roles) {
    for (model::Mount& mount : role.mounts) {
      fill(mount.source);
      fill(mount.target);
    }
    if (role.image_auth && role.image_auth->file) fill(*role.image_auth->file);
  }
}

}  // namespace ty::control
