#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

/// Every setting of the server. Defaults here, then the file, then TRAINYARD_… variables, then
/// flags. The table in fields.cc names each one once: it reads files and variables and writes
/// docs/reference/config.md.
namespace ty::config {

struct Http {
  std::string listen = "127.0.0.1:8080";
  std::int64_t threads = 2;
  Seconds idle{60};
  std::int64_t max_upload = std::int64_t{2} << 30;
  std::vector<std::string> hosts;  ///< names that requests may use; see net/site_policy.h
};

struct Tls {
  std::string certificate;  ///< files in PEM; both or none
  std::string key;
  bool self_signed = false;  ///< makes and keeps a pair below the data directory

  bool is_on() const { return self_signed || !certificate.empty(); }
};

struct Node {
  std::string name;            ///< empty: the machine's host name
  std::int64_t cpu_milli = 0;  ///< 0: what the machine has
  std::int64_t memory = 0;     ///< bytes; 0: what the machine has
  std::vector<std::string>
      gpus;  ///< `A100:8`: a configured inventory for machines without a driver
  std::map<std::string, std::string> labels;
};

struct Docker {
  std::string socket;
  std::string subnets = "10.210.0.0/16";
  bool host_network = false;
  std::vector<std::string> ulimits;
  Seconds pull_patience{600};
};

struct Jobs {
  std::optional<Seconds> max_time_limit;
  Seconds max_debug_hold{604'800};
  Seconds gang_timeout{600};
  std::vector<std::string> allowed_caps = {"ptrace", "ipc_lock"};
  bool allow_root = false;                     ///< `run_as` may ask for it
  std::vector<std::string> allowed_users;      ///< of this machine, where tasks are its processes
  std::int64_t max_waiting_per_user = 10'000;  ///< 0: no limit
  std::string default_image;  ///< of tasks that name none, where tasks run in images
  std::string
      storage;  ///< root of the site's shared folders; empty: `storage` in the data directory
  std::int64_t default_cpu_milli = 1000;
  std::int64_t default_memory = std::int64_t{2} << 30;
  std::optional<std::int64_t> log_limit = std::int64_t{10} << 30;  ///< bytes kept of one log
  std::optional<std::int64_t> disk_limit;  ///< bytes of one job's outputs and run folders
  std::vector<std::string> host_folders;   ///< of this machine, which jobs may mount
  std::vector<std::string> object_stores;  ///< addresses of S3 stores that jobs may name; `*` any
  /// By id, as lines of a native job: `cpus: 4; memory: 16GB; gpus: A100:1`.
  std::map<std::string, std::string> resource_specs;
};

struct Storage {
  std::int64_t reserve = std::int64_t{256} << 20;  ///< of the data directory's disk
};

struct Logs {
  Seconds compress_after{3600};
  std::optional<Seconds> keep;
  std::optional<std::int64_t> max_total;
};

struct Auth {
  Seconds session{std::chrono::hours{24 * 7}};
  Seconds sign_in_link{3600};
};

struct ServerLog {
  std::string level = "info";
  std::string format = "text";
};

struct Config {
  std::string data_dir;  ///< empty: $XDG_DATA_HOME/trainyard or ~/.local/share/trainyard
  std::string database = "sqlite";
  std::string engine = "local";
  std::string runtime = "auto";
  Http http;
  Tls tls;
  Node node;
  Docker docker;
  Jobs jobs;
  Storage storage;
  Logs logs;
  Auth auth;
  ServerLog log;
};

/// Reads a YAML file over `config`. Unknown keys and wrong values are faults with line and column,
/// all at once.
Result<void> read_file(Config& config, const std::string& path);
/// The same from text, for tests and for `--check-config` on standard input.
Result<void> read_text(Config& config, std::string_view yaml);
/// `TRAINYARD_HTTP__LISTEN=…` over `config`; other TRAINYARD_ variables (TRAINYARD_URL, …) are left
/// alone.
Result<void> read_environment(Config& config, const std::vector<std::string>& environment);
/// Sets one setting by its dotted name, as flags do.
Result<void> set(Config& config, std::string_view key, std::string_view value);

/// Values that can only be judged together, and where the data directory ends up.
Result<void> finish(Config& config);

/// docs/reference/config.md and config.zh.md, from the same table.
std::string reference_page(Language language);

}  // namespace ty::config
