#pragma once
#include <functional>
#include <string>

#include "base/result.h"
#include "engine/local/local_launch.h"

namespace ty::engine {

/// What carries files to and from object stores: the program `rclone` of this machine. Credentials
/// travel in its environment, never in its arguments, where everybody could read them.
class Rclone {
 public:
  Rclone();
  bool is_here() const { return !program_.empty(); }

  /// Everything below `from` into the folder `to`; what is there already is not fetched again.
  Result<void> fetch(const ObjectFolder& from,
                     const std::string& to,
                     const std::function<bool()>& is_cancelled) const;
  /// Everything in the folder `from` to below `to`; nothing there is deleted. Links are left out.
  Result<void> save(const std::string& from,
                    const ObjectFolder& to,
                    const std::function<bool()>& is_cancelled) const;

 private:
  Result<void> copy(const std::string& from,
                    const std::string& to,
                    const ObjectFolder& store,
                    const std::function<bool()>& is_cancelled) const;

  std::string program_;  ///< empty: not installed
};

}  // namespace ty::engine
