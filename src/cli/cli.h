#pragma once
#include <functional>
#include <string>

namespace ty::cli {

/// Every command but `serve`, which the program itself brings along: `serve` gets the arguments
/// from `serve` on. Answers the exit code.
int run(int argc,
        char** argv,
        const std::string& version,
        const std::function<int(int, char**)>& serve);

}  // namespace ty::cli
