#pragma once

namespace ty::supervisor {

/// `supervisor --mounted "DEVICE NUMBER PATH"… -- COMMAND…`: the second task of this program,
/// inside of bubblewrap, which opens the folders that it mounts by their paths. Checks them as
/// `mount_check.h` says and becomes the command, or says what is wrong.
int run_checked(int argc, char** argv);

}  // namespace ty::supervisor
