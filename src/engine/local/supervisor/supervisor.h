#pragma once
#include <cstdint>

#include "cgroup.h"
#include "command.h"
#include "failure.h"
#include "journal.h"
#include "launch.h"
#include "log_writer.h"
#include "process_tree.h"

namespace ty::supervisor {

/// Holds one task from before its first instruction until after its last, needing nobody: the
/// server may be killed, upgraded or absent meanwhile. See `journal.h` for what it leaves behind.
///
///   SIGTERM   end the task: SIGTERM to it, SIGKILL to its whole tree after the grace (the
///             signal's value in ms when sent with one, else the launch file's)
///   SIGHUP    read RUN.deadline again; RUN.stop, if it is there, ends the task as SIGTERM does
class Supervisor {
 public:
  explicit Supervisor(const char* run_dir) : run_dir_(run_dir) {}
  /// The exit code of this program (`launch_format.h`).
  int run();

 private:
  int give_up(const Failure& failure);
  void announce_running();
  void tell_server(std::int64_t word) const;
  void read_signals();
  bool read_number_file(const char* suffix, std::int64_t& out) const;
  void read_deadline();
  void read_stop();
  void begin_stop(std::int64_t now, std::int64_t grace);
  int poll_timeout(std::int64_t now) const;
  void note_disk();
  void watch();
  void drain();
  int finish();

  const char* run_dir_;
  Journal journal_;
  Launch launch_;
  LogWriter log_;
  Cgroup cgroup_;
  Command command_;
  Failure failure_;
  ProcessTree* tree_ = nullptr;
  int signals_ = -1;
  int notify_ = -1;
  std::int64_t deadline_ = 0;
  std::int64_t kill_at_ = 0;
  std::int64_t ended_at_ = 0;
  bool is_stop_asked_ = false;
  bool is_stopped_outside_ = false;
  bool must_ask_again_ = false;
  bool is_over_limit_ = false;
  bool is_disk_noted_ = false;
  bool is_output_over_ = false;
};

}  // namespace ty::supervisor
