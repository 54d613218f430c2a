#include "checked_command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <string_view>

#include "launch_format.h"
#include "mount_check.h"

namespace ty::supervisor {
namespace {

void say(std::string_view words) {
  Text<1000> line;
  line.add("trainyard: ").add(words).add("\n");
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, line.c_str(), line.view().size());
}

}  // namespace

int run_checked(int argc, char** argv) {
  Launch launch;
  int at = 2;
  for (; at < argc && std::string_view(argv[at]) != "--"; ++at) launch.mounted.push(argv[at]);
  Failure failure;
  if (!check_mounts(launch, failure)) {
    say(failure.text.view());
    return kExitUnusable;
  }
  if (at + 1 >= argc) return kExitUnusable;
  execvp(argv[at + 1], argv + at + 1);
  failure.set(kStartFailed, "cannot execute", argv[at + 1]);
  say(failure.text.view());
  return 127;
}

}  // namespace ty::supervisor
