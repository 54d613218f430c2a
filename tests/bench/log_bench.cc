// How fast task logs are read, followed, searched and compressed, beside `cat` and `grep` on the
// same file.
//
//   log_bench [--size MB] [--dir DIR] [--json]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "telemetry/log_follow.h"
#include "telemetry/log_keeper.h"
#include "telemetry/log_merge.h"
#include "telemetry/log_search.h"
#include "telemetry/log_writer.h"

namespace {

using namespace ty;
using namespace ty::telemetry;

struct Row {
  std::string what;
  double value;
  std::string unit;
  std::string peer;  ///< empty: nothing to compare with
  double peer_value = 0;
  double goal = 0;  ///< ratio to reach, or with no peer the value itself
};

template <class T>
T need(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "log_bench: {}\n", result.error().message);
  std::exit(1);
}
void need(Result<void> result) {
  if (!result) need(Result<int>(std::unexpected(result.error())));
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds of the quickest of a few.
double best(const std::function<void()>& work) {
  double seconds = 1e9;
  for (int i = 0; i < 5; ++i) seconds = std::min(seconds, seconds_of(work));
  return seconds;
}

void shell(const std::string& command) {
  if (std::system(command.c_str()) < 0) std::abort();
}

struct Pair {
  double ours = 1e9;
  double peer = 1e9;
};
/// Both in turns, so that what else the machine does hits both alike; the quickest of each.
Pair versus(const std::function<void()>& ours, const std::string& peer) {
  Pair seconds;
  for (int i = 0; i < 7; ++i) {
    seconds.ours = std::min(seconds.ours, seconds_of(ours));
    seconds.peer = std::min(seconds.peer, seconds_of([&] { shell(peer); }));
  }
  return seconds;
}

void write_log(const std::string& path, std::uint64_t bytes) {
  LogWriter writer = need(LogWriter::open(path));
  std::string chunk;
  std::uint64_t line = 0;
  for (std::int64_t ms = 1'700'000'000'000; writer.size() < bytes; ++ms) {
    chunk.clear();
    while (chunk.size() < 64 * 1024) {
      chunk += fmt::format(
          "step {:>9} epoch {:>3} loss={:.6f} acc={:.4f} lr=0.001 tokens/s=18233.5 mem=31.2GB "
          "node-17 rank-3\n",
          line,
          line / 10'000,
          2.0 / (1.0 + static_cast<double>(line % 100'000)),
          static_cast<double>(line % 1000) / 1000);
      ++line;
    }
    need(writer.append(chunk, from_millis(ms)));
  }
}

void read_all(const std::string& path) {
  LogReader reader = need(LogReader::open(path));
  LogStream stream(reader, reader.whole());
  while (!need(stream.next()).empty()) {
  }
}

void write_to(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) std::abort();
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// Into a pipe that `cat` empties, as `cat log | cat` does.
void follow_into_cat(const std::string& path) {
  FILE* cat = ::popen("cat > /dev/null", "w");
  boost::asio::io_context io;
  {
    LogWatcher watcher(io.get_executor());
    auto follow = [&]() -> boost::asio::awaitable<void> {
      FollowOptions options{.log = log_file(path)};
      LogFollower follower(watcher, io.get_executor(), std::move(options));
      while (true) {
        const std::string_view piece = need(co_await follower.next());
        if (piece.empty()) co_return;
        write_to(::fileno(cat), piece);
      }
    };
    auto done = boost::asio::co_spawn(io, follow(), boost::asio::use_future);
    while (done.wait_for(std::chrono::seconds{0}) != std::future_status::ready) io.run_one();
  }
  io.run();
  ::pclose(cat);
}

std::uint64_t search_all(const std::string& path, const LinePattern& pattern) {
  LogReader reader = need(LogReader::open(path));
  const LineMatcher matcher = need(LineMatcher::compile(pattern));
  return need(search(reader, matcher, {.limit = 1000})).searched;
}

double tail_milliseconds(const std::string& path) {
  return best([&] {
           LogReader reader = need(LogReader::open(path));
           LogStream stream(reader, need(reader.last_lines(100)));
           while (!need(stream.next()).empty()) {
           }
         }) *
         1000;
}

void print(const std::vector<Row>& rows, bool json) {
  if (json) fmt::print("[");
  for (const Row& row : rows) {
    const double ratio = row.peer.empty() ? 0 : row.value / row.peer_value;
    if (json) {
      fmt::print(
          "{}{{\"what\":\"{}\",\"value\":{:.3f},\"unit\":\"{}\",\"peer\":\"{}\",\"peer_value\":{:."
          "3f},\"goal\":{}}}",
          &row == rows.data() ? "" : ",\n ",
          row.what,
          row.value,
          row.unit,
          row.peer,
          row.peer_value,
          row.goal);
      continue;
    }
    fmt::print("{:<34}{:>10.2f} {:<5}", row.what, row.value, row.unit);
    if (!row.peer.empty()) fmt::print("  {:.2f} × {} ({:.0f})", ratio, row.peer, row.peer_value);
    if (row.goal > 0 && row.unit == "ms")
      fmt::print("  goal < {} ms: {}", row.goal, row.value < row.goal ? "reached" : "missed");
    else if (row.goal > 0 && row.peer.empty())
      fmt::print("  goal ≥ {}: {}", row.goal, row.value >= row.goal ? "reached" : "missed");
    else if (row.goal > 0)
      fmt::print("  goal ≥ {} ×: {}", row.goal, ratio >= row.goal ? "reached" : "missed");
    fmt::print("\n");
  }
  if (json) fmt::print("]\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t megabytes = 1024;
  std::string dir = std::filesystem::temp_directory_path().string();
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--size") == 0 && i + 1 < argc)
      megabytes = std::strtoull(argv[++i], nullptr, 10);
    else if (std::strcmp(argv[i], "--dir") == 0 && i + 1 < argc)
      dir = argv[++i];
    else if (std::strcmp(argv[i], "--json") == 0)
      json = true;
    else {
      fmt::print(stderr, "usage: log_bench [--size MB] [--dir DIR] [--json]\n");
      return 2;
    }
  }
  std::string folder = dir + "/log-bench-XXXXXX";
  if (!::mkdtemp(folder.data())) return 1;
  const std::string log = folder + "/x.log";
  write_log(log, megabytes << 20);
  const double mb = static_cast<double>(std::filesystem::file_size(log)) / 1e6;
  std::vector<Row> rows;

  const auto compare = [&](std::string what,
                           const std::function<void()>& ours,
                           std::string peer,
                           const std::string& command,
                           double goal) {
    const Pair seconds = versus(ours, command);
    rows.push_back(
        {std::move(what), mb / seconds.ours, "MB/s", std::move(peer), mb / seconds.peer, goal});
  };
  compare(
      "read straight through",
      [&] { read_all(log); },
      "cat >/dev/null",
      "cat " + log + " > /dev/null",
      0);
  compare(
      "follow a backlog into a pipe",
      [&] { follow_into_cat(log); },
      "cat | cat",
      "cat " + log + " | cat > /dev/null",
      1.0);

  struct Search {
    std::string name;
    LinePattern pattern;
    std::string grep;
    double goal;
  };
  const Search searches[] = {
      {"search, plain text, no hit",
       {.text = "CUDA out of memory"},
       "grep -cF 'CUDA out of memory'",
       500},
      {"search, prefix then digits",
       {.text = "loss=9\\d\\.\\d+"},
       "grep -cE 'loss=9[0-9]\\.[0-9]+'",
       500},
      {"search, two words in any order",
       {.text = "Traceback|Segmentation fault"},
       "grep -cE 'Traceback|Segmentation fault'",
       0},
      {"search, ignoring case", {.text = "error", .ignore_case = true}, "grep -ci error", 0},
      {"search, anchored line", {.text = "^ERROR .*$"}, "grep -cE '^ERROR .*$'", 0},
  };
  for (const Search& search : searches) {
    compare(
        search.name,
        [&] { search_all(log, search.pattern); },
        "grep",
        "LC_ALL=C.UTF-8 " + search.grep + " " + log + " > /dev/null",
        0);
    if (search.goal > 0)
      rows.push_back(
          {"  the same against the goal", rows.back().value, "MB/s", "", 0, search.goal});
  }
  rows.push_back({"last 100 lines", tail_milliseconds(log), "ms", "", 0, 5});

  const double packing =
      mb / best([&] {
        std::filesystem::copy_file(
            log, folder + "/y.log", std::filesystem::copy_options::overwrite_existing);
        need(compress_log(folder + "/y.log"));
      });
  rows.push_back({"compress, with copy and check", packing, "MB/s", "", 0, 0});
  rows.push_back(
      {"compressed size",
       100.0 * static_cast<double>(std::filesystem::file_size(folder + "/y.log.zst")) / 1e6 / mb,
       "%",
       "",
       0,
       0});
  rows.push_back(
      {"read compressed", mb / best([&] { read_all(folder + "/y.log"); }), "MB/s", "", 0, 0});
  rows.push_back(
      {"last 100 lines, compressed", tail_milliseconds(folder + "/y.log"), "ms", "", 0, 5});

  std::vector<MergeSource> sources;
  for (int i = 0; i < 8; ++i) {
    const std::string path = fmt::format("{}/w{}.log", folder, i);
    sources.push_back({fmt::format("worker-{}", i), log_file(path)});
    write_log(path, 16 << 20);
  }
  const double merge = best([&] {
    LogMerge merged = need(LogMerge::open(sources));
    while (!need(merged.next()).empty()) {
    }
  });
  rows.push_back({"merge 8 tasks by time", 8 * 16.8 / merge, "MB/s", "", 0, 0});

  std::filesystem::remove_all(folder);
  print(rows, json);
}
