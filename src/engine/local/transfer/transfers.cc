#include "engine/local/transfer/transfers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/transfer/file_names.h"
#include "engine/messages.h"
#include "model/failure.h"

namespace ty::engine {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using model::Reason;

std::string folder_of(const std::string& run_dir) { return run_dir + kTransferSuffix; }
std::string saves_file(const std::string& run_dir) { return folder_of(run_dir) + "/saves.json"; }

struct Save {
  std::string folder;
  ObjectFolder to;
};

Result<void> remember(const LocalLaunch& launch) {
  json::array saves;
  for (const HostMount& mount : launch.mounts) {
    if (!mount.save_to) continue;
    const ObjectFolder& to = *mount.save_to;
    saves.push_back(json::object{{"folder", mount.host_path},
                                 {"endpoint", to.endpoint},
                                 {"region", to.region},
                                 {"path", to.path},
                                 {"access_key", to.access_key},
                                 {"secret_key", to.secret_key.reveal()}});
  }
  if (saves.empty()) return {};
  return replace_small_file(saves_file(launch.run_dir), json::serialize(saves), 0600);
}

Result<std::vector<Save>> remembered(const std::string& run_dir) {
  std::ifstream in(saves_file(run_dir), std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  json::error_code error;
  const json::value list = json::parse(text, error);
  if (error || !list.is_array()) return fail(Errc::Internal, say::saves_unreadable());
  std::vector<Save> saves;
  for (const json::value& item : list.as_array()) {
    const auto text_of = [&](std::string_view key) {
      return std::string(item.as_object().at(key).as_string());
    };
    saves.push_back({.folder = text_of("folder"),
                     .to = {.endpoint = text_of("endpoint"),
                            .region = text_of("region"),
                            .path = text_of("path"),
                            .access_key = text_of("access_key"),
                            .secret_key = Secret(text_of("secret_key"))}});
  }
  return saves;
}

}  // namespace

std::string fetched_folder(const std::string& run_dir, std::size_t number) {
  return fmt::format("{}/{}", folder_of(run_dir), number);
}

bool Transfers::has_any(const LocalLaunch& launch) {
  return std::ranges::any_of(launch.mounts, [](const HostMount& mount) {
    return mount.fetch_from.has_value() || mount.save_to.has_value();
  });
}

bool Transfers::has_saves(const std::string& run_dir) {
  return ::access(saves_file(run_dir).c_str(), F_OK) == 0;
}

std::optional<model::Ending> Transfers::fetch(const LocalLaunch& launch,
                                              const std::function<bool()>& is_cancelled) const {
  const auto ready = [&]() -> Result<void> {
    // Others may pass through to what the task is shown, but not look around.
    TY_DO(make_folder(folder_of(launch.run_dir), 0711, 0711));
    return remember(launch);
  };
  if (const Result<void> done = ready(); !done)
    return model::fault(Reason::StartFailed, done.error().message);
  for (const HostMount& mount : launch.mounts) {
    if (!mount.fetch_from) continue;
    const ObjectFolder& from = *mount.fetch_from;
    Result<void> done = make_folder(mount.host_path, 0755, 0711);
    if (done) done = rclone_.fetch(from, mount.host_path, is_cancelled);
    if (!done) {
      const Error& error = done.error();
      return model::fault(
          Reason::DataFailed,
          say::data_not_fetched({.path = from.path, .store = from.endpoint, .why = error.message}),
          error.code == Errc::Invalid);
    }
  }
  return std::nullopt;
}

std::optional<model::Ending> Transfers::save(const std::string& run_dir,
                                             const std::function<bool()>& is_cancelled) const {
  const Result<std::vector<Save>> saves = remembered(run_dir);
  if (!saves) return model::fault(Reason::OutputFailed, saves.error().message);
  for (const Save& save : *saves) {
    const std::string names = folder_of(run_dir) + "/saved";
    std::error_code error;
    fs::remove_all(names, error);
    Result<void> done = name_files_again(save.folder, names);
    if (done) done = rclone_.save(names, save.to, is_cancelled);
    fs::remove_all(names, error);
    if (!done) {
      const Error& error = done.error();
      return model::fault(
          Reason::OutputFailed,
          say::results_not_sent(
              {.path = save.to.path, .store = save.to.endpoint, .why = error.message}),
          error.code == Errc::Invalid);
    }
  }
  return std::nullopt;
}

}  // namespace ty::engine
