#include "jobspec/impl/tree_builder.h"

#include <algorithm>
#include <unordered_map>

#include "jobspec/messages.h"

namespace ty::jobspec {

std::uint32_t TreeBuilder::append(Kind kind, std::uint32_t at) {
  auto& nodes = tree_.nodes();
  if (nodes.size() > kMaxValues) {
    throw SyntaxFault{"range", at, say::too_many_values({.most = kMaxValues})};
  }
  const auto index = static_cast<std::uint32_t>(nodes.size());
  Frame& frame = stack_.back();
  Node& node = nodes.emplace_back();
  node.kind = kind;
  node.at = at;
  if (frame.has_key) {
    node.key = frame.key;
    node.key_at = frame.key_at;
    frame.has_key = false;
  }
  attach(index);
  return index;
}

void TreeBuilder::attach(std::uint32_t index) {
  auto& nodes = tree_.nodes();
  Frame& frame = stack_.back();
  nodes[index].parent = frame.node;
  nodes[index].next = 0;
  if (frame.last == 0)
    nodes[frame.node].first = index;
  else
    nodes[frame.last].next = index;
  ++nodes[frame.node].count;
  frame.last = index;
}

void TreeBuilder::restart_children() {
  Frame& frame = stack_.back();
  frame.last = 0;
  tree_.nodes()[frame.node].first = 0;
  tree_.nodes()[frame.node].count = 0;
}

void TreeBuilder::open(Kind kind, std::uint32_t at) {
  if (stack_.size() > kMaxDepth) {
    throw SyntaxFault{
        "depth", at, say::nested_too_deep({.most = kMaxDepth, .line = tree_.position(at).line})};
  }
  const std::uint32_t node = append(kind, at);
  stack_.push_back({.node = node});
}

std::uint32_t TreeBuilder::close() {
  const std::uint32_t node = stack_.back().node;
  stack_.pop_back();
  if (tree_.node(node).kind == Kind::Map) check_duplicates(node);
  return node;
}

void TreeBuilder::key(std::string_view text, std::uint32_t at) {
  Frame& frame = stack_.back();
  frame.key = text;
  frame.key_at = at;
  frame.has_key = true;
}

std::uint32_t TreeBuilder::scalar(std::string_view text, Style style, std::uint32_t at) {
  const std::uint32_t index = append(Kind::Scalar, at);
  Node& node = tree_.nodes()[index];
  node.text = text;
  node.style = style;
  return index;
}

std::uint32_t TreeBuilder::null(std::uint32_t at) { return append(Kind::Null, at); }

bool TreeBuilder::is_open(std::uint32_t node) const {
  return std::ranges::any_of(stack_, [&](const Frame& frame) { return frame.node == node; });
}

void TreeBuilder::check_duplicates(std::uint32_t map) {
  constexpr std::size_t kEnough = 100;  // no more than this many issues are shown
  const auto twice = [&](std::uint32_t again, std::uint32_t first) {
    if (faults.size() >= kEnough) return;
    const int line = tree_.line({&tree_, first});
    faults.push_back(
        {"duplicate_key", tree_.node(again).key_at, say::written_twice({.line = line}), again});
  };
  // Comparing every pair is the fastest way for the maps people write, hashing for those they do
  // not.
  constexpr std::uint32_t kSmall = 24;
  if (tree_.node(map).count <= kSmall) {
    for (std::uint32_t a = tree_.node(map).first; a != 0; a = tree_.node(a).next) {
      for (std::uint32_t b = tree_.node(map).first; b != a; b = tree_.node(b).next) {
        if (!same_key(tree_.node(a).key, tree_.node(b).key)) continue;
        twice(a, b);
        break;
      }
    }
    return;
  }
  std::unordered_map<std::string_view, std::uint32_t> seen(tree_.node(map).count);
  for (std::uint32_t a = tree_.node(map).first; a != 0; a = tree_.node(a).next) {
    const auto [first, fresh] = seen.emplace(tree_.node(a).key, a);
    if (!fresh) twice(a, first->second);
  }
}

}  // namespace ty::jobspec
