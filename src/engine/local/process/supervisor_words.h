#pragma once
#include <string>
#include <string_view>

#include "base/message.h"

/// Supervisors are small programs without a catalogue: they write short English words into the
/// journal, and some of them are older than this server. Here their words become messages.
namespace ty::engine {

/// Why the command never ran: the text of `failed`. What is not known passes as it is.
Message fault_of(std::string_view text);

/// The text of `warning`: the supervisor's own, or one that went through it.
Message warning_of(std::string_view text);
/// A warning for the launch file, in the form in which `warning_of` finds it again. One that is too
/// long for a line of the journal goes as English text.
std::string carried(const Message& warning);

}  // namespace ty::engine
