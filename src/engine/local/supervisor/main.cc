#include <string_view>

#include "checked_command.h"
#include "launch_format.h"
#include "supervisor.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == ty::supervisor::kCheckedCommand)
    return ty::supervisor::run_checked(argc, argv);
  // Relative folders would change their meaning once we have left the starter's.
  if (argc != 2 || argv[1][0] != '/') return 64;
  ty::supervisor::Supervisor supervisor(argv[1]);
  return supervisor.run();
}
