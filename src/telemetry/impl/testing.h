#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "base/time.h"
#include "telemetry/log_reader.h"
#include "telemetry/log_writer.h"

/// What the tests of this module share: a folder that goes away, logs made of chunks, and the slow
/// but obvious answers.
namespace ty::telemetry::testing {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "ty-logs-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline const Time kStart = from_millis(1'700'000'000'000);

struct Chunk {
  std::string bytes;
  Time at;
};

inline void write_log(const std::string& path, const std::vector<Chunk>& chunks) {
  auto writer = LogWriter::open(path);
  ASSERT_TRUE(writer) << writer.error().message;
  for (const Chunk& chunk : chunks) ASSERT_TRUE(writer->append(chunk.bytes, chunk.at));
}

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void spit(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string read_range(LogReader& reader, ByteRange range, std::size_t piece = kLogChunk) {
  LogStream stream(reader, range, piece);
  std::string text;
  while (true) {
    auto next = stream.next();
    EXPECT_TRUE(next) << next.error().message;
    if (!next || next->empty()) return text;
    EXPECT_LE(next->size(), piece);
    text += *next;
  }
}

/// A log as the obvious program sees it.
struct Naive {
  struct Line {
    std::string text;  ///< with its newline
    std::uint64_t offset;
    Time time;
  };
  std::string bytes;
  std::vector<Line> lines;

  explicit Naive(const std::vector<Chunk>& chunks) {
    std::string text;
    std::uint64_t start = 0;
    Time last{};
    for (const Chunk& chunk : chunks) {
      for (const char c : chunk.bytes) {
        text += c;
        bytes += c;
        last = chunk.at;
        if (c != '\n') continue;
        lines.push_back({std::move(text), start, last});
        text.clear();
        start = bytes.size();
      }
    }
    if (!text.empty()) lines.push_back({text, start, last});
  }

  std::string joined(std::size_t from, std::size_t to) const {
    std::string text;
    for (std::size_t i = from; i < std::min(to, lines.size()); ++i) text += lines[i].text;
    return text;
  }
  std::string last(std::size_t count) const {
    return joined(lines.size() - std::min(count, lines.size()), lines.size());
  }
  std::string between(std::optional<Time> since, std::optional<Time> until) const {
    std::string text;
    for (const Line& line : lines) {
      if ((!since || line.time >= *since) && (!until || line.time < *until)) text += line.text;
    }
    return text;
  }
};

/// Chunks with lines of all lengths, cut anywhere: about `bytes` in all.
inline std::vector<Chunk> random_chunks(std::size_t bytes,
                                        std::size_t longest_line,
                                        unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  std::string text;
  while (text.size() < bytes) {
    const std::size_t line = below(20) == 0 ? below(longest_line) : below(80);
    for (std::size_t i = 0; i < line; ++i) text += static_cast<char>('a' + (i * 7 + line) % 26);
    text += "loss=";
    text += std::to_string(below(1000));
    text += '\n';
  }
  text.resize(bytes);
  std::vector<Chunk> chunks;
  Time at = kStart;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t size = std::min(text.size() - from, below(64 * 1024) + 1);
    chunks.push_back({text.substr(from, size), at});
    from += size;
    at += Millis{below(50)};
  }
  return chunks;
}

}  // namespace ty::telemetry::testing
