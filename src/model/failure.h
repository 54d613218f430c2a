#pragma once
#include <string>
#include <string_view>

#include "model/job.h"

/// How the end of a process, or the lack of one, becomes a reason, a class and a sentence
/// (job-model §8). Engines make every `Ending` here, so that the same fault reads the same
/// everywhere.
namespace ty::model {

/// The command ended by itself. 0 is success; 128 + n is read as signal n, as shells report their
/// children.
Ending exited(int code);
/// A signal that we did not send ended it.
Ending killed_by(int signal);
/// `limit` and `peak` in bytes; 0 when unknown.
Ending out_of_memory(std::int64_t limit, std::int64_t peak);
/// The command ran past the deadline; `limit` 0 when unknown.
Ending out_of_time(Seconds limit);
/// It ended because it was told to.
Ending stopped(Reason why = Reason::JobEnded);
/// Gone without a trace: its supervisor died, the node went away, nobody knows the container.
Ending lost(Message message, Reason why = Reason::NodeLost);
/// Anything else that kept it from running or from ending well. `source_refuses` makes code, data
/// and output faults permanent: asking again will not help.
Ending fault(Reason why, Message message, bool source_refuses = false);

/// The class of a reason where no exit code or signal says more.
FailureClass class_of(Reason reason);
/// `SIGKILL`, or `signal 42`.
std::string signal_name(int signal);
/// Whether the task's own command was running when it ended so.
bool command_ran(const Ending& ending);

}  // namespace ty::model
