// Starts per second of `true`: through LocalEngine (sandbox, limits, log, journal, run folder made
// and removed), beside bare bubblewrap and a bare fork+exec, all measured in one run and in turns.
//
//   spawn_bench [--ways 4] [--rounds 5] [--count 200] [--only engine]
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <semaphore>
#include <thread>

#include "engine/local/local_engine.h"
#include "engine/local/paths.h"

extern char** environ;

namespace {

namespace asio = boost::asio;
using namespace ty;

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void run_bare(std::vector<std::string> words, int ways, int count) {
  std::vector<std::thread> workers;
  std::atomic<int> left = count;
  for (int way = 0; way < ways; ++way) {
    workers.emplace_back([&left, words] {
      std::vector<char*> argv;
      for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
      argv.push_back(nullptr);
      while (left.fetch_sub(1) > 0) {
        pid_t pid = 0;
        if (::posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), environ) != 0) std::abort();
        int status = 0;
        ::waitpid(pid, &status, 0);
        if (status != 0) {
          fmt::print(stderr, "{} failed\n", words[0]);
          std::exit(1);
        }
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
}

class EngineRunner {
 public:
  explicit EngineRunner(std::string dir) : dir_(std::move(dir)) {
    engine::LocalOptions options;
    options.data_dir = dir_;
    auto sink = [this](engine::TaskReport report) {
      if (report.what != engine::TaskReport::What::Ended) return;
      if (report.ending.outcome != model::Outcome::Succeeded) {
        fmt::print(stderr, "a task failed: {}\n", report.ending.message);
        std::exit(1);
      }
      spawn(forget(report.key));
    };
    auto opened = engine::LocalEngine::open(std::move(options), sink);
    if (!opened) {
      fmt::print(stderr, "{}\n", opened.error().message);
      std::exit(1);
    }
    engine_ = *std::move(opened);
    for (const Message& warning : engine_->capabilities().warnings)
      fmt::print("note: {}\n", warning);
  }

  ~EngineRunner() {
    engine_.reset();
    std::filesystem::remove_all(dir_);
  }

  void run(int ways, int count) {
    done_ = 0;
    in_flight_ = 0;
    wanted_ = count;
    ways_ = ways;
    io_.restart();
    auto guard = asio::make_work_guard(io_);
    asio::post(io_, [this] { refill(); });
    finish_ = [&guard] { guard.reset(); };
    io_.run();
  }

 private:
  void spawn(asio::awaitable<void> work) { asio::co_spawn(io_, std::move(work), asio::detached); }

  void refill() {
    while (in_flight_ < ways_ && done_ + in_flight_ < wanted_) {
      ++in_flight_;
      engine::LocalLaunch launch;
      launch.key.job = JobId(fmt::format("b{:08d}", next_++));
      launch.run_dir = engine::run_folder(dir_, launch.key);
      launch.log_path = fmt::format("{}/logs/{}.log", dir_, launch.key.job.str());
      launch.command.argv = {"/bin/true"};
      launch.host_name = "main-0";
      launch.resources.cpu_milli = 1000;
      launch.resources.memory = 256 << 20;
      launch.resources.shm = 64 << 20;
      spawn(start(std::move(launch)));
    }
  }

  asio::awaitable<void> start(engine::LocalLaunch launch) {
    const auto started = co_await engine_->start(std::move(launch));
    if (!started) {
      fmt::print(stderr, "{}\n", started.error().message);
      std::exit(1);
    }
  }

  asio::awaitable<void> forget(model::TaskKey key) {
    const auto gone = co_await engine_->forget(key);
    if (!gone) fmt::print(stderr, "{}\n", gone.error().message);
    --in_flight_;
    if (++done_ == wanted_) finish_();
    refill();
  }

  std::string dir_;
  asio::io_context io_{1};
  std::unique_ptr<engine::LocalEngine> engine_;
  std::function<void()> finish_;
  int next_ = 0;
  int done_ = 0;
  int in_flight_ = 0;
  int wanted_ = 0;
  int ways_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  int ways = 4;
  int rounds = 5;
  int count = 200;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--ways") ways = std::atoi(argv[i + 1]);
    if (flag == "--rounds") rounds = std::atoi(argv[i + 1]);
    if (flag == "--count") count = std::atoi(argv[i + 1]);
    if (flag == "--only") only = argv[i + 1];
  }
  const char* base = std::getenv("TMPDIR");
  std::string pattern = std::string(base != nullptr ? base : "/var/tmp") + "/spawn-bench-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) return 1;
  EngineRunner engine(pattern);

  struct Row {
    std::string name;
    std::function<void()> work;
    std::vector<double> rates = {};
  };
  std::vector<Row> rows;
  rows.push_back({"fork+exec", [&] { run_bare({"/bin/true"}, ways, count); }});
  if (::access("/usr/bin/bwrap", X_OK) == 0) {
    rows.push_back({"bwrap --unshare-all", [&] {
                      run_bare({"/usr/bin/bwrap",
                                "--ro-bind",
                                "/",
                                "/",
                                "--proc",
                                "/proc",
                                "--dev",
                                "/dev",
                                "--unshare-all",
                                "--die-with-parent",
                                "/bin/true"},
                               ways,
                               count);
                    }});
    rows.push_back({"bwrap, network kept", [&] {
                      run_bare({"/usr/bin/bwrap",
                                "--ro-bind",
                                "/",
                                "/",
                                "--proc",
                                "/proc",
                                "--dev",
                                "/dev",
                                "--unshare-pid",
                                "--unshare-ipc",
                                "--unshare-uts",
                                "--die-with-parent",
                                "/bin/true"},
                               ways,
                               count);
                    }});
  }
  rows.push_back({"trainyard engine", [&] { engine.run(ways, count); }});
  if (!only.empty())
    std::erase_if(rows, [&](const Row& row) { return row.name.find(only) == std::string::npos; });
  for (int round = 0; round < rounds; ++round) {
    for (Row& row : rows) row.rates.push_back(count / seconds(row.work));
  }
  const auto median = [](std::vector<double> rates) {
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
  };
  const double ours = median(rows.back().rates);
  fmt::print(
      "{:<22} {:>10} {:>18}\n", fmt::format("{} at a time", ways), "starts/s", "engine is × of it");
  for (const Row& row : rows) {
    fmt::print(
        "{:<22} {:>10.0f} {:>18.2f}\n", row.name, median(row.rates), ours / median(row.rates));
  }
}
