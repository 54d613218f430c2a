#include "engine/local/process/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <map>

#include "base/fd.h"
#include "base/text.h"
#include "engine/local/process/supervisor_words.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/messages.h"
#include "model/failure.h"
#include "model/words.h"

namespace ty::engine {
namespace {

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// `a=1 b=2`; nothing when a word is no such pair.
std::optional<std::map<std::string, std::int64_t>> number_pairs(std::string_view text) {
  std::map<std::string, std::int64_t> pairs;
  for (const std::string& word : split(text, ' ')) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) return std::nullopt;
    const auto value = number(std::string_view(word).substr(equals + 1));
    if (!value) return std::nullopt;
    pairs[word.substr(0, equals)] = *value;
  }
  return pairs;
}

std::optional<JournalFacts::Ended> parse_ended(std::string_view text) {
  auto pairs = number_pairs(text);
  if (!pairs || !pairs->contains("at")) return std::nullopt;
  JournalFacts::Ended ended;
  ended.at = from_millis((*pairs)["at"]);
  if (pairs->contains("exit")) ended.exit_code = static_cast<int>((*pairs)["exit"]);
  if (pairs->contains("signal")) ended.signal = static_cast<int>((*pairs)["signal"]);
  if (!ended.exit_code && !ended.signal) return std::nullopt;
  ended.stop_asked = (*pairs)["stop"] != 0;
  ended.stopped_outside = (*pairs)["outside"] != 0;
  ended.over_limit = (*pairs)["limit"] != 0;
  ended.oom_kills = (*pairs)["oom"];
  ended.memory_limit = (*pairs)["memory"];
  ended.peak_memory = (*pairs)["peak"];
  ended.cpu_time = Millis{(*pairs)["cpu"]};
  return ended;
}

/// `at=MS reason=WORD text…`
std::optional<JournalFacts::Failed> parse_failed(std::string_view text) {
  const auto first = text.find(' ');
  if (first == std::string_view::npos || !text.starts_with("at=")) return std::nullopt;
  const auto at = number(text.substr(3, first - 3));
  std::string_view rest = text.substr(first + 1);
  constexpr std::string_view kReason = "reason=";
  if (!at || !rest.starts_with(kReason)) return std::nullopt;
  rest.remove_prefix(kReason.size());
  const auto second = std::min(rest.find(' '), rest.size());
  JournalFacts::Failed failed;
  failed.at = from_millis(*at);
  failed.reason = rest.substr(0, second);
  failed.message = fault_of(trim(rest.substr(second)));
  return failed;
}

/// A journal has a few lines. Whatever else is in a file of that name, we read no more than its
/// first and its last lines: it says first that it began, last how it ended.
constexpr std::size_t kMostAtEnds = 64 * 1024;

std::string read_ends(int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return {};
  const auto size = static_cast<std::size_t>(info.st_size);
  std::string text(std::min(size, 2 * kMostAtEnds), '\0');
  const auto fill = [&](std::size_t at, std::size_t count, std::size_t from) {
    const ssize_t n = ::pread(fd, text.data() + at, count, static_cast<off_t>(from));
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  };
  if (size <= text.size()) {
    text.resize(fill(0, size, 0));
    return text;
  }
  const std::size_t first = fill(0, kMostAtEnds, 0);
  const std::size_t last = fill(first, kMostAtEnds, size - kMostAtEnds);
  text.resize(first + last);
  // What lies between two line ends in the middle is of two lines: it counts for nothing.
  const std::size_t before = text.rfind('\n', first == 0 ? 0 : first - 1);
  const std::size_t after = text.find('\n', first);
  if (after == std::string::npos) {
    text.resize(before == std::string::npos ? 0 : before + 1);
  } else {
    const std::size_t from = before == std::string::npos ? 0 : before + 1;
    text.erase(from, after + 1 - from);
  }
  return text;
}

/// Who holds the lock, in our pid namespace.
std::optional<pid_t> lock_holder(int fd) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  if (::fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

}  // namespace

JournalFacts parse_journal(std::string_view text) {
  JournalFacts facts;
  while (true) {
    const auto newline = text.find('\n');
    if (newline == std::string_view::npos) break;
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline + 1);
    const auto space = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, space);
    const std::string_view rest = line.substr(std::min(space + 1, line.size()));
    if (word == "began") {
      facts.has_begun = true;
    } else if (word == "warning") {
      facts.warnings.push_back(warning_of(rest));
    } else if (word == "running") {
      if (const auto at = number(rest)) facts.running = from_millis(*at);
    } else if (word == "ended") {
      facts.ended = parse_ended(rest);
    } else if (word == "failed") {
      facts.failed = parse_failed(rest);
    }
  }
  return facts;
}

JournalFacts read_journal(const std::string& run_dir) {
  const std::string path = run_dir + supervisor::kJournalSuffix;
  const Fd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return {};
  // The lock is asked first: a supervisor that ends in between has written its last line by then.
  const auto holder = lock_holder(fd.get());
  JournalFacts facts = parse_journal(read_ends(fd.get()));
  facts.holder = holder;
  return facts;
}

model::Ending ending_of(const JournalFacts& facts) {
  if (facts.failed) {
    const auto reason = model::from_word<model::Reason>(facts.failed->reason);
    return model::fault(reason.value_or(model::Reason::StartFailed), facts.failed->message);
  }
  if (!facts.ended) return model::lost(say::supervisor_killed());
  const JournalFacts::Ended& ended = *facts.ended;
  const bool has_failed = ended.signal || ended.exit_code.value_or(0) != 0;
  model::Ending ending;
  if (ended.over_limit) {
    const Millis ran = facts.running ? ended.at - *facts.running : Millis{0};
    ending = model::out_of_time(std::chrono::duration_cast<Seconds>(ran));
  } else if (ended.stop_asked) {
    ending = model::stopped();
  } else if (ended.stopped_outside) {
    ending = model::lost(say::container_stopped());
  } else if (ended.oom_kills > 0 && has_failed) {
    ending = model::out_of_memory(ended.memory_limit, ended.peak_memory);
  } else if (ended.signal) {
    ending = model::killed_by(*ended.signal);
  } else {
    ending = model::exited(*ended.exit_code);
    if (ended.oom_kills > 0) {
      ending.message = joined(
          std::move(ending.message),
          say::processes_out_of_memory({.count = ended.oom_kills, .limit = ended.memory_limit}));
    }
  }
  ending.exit_code = ended.exit_code ? ended.exit_code : ending.exit_code;
  ending.signal = ended.signal ? ended.signal : ending.signal;
  return ending;
}

}  // namespace ty::engine
