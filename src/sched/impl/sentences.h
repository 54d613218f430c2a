#pragma once
#include <string>
#include <string_view>

#include "sched/explanation.h"

/// The English of every statement; other languages have a table with the same codes and names.
namespace ty::sched {

using Data = std::map<std::string, std::variant<std::int64_t, std::string>>;

/// The sentence of `code` with the values filled in. An unknown code is a bug of ours.
Statement say(std::string_view code, Data data);

std::string gpus_in_words(std::int64_t count, const std::vector<std::string>& types);
std::string cpus_in_words(std::int64_t milli);

}  // namespace ty::sched
