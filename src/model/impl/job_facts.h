#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/environment.h"

/// What the environments of all platforms are made from, worked out once per task.
namespace ty::model {

/// A role and the spellings of its name that end up inside variable names.
struct RoleFacts {
  const RoleSpec* spec = nullptr;
  std::string ident;  ///< other characters are `_`
  std::string upper;
  /// For PAI_* names: as written if that is a legal part of a name, ident, squeezed; none twice.
  std::vector<std::string> spellings;
  std::size_t first_task = 0;  ///< position in `peers`
  std::size_t end_task = 0;
};

struct PeerFacts {
  TaskRef ref;
  std::string host;     ///< how peers reach it: a name where names resolve, else the address
  std::string address;  ///< empty while it has no place
  int rank = -1;        ///< position in the rank set; -1: not in it
  const Placement* placement = nullptr;
};

struct JobFacts {
  explicit JobFacts(const EnvironmentInput& input);

  const EnvironmentInput& in;
  const JobSpec& spec;
  std::vector<RoleFacts> roles;
  std::vector<PeerFacts> peers;         ///< as EnvironmentInput::tasks
  std::vector<std::size_t> rank_order;  ///< positions in `peers`
  std::size_t self = 0;                 ///< position in `peers`
  int tries = 0;                        ///< of this task in this attempt

  const PeerFacts& own() const { return peers[self]; }
  const RoleFacts& own_role() const { return roles[static_cast<std::size_t>(own().ref.role)]; }
  bool is_process() const {
    return in.runtime == RuntimeKind::Process || in.runtime == RuntimeKind::Fake;
  }
  /// Variables of single tasks are given in small jobs only: the kernel limits the sum.
  bool names_single_tasks() const { return peers.size() <= 256; }
  /// `ann~bert`, OpenPAI's name of a job.
  std::string user_tilde_handle() const { return in.owner + "~" + in.handle; }
  /// Names one try of a task among everything this server runs.
  std::string try_id() const;
  /// Where a file that we put beside the task is found.
  std::string file_path(std::string_view file) const;
};

/// Variables by name; the last one set wins.
class Variables {
 public:
  void set(std::string name, std::string value) {
    all_.insert_or_assign(std::move(name), std::move(value));
  }
  void set(std::string name, std::int64_t value) { set(std::move(name), std::to_string(value)); }
  /// Lists that would not fit beside the others are left to the files.
  void set_list(std::string name, std::string value) {
    if (value.size() <= kLongestList) set(std::move(name), std::move(value));
  }
  /// Only if there is something to say.
  void set_if(std::string name, std::string value) {
    if (!value.empty()) set(std::move(name), std::move(value));
  }
  void erase(const std::string& name) { all_.erase(name); }
  const std::string* find(const std::string& name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  Environment take() && { return {all_.begin(), all_.end()}; }

 private:
  static constexpr std::size_t kLongestList = std::size_t{100} * 1024;
  std::map<std::string, std::string> all_;
};

std::string join_ports(const std::vector<int>& ports);
std::int64_t mebibytes(std::int64_t bytes);

// One file per family of names.
void add_native(const JobFacts& job, Variables& out);
void add_distributed(const JobFacts& job, Variables& out);
void add_devices(const JobFacts& job, Variables& out);
void add_openpai(const JobFacts& job, Variables& out);
void add_volcano(const JobFacts& job, Variables& out);
void add_ffdl(const JobFacts& job, Variables& out);
/// Unprefixed FfDL words, which images use themselves.
void add_soft(const JobFacts& job, Variables& out);
std::vector<std::pair<std::string, std::string>> make_files(const JobFacts& job);
std::optional<SshFolder> make_ssh_folder(const JobFacts& job);

}  // namespace ty::model
