#include "model/failure.h"

#include <string.h>

#include <csignal>

#include "model/messages.h"

namespace ty::model {

namespace {

/// Programs hurt themselves with these: reported like an exit, never as somebody's kill.
bool is_own_fault(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGABRT:
    case SIGILL:
    case SIGBUS:
    case SIGFPE:
    case SIGPIPE:
      return true;
    default:
      return false;
  }
}

/// A wrong machine or a broken pipe stays so however often the job starts again; a crash may not.
bool is_permanent(int signal) {
  return signal == SIGILL || signal == SIGBUS || signal == SIGFPE || signal == SIGPIPE;
}

Ending failed(Reason reason, FailureClass failure, Message message) {
  return {.outcome = Outcome::Failed,
          .reason = reason,
          .failure = failure,
          .message = std::move(message)};
}

Ending ended_by_signal(int signal, Message message) {
  Ending ending = failed(is_own_fault(signal) ? Reason::Exit : Reason::Killed,
                         is_permanent(signal) ? FailureClass::Permanent : FailureClass::User,
                         std::move(message));
  ending.signal = signal;
  ending.exit_code = 128 + signal;
  return ending;
}

constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;
constexpr int kHighestSignal = 64;

}  // namespace

std::string signal_name(int signal) {
  if (const char* name = ::sigabbrev_np(signal)) return std::string("SIG") + name;
  return say::signal_number({.number = signal}).text();
}

Ending exited(int code) {
  if (code == 0) return {.outcome = Outcome::Succeeded, .exit_code = 0};
  if (code > 128 && code <= 128 + kHighestSignal) {
    const int signal = code - 128;
    return ended_by_signal(signal,
                           say::exit_by_signal({.code = code, .signal = signal_name(signal)}));
  }
  Ending ending = failed(Reason::Exit, FailureClass::User, say::exit_code({.code = code}));
  if (code == kNotFound || code == kNotExecutable) {
    ending.reason = Reason::CommandNotFound;
    ending.failure = FailureClass::Permanent;
    ending.message = code == kNotFound ? say::command_not_found({.code = code})
                                       : say::command_not_executable({.code = code});
  }
  ending.exit_code = code;
  return ending;
}

Ending killed_by(int signal) {
  return ended_by_signal(signal, say::killed_by({.signal = signal_name(signal)}));
}

namespace {

Message memory_message(std::int64_t limit, std::int64_t peak) {
  if (limit > 0 && peak > 0) return say::out_of_memory_limit_peak({.limit = limit, .peak = peak});
  if (limit > 0) return say::out_of_memory_limit({.limit = limit});
  if (peak > 0) return say::out_of_memory_peak({.peak = peak});
  return say::out_of_memory();
}

}  // namespace

Ending out_of_memory(std::int64_t limit, std::int64_t peak) {
  Ending ending = failed(Reason::Oom, FailureClass::Permanent, memory_message(limit, peak));
  ending.signal = SIGKILL;
  ending.exit_code = 128 + SIGKILL;
  return ending;
}

Ending out_of_time(Seconds limit) {
  return failed(
      Reason::TimeLimit,
      FailureClass::Permanent,
      limit.count() > 0 ? say::ran_too_long({.limit = limit}) : say::ran_too_long_for_some_limit());
}

Ending stopped(Reason why) { return {.outcome = Outcome::Stopped, .reason = why}; }

Ending lost(Message message, Reason why) {
  return {.outcome = Outcome::Lost,
          .reason = why,
          .failure = FailureClass::Platform,
          .message = std::move(message)};
}

Ending fault(Reason why, Message message, bool source_refuses) {
  return failed(why, source_refuses ? FailureClass::Permanent : class_of(why), std::move(message));
}

FailureClass class_of(Reason reason) {
  switch (reason) {
    case Reason::None:
    case Reason::UserStop:
    case Reason::JobEnded:
    case Reason::ScaledDown:
      return FailureClass::None;
    case Reason::Exit:
    case Reason::Killed:
      return FailureClass::User;
    case Reason::CommandNotFound:
    case Reason::Oom:
    case Reason::ImageMissing:
    case Reason::BadSpec:
    case Reason::TimeLimit:
    case Reason::WaitLimit:
      return FailureClass::Permanent;
    case Reason::CodeFailed:
    case Reason::DataFailed:
    case Reason::OutputFailed:
    case Reason::NodeLost:
    case Reason::Evicted:
    case Reason::Preempted:
    case Reason::GpuLost:
    case Reason::PortConflict:
    case Reason::StartFailed:
      return FailureClass::Platform;
    case Reason::GangTimeout:
      return FailureClass::Conflict;
  }
  return FailureClass::Platform;
}

bool command_ran(const Ending& ending) {
  switch (ending.reason) {
    case Reason::ImageMissing:
    case Reason::BadSpec:
    case Reason::CodeFailed:
    case Reason::DataFailed:
    case Reason::PortConflict:
    case Reason::StartFailed:
    case Reason::GangTimeout:
      return false;
    case Reason::TimeLimit:
    case Reason::OutputFailed:
      return true;
    default:
      return ending.exit_code.has_value() || ending.signal.has_value();
  }
}

}  // namespace ty::model
