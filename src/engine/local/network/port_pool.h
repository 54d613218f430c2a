#pragma once
#include <bitset>
#include <vector>

#include "base/result.h"

namespace ty::engine {

/// Ports of one machine that tasks are given: 20000–29999, below the range from which the kernel
/// draws for outgoing connections. Each is handed out once until it is given back, and only if
/// nothing else listens there. One thread at a time.
class PortPool {
 public:
  static constexpr int kFirst = 20'000;
  static constexpr int kCount = 10'000;

  /// `count` free ports, neighbours where possible. Exhausted when there are not so many.
  Result<std::vector<int>> draw(int count);
  /// A port asked for by number: Conflict when it is taken, whatever its range.
  Result<void> claim(int port);
  /// Marks ports of a task taken back after a restart.
  void adopt(const std::vector<int>& ports);
  void give_back(const std::vector<int>& ports);

 private:
  std::bitset<65'536> taken_;
  int next_ = kFirst;
};

}  // namespace ty::engine
