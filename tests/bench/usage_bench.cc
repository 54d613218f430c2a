/// What one look at a task costs us: `usage_bench PID [COUNT]` reads the cgroups of that process as
/// the server does and prints the CPU time of one look in milliseconds.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "engine/local/usage/usage_reader.h"

namespace {

double cpu_ms() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int count = argc > 2 ? std::atoi(argv[2]) : 2000;
  const auto reader = ty::engine::UsageReader::of_process(std::atoi(argv[1]));
  if (!reader.read().memory) {
    std::fprintf(stderr, "nothing is known of that process\n");
    return 1;
  }
  const double before = cpu_ms();
  std::int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += reader.read().memory.value_or(0);
  std::printf("%.5f\n", (cpu_ms() - before) / count);
  return sum > 0 ? 0 : 1;
}
