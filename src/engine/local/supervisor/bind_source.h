#pragma once

namespace ty::supervisor {

/// A copy of the mount tree at a folder that members name, or -1 and errno. Others can exchange
/// what lies on the way to it for links, so none is followed; the server wrote the path without
/// any.
int open_bind(const char* path);

}  // namespace ty::supervisor
