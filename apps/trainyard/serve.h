#pragma once

namespace ty {

/// `trainyard serve …`: runs until SIGTERM or Ctrl-C. Answers the process's exit code.
int serve(int argc, char** argv);

}  // namespace ty
