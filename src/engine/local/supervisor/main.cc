#include "supervisor.h"

int main(int argc, char** argv) {
  // Relative folders would change their meaning once we have left the starter's.
  if (argc != 2 || argv[1][0] != '/') return 64;
  ty::supervisor::Supervisor supervisor(argv[1]);
  return supervisor.run();
}
