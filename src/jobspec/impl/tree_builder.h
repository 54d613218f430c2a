#pragma once
#include <string>
#include <vector>

#include "base/message.h"
#include "jobspec/impl/tree.h"

namespace ty::jobspec {

inline constexpr int kMaxDepth = 32;
inline constexpr std::size_t kMaxValues = 100'000;

/// A fault of the text itself, by offset: there may be no tree yet to ask for a path.
struct SyntaxFault {
  std::string code;
  std::uint32_t at = 0;
  Message message;
  std::uint32_t node = 0;  ///< whose path to show; 0: none
};

/// Events of a reader → nodes. Depth and key rules are the same for JSON and YAML, so they live
/// here. Throws SyntaxFault where reading cannot go on; faults that need not stop it are gathered
/// in `faults`.
class TreeBuilder {
 public:
  explicit TreeBuilder(Tree& tree) : tree_(tree) { stack_.push_back({}); }

  void open(Kind kind, std::uint32_t at);
  /// Returns the index of the node that is now complete.
  std::uint32_t close();
  void key(std::string_view text, std::uint32_t at);
  std::uint32_t scalar(std::string_view text, Style style, std::uint32_t at);
  std::uint32_t null(std::uint32_t at);
  /// Lets the open map be given its children anew, in another order: `attach` each that stays.
  void restart_children();
  void attach(std::uint32_t node);

  bool wants_key() const { return top().kind == Kind::Map && !stack_.back().has_key; }
  /// The map or list being filled.
  std::uint32_t current() const { return stack_.back().node; }
  bool is_open(std::uint32_t node) const;

  std::vector<SyntaxFault> faults;

 private:
  struct Frame {
    std::uint32_t node = 0;
    std::uint32_t last = 0;
    std::string_view key;
    std::uint32_t key_at = 0;
    bool has_key = false;
  };
  const Node& top() const { return tree_.node(stack_.back().node); }
  std::uint32_t append(Kind kind, std::uint32_t at);
  void check_duplicates(std::uint32_t map);

  Tree& tree_;
  std::vector<Frame> stack_;
};

}  // namespace ty::jobspec
