#include "cli/cli.h"
#include "serve.h"
#include "version.h"

int main(int argc, char** argv) { return ty::cli::run(argc, argv, ty::kVersion, ty::serve); }
