#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <optional>
#include <streambuf>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "jobspec/impl/readers.h"
#include "jobspec/messages.h"

namespace ty::jobspec {
namespace {

constexpr int kMaxAliases = 1000;
constexpr int kMaxDocuments = 100;

class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // a get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

/// yaml-cpp writes the escapes `\N` and `\_` as bare bytes 0x85 and 0xA0: made the characters they
/// stand for.
std::string with_whole_characters(std::string_view value) {
  std::string out;
  for (std::size_t at; (at = invalid_utf8(value)) != std::string_view::npos;
       value.remove_prefix(at + 1)) {
    out += value.substr(0, at);
    out += '\xC2';
    out += value[at];
  }
  return out.append(value);
}

/// yaml-cpp's events → nodes. It neither merges `<<` nor limits aliases, so both happen here.
class YamlHandler final : public YAML::EventHandler {
 public:
  explicit YamlHandler(Tree& tree) : tree_(tree), builder_(tree) {}

  void OnDocumentStart(const YAML::Mark&) override { anchors_.clear(); }
  void OnDocumentEnd() override {
    const Node& top = tree_.node(0);
    if (top.count > kMaxDocuments) {
      stop("range", last_at_, say::too_many_documents({.most = kMaxDocuments}));
    }
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::uint32_t at = offset(mark);
    if (builder_.wants_key()) stop("type", at, say::yaml_key_missing());
    remember(anchor, builder_.null(at));
  }

  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& value) override {
    const std::uint32_t at = offset(mark);
    if (value.find('\0') != std::string::npos) {
      stop("nul", at, say::contains_nul());
    }
    check_tag(tag, at);
    last_quoted_ = tag == "!" ? std::optional(at) : std::nullopt;
    const bool whole = invalid_utf8(value) == std::string::npos;
    const std::string_view text = tree_.store(whole ? value : with_whole_characters(value));
    if (builder_.wants_key()) {
      if (anchor != 0) key_anchors_[anchor] = text;
      builder_.key(text, at);
      return;
    }
    const bool plain = tag != "!" && tag != "tag:yaml.org,2002:str";
    remember(anchor,
             plain && is_null_word(value)
                 ? builder_.null(at)
                 : builder_.scalar(text, plain ? Style::Plain : Style::Quoted, at));
  }

  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::List, mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::Map, mark, tag, anchor);
  }
  void OnSequenceEnd() override { builder_.close(); }
  void OnMapEnd() override {
    merge();
    builder_.close();
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::uint32_t at = offset(mark);
    if (++aliases_ > kMaxAliases) {
      stop("alias_bomb", at, say::yaml_too_many_aliases({.most = kMaxAliases}));
    }
    if (const auto key = key_anchors_.find(anchor); key != key_anchors_.end()) {
      if (builder_.wants_key())
        builder_.key(key->second, at);
      else
        builder_.scalar(key->second, Style::Quoted, at);
      return;
    }
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      stop("syntax", at, say::yaml_no_such_anchor());
    }
    const Node anchored = tree_.node(found->second);
    if (builder_.wants_key()) {
      if (anchored.kind != Kind::Scalar) stop("type", at, say::yaml_key_not_text());
      builder_.key(anchored.text, at);
      return;
    }
    if (builder_.is_open(found->second)) {
      stop("alias_loop", at, say::yaml_contains_itself());
    }
    alias_source_ = anchored.at;
    copy(found->second);
  }

  TreeBuilder& builder() { return builder_; }
  std::uint32_t last_at() const { return last_at_; }
  /// Where the last text of the file begins, when it is in quotes (or a block).
  std::optional<std::uint32_t> last_quoted() const { return last_quoted_; }

 private:
  [[noreturn]] static void stop(std::string code, std::uint32_t at, Message message) {
    throw SyntaxFault{std::move(code), at, std::move(message)};
  }

  std::uint32_t offset(const YAML::Mark& mark) {
    const auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    last_at_ = static_cast<std::uint32_t>(std::min(at, tree_.source().size()));
    return last_at_;
  }

  void remember(YAML::anchor_t anchor, std::uint32_t node) {
    if (anchor == 0) return;
    anchors_[anchor] = node;
    anchored_.insert(node);
  }

  void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    const std::uint32_t at = offset(mark);
    if (builder_.wants_key()) {
      stop("type", at, kind == Kind::Map ? say::yaml_key_is_map() : say::yaml_key_is_list());
    }
    check_tag(tag, at);
    builder_.open(kind, at);
    remember(anchor, builder_.current());
  }

  void check_tag(const std::string& tag, std::uint32_t at) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    constexpr std::string_view kCore = "tag:yaml.org,2002:";
    std::string_view name = tag;
    if (name.starts_with(kCore)) {
      name.remove_prefix(kCore.size());
      for (const std::string_view core : {"str", "int", "float", "bool", "null", "map", "seq"}) {
        if (name == core) return;
      }
      stop("tag", at, say::yaml_tag({.tag = "!!" + shorten(name)}));
    }
    stop("tag", at, say::yaml_tag({.tag = shorten(name)}));
  }

  /// Appends a copy of a finished subtree, its positions those of the original.
  void copy(std::uint32_t from) {
    const Node node = tree_.node(from);  // by value: appending moves the nodes
    if (tree_.nodes().size() >= kMaxValues) {
      stop("alias_bomb",
           last_at_,
           say::yaml_aliases_expand(
               {.line = tree_.position(alias_source_).line, .most = kMaxValues}));
    }
    if (node.kind == Kind::Null) {
      builder_.null(node.at);
    } else if (node.kind == Kind::Scalar) {
      builder_.scalar(node.text, node.style, node.at);
    } else {
      builder_.open(node.kind, node.at);
      for (std::uint32_t child = node.first; child != 0; child = tree_.node(child).next) {
        if (node.kind == Kind::Map) builder_.key(tree_.node(child).key, tree_.node(child).key_at);
        copy(child);
      }
      builder_.close();
    }
  }

  bool is_merge(std::uint32_t node) const {
    return tree_.node(node).key == "<<" && tree_.source()[tree_.node(node).key_at] == '<';
  }

  std::vector<std::uint32_t> children(std::uint32_t node) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = tree_.node(node).first; i != 0; i = tree_.node(i).next) out.push_back(i);
    return out;
  }

  /// `<<: *base` and `<<: [*a, *b]`: keys of the map itself win, then those of earlier bases.
  void merge() {
    const std::uint32_t map = builder_.current();
    bool any = false;
    for (std::uint32_t i = tree_.node(map).first; i != 0 && !any; i = tree_.node(i).next)
      any = is_merge(i);
    if (!any) return;

    const std::vector<std::uint32_t> own = children(map);
    std::unordered_set<std::string_view> taken;
    std::uint32_t merges = 0;
    for (const std::uint32_t child : own) {
      if (!is_merge(child))
        taken.insert(tree_.node(child).key);
      else if (++merges == 2) {
        stop("duplicate_key", tree_.node(child).key_at, say::yaml_merge_twice());
      }
    }
    builder_.restart_children();
    for (const std::uint32_t child : own) {
      if (!is_merge(child)) {
        builder_.attach(child);
        continue;
      }
      const Kind kind = tree_.node(child).kind;
      const std::vector<std::uint32_t> bases =
          kind == Kind::List ? children(child) : std::vector<std::uint32_t>{child};
      for (const std::uint32_t base : bases) take_over(base, taken);
    }
  }

  void take_over(std::uint32_t base, std::unordered_set<std::string_view>& taken) {
    if (tree_.node(base).kind != Kind::Map) {
      stop("type", tree_.node(base).at, say::yaml_merge_takes_maps());
    }
    // An alias was copied for us, so its entries can move here; a map with its own anchor may be
    // needed again.
    const bool shared = anchored_.contains(base);
    for (const std::uint32_t entry : children(base)) {
      const Node node = tree_.node(entry);
      if (!taken.insert(node.key).second) continue;
      if (!shared) {
        builder_.attach(entry);
        continue;
      }
      alias_source_ = node.at;
      builder_.key(node.key, node.key_at);
      copy(entry);
    }
  }

  Tree& tree_;
  TreeBuilder builder_;
  std::unordered_map<YAML::anchor_t, std::uint32_t> anchors_;
  std::unordered_map<YAML::anchor_t, std::string_view> key_anchors_;
  std::unordered_set<std::uint32_t> anchored_;
  int aliases_ = 0;
  std::uint32_t last_at_ = 0;
  std::optional<std::uint32_t> last_quoted_;
  std::uint32_t alias_source_ = 0;
};

/// Whether the quote at `open` has its partner. yaml-cpp closes a last text by itself when the file
/// ends with a line break.
bool is_closed(std::string_view source, std::size_t open) {
  const char quote = source[open];
  for (std::size_t at = open + 1; at < source.size(); ++at) {
    if (quote == '"' && source[at] == '\\') {
      ++at;
    } else if (source[at] == quote) {
      if (quote == '"' || at + 1 == source.size() || source[at + 1] != quote) return true;
      ++at;  // '' is one quote inside the text
    }
  }
  return false;
}

/// A line of the source without its end; `indent` is where its first character stands.
struct Line {
  std::string_view text;
  int number = 0;
  std::size_t indent = std::string_view::npos;  ///< npos: blank or a comment
};

Line line_at(std::string_view source, std::size_t at) {
  const std::size_t from = at == 0 ? 0 : source.rfind('\n', at - 1) + 1;
  std::string_view text = source.substr(from, source.find('\n', from) - from);
  const auto number = 1 + std::ranges::count(source.substr(0, from), '\n');
  std::size_t indent = text.find_first_not_of(" \t\r");
  if (indent != std::string_view::npos && text[indent] == '#') indent = std::string_view::npos;
  return {text, static_cast<int>(number), indent};
}

/// The line with something in it above the one of `at`; an empty one where there is none.
Line line_above(std::string_view source, std::size_t at) {
  for (std::size_t end = at == 0 ? std::string_view::npos : source.rfind('\n', at - 1);
       end != std::string_view::npos;
       end = end == 0 ? std::string_view::npos : source.rfind('\n', end - 1)) {
    const Line line = line_at(source, end);
    if (line.indent != std::string_view::npos) return line;
  }
  return {};
}

/// What is wrong where the library meets a colon it did not expect: it has read the line above and
/// this one as one text, because of a slip in the line above, in the indentation, or right here.
Message unexpected_colon(std::string_view source, std::size_t at) {
  const Line here = line_at(source, at);
  const std::size_t before = at - static_cast<std::size_t>(here.text.data() - source.data());
  if (here.text.substr(0, before).find(": ") != std::string_view::npos)
    return say::yaml_colon_in_text();
  const Line above = line_above(source, at);
  if (above.indent == std::string_view::npos) return say::yaml_colon_in_text();
  const std::size_t colon = above.text.find(':', above.indent);
  if (colon == std::string_view::npos) return say::yaml_line_without_colon({.line = above.number});
  const bool has_blank = colon + 1 < above.text.size() && above.text[colon + 1] == ' ';
  if (!has_blank) {
    const std::string key(above.text.substr(above.indent, colon - above.indent));
    return say::yaml_no_blank_after_colon({.line = above.number, .key = shorten(key, 30)});
  }
  if (here.indent > above.indent) return say::yaml_indented_below_value({.line = above.number});
  return say::yaml_colon_in_text();
}

/// The library's words in ours: what it is, and what to write.
Message in_our_words(std::string_view message, std::string_view source, std::size_t at) {
  if (message.starts_with("illegal map value")) return unexpected_colon(source, at);
  struct Words {
    std::string_view theirs;
    Message (*ours)();
  };
  constexpr Words kWords[] = {
      {"end of map not found", say::yaml_not_aligned},
      {"end of sequence not found", say::yaml_not_in_list},
      {"end of map flow not found", say::yaml_map_open},
      {"end of sequence flow not found", say::yaml_list_open},
      {"illegal map key", say::yaml_key_not_here},
      {"illegal block entry", say::yaml_item_not_here},
      {"illegal flow end", say::yaml_nothing_to_close},
      {"illegal EOF in scalar", say::yaml_text_open},
      {"illegal document indicator in scalar", say::yaml_text_open_at_end},
      {"unknown token", say::yaml_bad_first_character},
      {"the referenced anchor is not defined", say::yaml_no_such_anchor},
      {"unexpected character in block scalar", say::yaml_text_beside_bar},
      {"unknown escape character", say::yaml_bad_escape},
  };
  for (const Words& words : kWords) {
    if (message.starts_with(words.theirs)) return words.ours();
  }
  return say::yaml_other({.why = plain(message)});
}

}  // namespace

Syntax read_yaml(std::string_view source, Tree& tree) {
  Syntax result;
  YamlHandler handler(tree);
  const auto fatal = [&](std::string code, std::size_t at, Message message) {
    const auto offset = static_cast<std::uint32_t>(std::min(at, source.size()));
    result.fatal = SyntaxFault{std::move(code), offset, std::move(message)};
  };
  // The one place where the library's exceptions end.
  try {
    ViewBuffer buffer(source);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(handler)) {
    }
    if (const auto last = handler.last_quoted()) {
      const std::size_t open = source.find_first_of("'\"|>", *last);
      const bool quoted = open < source.size() && (source[open] == '\'' || source[open] == '"');
      if (quoted && !is_closed(source, open)) fatal("syntax", open, say::yaml_text_open());
    }
  } catch (SyntaxFault& fault) {
    result.fatal = std::move(fault);
  } catch (const YAML::ParserException& e) {
    const auto at = static_cast<std::size_t>(std::max(e.mark.pos, 0));
    fatal("syntax", at, in_our_words(e.msg, source, std::min(at, source.size())));
  } catch (const std::exception&) {
    fatal("syntax", handler.last_at(), say::yaml_unreadable());
  }
  result.faults = std::move(handler.builder().faults);
  return result;
}

namespace {

struct Row {
  std::string_view text;
  std::size_t at = 0;
};

/// A tab in the indentation at or before the line the reader gave up on: the likeliest cause, and
/// not what it says.
std::optional<SyntaxFault> tab_before(std::string_view source, std::size_t error_at) {
  std::string_view above;
  for (std::size_t from = 0; from <= std::min(error_at, source.size());) {
    std::size_t end = source.find('\n', from);
    if (end == std::string_view::npos) end = source.size();
    const std::string_view row = source.substr(from, end - from);
    const std::size_t content = row.find_first_not_of(" \t\r");
    const std::size_t tab = row.find('\t');
    if (content != std::string_view::npos && tab < content && row[content] != '#') {
      // An item's keys begin behind its dash: `- amount: 1` puts its neighbours two further in.
      const std::size_t dash = above.find_first_not_of(' ');
      const bool item = !above.empty() && above.substr(dash).starts_with("- ") &&
                        !row.substr(content).starts_with("-");
      const std::size_t indent =
          item ? std::min(above.find_first_not_of(' ', dash + 1), above.size()) : dash;
      const bool opens = !above.empty() && above.back() == ':';
      Message message = above.empty() ? say::tab_indents()
                        : opens       ? say::tab_indents_deeper({.count = indent + 2})
                        : indent == 0 ? say::tab_indents_first_level()
                                      : say::tab_indents_like_above({.count = indent});
      return SyntaxFault{"tab", static_cast<std::uint32_t>(from + tab), std::move(message)};
    }
    if (content != std::string_view::npos) {
      above = row.substr(0, row.find_last_not_of(" \t\r") + 1);
    }
    from = end + 1;
  }
  return std::nullopt;
}

}  // namespace

Syntax read_tree(std::string_view source, std::optional<Tree>& tree) {
  const std::size_t begin = skip_blanks_and_comments(source, 0);
  const bool like_json = begin < source.size() && (source[begin] == '{' || source[begin] == '[');
  std::optional<SyntaxFault> json_fault;
  if (like_json) {
    tree.emplace(source);
    Syntax json = read_json(source, *tree);
    if (!json.fatal) return json;
    // A limit is a limit in YAML too; only what is not JSON at all is worth another try.
    if (json.fatal->code != "syntax") return json;
    json_fault = std::move(json.fatal);
  }
  tree.emplace(source);
  Syntax yaml = read_yaml(source, *tree);
  if (!yaml.fatal) return yaml;
  if (json_fault) {
    const std::size_t inside = skip_blanks_and_comments(source, begin + 1);
    if (inside < source.size() && source[inside] == '"') yaml.fatal = std::move(json_fault);
    return yaml;
  }
  if (yaml.fatal->code == "syntax") {
    if (auto tab = tab_before(source, yaml.fatal->at)) yaml.fatal = std::move(tab);
  }
  return yaml;
}

}  // namespace ty::jobspec
