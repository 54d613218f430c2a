#pragma once
#include <string>

#include "base/fd.h"

/// Paths that members have a part in: between looking at one and using it, another job may put a
/// link in the place of a folder. So a path is resolved once to one without links
/// (`std::filesystem::canonical`), and whoever opens that later follows none: what is opened lies
/// where the path says or is not opened at all.
namespace ty::engine {

/// As open(2), for an absolute path without links; ELOOP when there is one on the way after all. No
/// descriptor: errno says why.
Fd open_without_links(const std::string& path, int flags);

/// What a folder is, whatever lies at its path: for the supervisor, which compares it with what was
/// mounted (supervisor/mount_check.h). Empty: it cannot be opened without following a link. `held`
/// gets its descriptor; as long as that is open, the number is nobody else's.
std::string identity_of(const std::string& path, Fd& held);

/// Makes what is missing of `path`, which is `root` or below it, and opens it (O_PATH). `root`
/// exists and its owner is trusted with the way to it.
Fd make_below(const std::string& root, const std::string& path);

}  // namespace ty::engine
