#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "sched/impl/amount.h"

/// Amounts as people are told of them.
namespace ty::sched {

enum class Scarce : std::uint8_t { Gpus, Cpu, Memory };

std::int64_t part(const Amount& amount, Scarce what);
std::string_view word_of(Scarce what);  ///< `gpus`, `cpus`, `memory`

/// The number alone: `3`, `1.5`, `16 GB`; what stands after it is `unit_of`.
std::string bare(std::int64_t number, Scarce what);
Message unit_of(Scarce what);

/// `2 GPUs`, `4 A100 or H100`.
Message gpus_of(std::int64_t count, const std::vector<std::string>& types);
/// `1.5 CPUs`, `16 GB of memory`; GPUs as above.
Message amount_of(std::int64_t number, Scarce what, const std::vector<std::string>& types);
/// `2 GPUs, 4 CPUs and 8 GB of memory`.
Message all_of(const Amount& amount, const std::vector<std::string>& types);

}  // namespace ty::sched
