#pragma once
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"

/// A job file as a tree that remembers where everything stood. JSON and YAML give the same tree;
/// dialects read only it.
namespace ty::jobspec {

enum class Kind : std::uint8_t { Null, Scalar, List, Map };

/// Whether a scalar was written bare. Only a bare one can be a number, a boolean or null.
enum class Style : std::uint8_t { Plain, Quoted };

/// Offsets instead of lines and columns: counting is only worth it for a node that is complained
/// about.
struct Node {
  std::string_view key;  ///< inside a map
  std::string_view
      text;  ///< of a scalar, escapes resolved; into the source or the tree's own storage
  std::uint32_t key_at = 0;
  std::uint32_t at = 0;
  std::uint32_t parent = 0;
  std::uint32_t first = 0;  ///< child; 0: none, for 0 is the root and nobody's child
  std::uint32_t next = 0;   ///< sibling
  std::uint32_t count = 0;  ///< children
  Kind kind = Kind::Null;
  Style style = Style::Plain;
};

struct Position {
  int line = 1;
  int column = 1;  ///< in characters
};

class Tree;

/// A place in a tree, or none. Valid as long as the tree.
class Ref {
 public:
  Ref() = default;
  Ref(const Tree* tree, std::uint32_t index) : tree_(tree), index_(index) {}

  explicit operator bool() const { return tree_ != nullptr; }
  const Node* operator->() const { return &node(); }
  const Tree& tree() const { return *tree_; }
  std::uint32_t index() const { return index_; }

  bool is_null() const { return node().kind == Kind::Null; }
  bool is_scalar() const { return node().kind == Kind::Scalar; }
  bool is_list() const { return node().kind == Kind::List; }
  bool is_map() const { return node().kind == Kind::Map; }
  /// A scalar that is bare: the only one that may be read as a number or a boolean.
  bool is_plain() const { return is_scalar() && node().style == Style::Plain; }

  /// The value under a key of a map; none where there is no such key or this is no map.
  Ref find(std::string_view key) const;
  Ref parent() const;
  bool is_root() const;

  class Iterator {
   public:
    Iterator(const Tree* tree, std::uint32_t index) : tree_(tree), index_(index) {}
    Ref operator*() const { return {tree_, index_}; }
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    const Tree* tree_;
    std::uint32_t index_;
  };
  Iterator begin() const { return {tree_, node().first}; }
  Iterator end() const { return {tree_, 0}; }

 private:
  const Node& node() const;
  const Tree* tree_ = nullptr;
  std::uint32_t index_ = 0;
};

/// The documents of one file. Node 0 is a list of them.
class Tree {
 public:
  explicit Tree(std::string_view source);

  Ref documents() const { return {this, 0}; }
  std::string_view source() const { return source_; }
  Position position(std::uint32_t offset) const;
  int line(Ref ref) const;  ///< of the key where there is one
  /// Where to look for this value: an empty one is shown at its key.
  Position position(Ref ref) const;
  Position key_position(Ref ref) const;
  /// `/roles/worker/gpus` and `roles.worker.gpus`, from the document's top.
  std::string pointer(Ref ref) const;
  std::string path(Ref ref) const;

  const Node& node(std::uint32_t index) const { return nodes_[index]; }
  std::vector<Node>& nodes() { return nodes_; }
  /// Keeps the bytes as long as the tree lives.
  std::string_view store(std::string_view text);

 private:
  std::string_view source_;
  std::vector<Node> nodes_;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> texts_;
};

/// Equality of short keys. Most pairs differ in length or first letter, so the call to compare the
/// rest is rare.
inline bool same_key(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.empty() || (a.front() == b.front() && a == b));
}

/// One line of JSON; bare scalars by YAML's core rules. Numbers keep their digits.
std::string to_json(Ref ref);

/// What a bare scalar means (YAML 1.2 core): `yes no on off` are text.
bool is_bool_word(std::string_view text);
bool is_true_word(std::string_view text);
bool is_null_word(std::string_view text);
/// A number as JSON writes it: no leading zeros, plus signs, hexadecimal or underscores.
bool is_json_number(std::string_view text);

inline const Node& Ref::node() const { return tree_->node(index_); }
inline Ref::Iterator& Ref::Iterator::operator++() {
  index_ = tree_->node(index_).next;
  return *this;
}
inline Ref Ref::parent() const { return {tree_, node().parent}; }
inline bool Ref::is_root() const { return index_ == 0 || node().parent == 0; }

}  // namespace ty::jobspec
