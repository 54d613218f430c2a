#include "sched/impl/amounts.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sched/messages.h"

namespace ty::sched {

std::int64_t part(const Amount& amount, Scarce what) {
  switch (what) {
    case Scarce::Gpus:
      return amount.gpus;
    case Scarce::Cpu:
      return amount.cpu_milli;
    case Scarce::Memory:
      return amount.memory;
  }
  return 0;
}

std::string_view word_of(Scarce what) {
  switch (what) {
    case Scarce::Gpus:
      return "gpus";
    case Scarce::Cpu:
      return "cpus";
    case Scarce::Memory:
      return "memory";
  }
  return {};
}

std::string bare(std::int64_t number, Scarce what) {
  switch (what) {
    case Scarce::Gpus:
      return std::to_string(number);
    case Scarce::Cpu:
      return fmt::format("{:g}", static_cast<double>(number) / 1000);
    case Scarce::Memory:
      return human_bytes(number);
  }
  return {};
}

Message unit_of(Scarce what) {
  switch (what) {
    case Scarce::Gpus:
      return say::unit_gpus();
    case Scarce::Cpu:
      return say::unit_cpus();
    case Scarce::Memory:
      return say::unit_memory();
  }
  return {};
}

Message gpus_of(std::int64_t count, const std::vector<std::string>& types) {
  if (types.empty()) return say::gpus({.count = count});
  return say::gpus_of_types({.count = count, .types = types});
}

Message amount_of(std::int64_t number, Scarce what, const std::vector<std::string>& types) {
  switch (what) {
    case Scarce::Gpus:
      return gpus_of(number, types);
    case Scarce::Cpu:
      return say::cpus({.cpu = number});
    case Scarce::Memory:
      return say::memory({.memory = number});
  }
  return {};
}

Message all_of(const Amount& amount, const std::vector<std::string>& types) {
  Value::Messages parts;
  if (amount.gpus > 0) parts.push_back(gpus_of(amount.gpus, types));
  parts.push_back(say::cpus({.cpu = amount.cpu_milli}));
  parts.push_back(say::memory({.memory = amount.memory}));
  return say::amounts({.parts = std::move(parts)});
}

}  // namespace ty::sched
