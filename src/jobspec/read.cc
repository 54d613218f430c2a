#include "jobspec/read.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/text.h"
#include "jobspec/impl/cover.h"
#include "jobspec/impl/detect.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/impl/limits.h"
#include "jobspec/impl/params.h"
#include "jobspec/impl/readers.h"
#include "jobspec/impl/report.h"
#include "jobspec/messages.h"

namespace ty::jobspec {
namespace {

using model::Dialect;
using Parse = decltype(DialectEntry::parse);

Issue issue_at(std::string_view source, std::size_t at, std::string_view code, Message message) {
  const Position position = Tree(source).position(static_cast<std::uint32_t>(at));
  return {Severity::Error,
          std::string(code),
          "",
          "",
          position.line,
          position.column,
          std::move(message)};
}

/// Offset of the first byte that is not plain printable ASCII, LF, CR or tab; eight at a time, for
/// nearly every file has none.
std::size_t first_odd_byte(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  std::size_t i = 0;
  while (i < text.size()) {
    if (i + 8 <= text.size()) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + i, 8);
      const std::uint64_t below_blank = (word - kOnes * 0x20) & ~word & kHighs;
      if (below_blank == 0 && (word & kHighs) == 0 && ((word + kOnes) & kHighs) == 0) {
        i += 8;
        continue;
      }
    }
    const std::size_t end = std::min(i + 8, text.size());
    for (; i < end; ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      const bool fine = (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\r' || c == '\t';
      if (!fine) return i;
    }
  }
  return std::string_view::npos;
}

/// Step 1 of job-model §3.
std::optional<Issue> check_bytes(std::string_view text) {
  if (text.size() > limits::kFileBytes) {
    return Issue{Severity::Error,
                 "too_big",
                 "",
                 "",
                 0,
                 0,
                 say::file_too_big({.size = text.size(), .most = limits::kFileBytes})};
  }
  if (text.starts_with("PK\x03\x04") || text.starts_with("\x1f\x8b")) {
    return issue_at(text, 0, "encoding", say::file_is_archive());
  }
  const bool utf16_mark = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  const bool utf16_bare = text.size() >= 2 && (text[0] == '\0') != (text[1] == '\0');
  if (utf16_mark || utf16_bare) return issue_at(text, 0, "encoding", say::file_is_utf16());
  if (text.starts_with("#!")) return issue_at(text, 0, "syntax", say::file_is_script());
  const std::size_t odd = first_odd_byte(text);
  if (odd == std::string_view::npos) return std::nullopt;
  const auto hex = [](unsigned char c) {
    constexpr char kHex[] = "0123456789ABCDEF";
    return std::string{kHex[c >> 4], kHex[c & 15]};
  };
  const std::size_t bad = invalid_utf8(text);
  for (std::size_t i = odd; i < std::min(bad, text.size()); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == 0) return issue_at(text, i, "nul", say::contains_nul());
    if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F) {
      return issue_at(text, i, "encoding", say::control_character({.character = "U+00" + hex(c)}));
    }
  }
  if (bad == std::string_view::npos) return std::nullopt;
  return issue_at(text,
                  bad,
                  "encoding",
                  say::byte_not_utf8({.byte = "0x" + hex(static_cast<unsigned char>(text[bad]))}));
}

Issue to_issue(const SyntaxFault& fault, const Tree& tree) {
  const Position position = tree.position(fault.at);
  Issue issue{Severity::Error, fault.code, "", "", position.line, position.column, fault.message};
  if (fault.node != 0) {
    issue.pointer = tree.pointer({&tree, fault.node});
    issue.path = tree.path({&tree, fault.node});
  }
  return issue;
}

/// `0.1,0.01` → two values; `a\,b` → one.
std::vector<std::string> param_values(std::string_view text) {
  std::vector<std::string> values(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',')
      values.back() += text[++i];
    else if (text[i] == ',')
      values.emplace_back();
    else
      values.back() += text[i];
  }
  return values;
}

constexpr std::size_t kMaxJobs = 100;

class FileReader {
 public:
  FileReader(const Tree& tree, const ReadOptions& options) : tree_(tree), options_(options) {
    for (const auto& [name, text] : options.params) given_.emplace(name, param_values(text));
  }

  ReadResult run() {
    std::vector<Ref> documents;
    for (const Ref document : tree_.documents()) {
      if (!document.is_null()) documents.push_back(document);
    }
    if (documents.empty()) {
      result_.errors.push_back({Severity::Error, "missing", "", "", 1, 1, say::file_is_empty()});
      return std::move(result_);
    }
    for (std::size_t i = 0; i < documents.size(); ++i)
      read_document(documents[i], i, documents.size());
    check_given_params(documents.front());
    result_.secret_ranges = ranges_to_cover(tree_, hidden_);
    if (!result_.errors.empty()) {
      sort_and_cut(result_.errors);
      result_.jobs.clear();
    }
    return std::move(result_);
  }

 private:
  void fail(Ref at, std::string_view code, Message message) {
    Report report;
    report.error(at, code, std::move(message));
    take(report.errors);
  }
  void take(std::vector<Issue>& errors) {
    for (Issue& issue : errors) {
      if (std::ranges::find(result_.errors, issue) == result_.errors.end())
        result_.errors.push_back(std::move(issue));
    }
  }

  void read_document(Ref document, std::size_t index, std::size_t count) {
    if (!document.is_map()) {
      fail(document,
           "type",
           document.is_list() ? say::file_starts_with_list() : say::file_starts_with_text());
      return;
    }
    const auto dialect = choose_dialect(document, index, count);
    if (!dialect) return;
    const Parse parse = entry_of(*dialect).parse;
    if (parse == nullptr) {
      fail(document, "unsupported", say::dialect_not_run({.file = entry_of(*dialect).title()}));
      return;
    }
    read_jobs(document, *dialect, parse);
  }

  std::optional<Dialect> choose_dialect(Ref document, std::size_t index, std::size_t count) {
    Detection found = detect(document);
    if (options_.dialect) {
      result_.dialect = options_.dialect;
      if (found.dialect && *found.dialect != *options_.dialect) {
        fail(document,
             "foreign_format",
             say::send_elsewhere({.file = entry_of(*found.dialect).title(),
                                  .address = entry_of(*found.dialect).address}));
        return std::nullopt;
      }
      return options_.dialect;
    }
    if (!found.dialect) {
      const Ref kind = document.find("kind");
      if (index > 0 && kind && document.find("apiVersion")) {
        found.message = say::document_not_a_job({.number = index + 1,
                                                 .line = tree_.position(document).line,
                                                 .kind = shorten(kind->text)});
        found.at = document;
      } else if (count > 1) {
        found.message = say::in_document({.number = index + 1, .why = std::move(found.message)});
      }
      fail(found.at, found.code, std::move(found.message));
      return std::nullopt;
    }
    if (result_.dialect && *result_.dialect != *found.dialect) {
      fail(document,
           "foreign_format",
           say::documents_of_two_dialects({.number = index + 1,
                                           .file = entry_of(*found.dialect).title(),
                                           .first = entry_of(*result_.dialect).title()}));
      return std::nullopt;
    }
    result_.dialect = found.dialect;
    return found.dialect;
  }

  /// One job, or one for each value of the parameters that this document uses.
  void read_jobs(Ref document, Dialect dialect, Parse parse) {
    std::map<std::string, std::string> values;
    for (const auto& [name, choices] : given_) values.emplace(name, choices.front());
    std::set<std::string> used = read_one(document, dialect, parse, values);
    names_.insert(used.begin(), used.end());

    std::vector<std::string> swept;
    std::size_t combinations = 1;
    for (const auto& [name, choices] : given_) {
      if (choices.size() < 2 || !used.contains(name)) continue;
      swept.push_back(name);
      combinations = std::min(combinations * choices.size(), kMaxJobs + 1);
    }
    if (combinations > kMaxJobs) {
      fail(document, "range", say::too_many_parameter_jobs({.most = kMaxJobs}));
      return;
    }
    for (std::size_t n = 1; n < combinations; ++n) {
      std::size_t rest = n;
      for (auto name = swept.rbegin(); name != swept.rend(); ++name) {
        const auto& choices = given_.find(*name)->second;
        values[*name] = choices[rest % choices.size()];
        rest /= choices.size();
      }
      read_one(document, dialect, parse, values);
    }
  }

  std::set<std::string> read_one(Ref document,
                                 Dialect dialect,
                                 Parse parse,
                                 const std::map<std::string, std::string>& values) {
    Report report;
    Params params(values);
    ReadJob job{.spec = parse(document, options_, params, report)};
    job.spec.dialect = dialect;
    sort_and_cut(report.warnings);
    job.warnings = std::move(report.warnings);
    job.secrets = std::move(report.secrets);
    hidden_.insert(hidden_.end(), report.hidden.begin(), report.hidden.end());
    take(report.errors);
    result_.jobs.push_back(std::move(job));
    return params.names();
  }

  void check_given_params(Ref at) {
    if (!result_.errors.empty()) return;
    for (const auto& [name, choices] : given_) {
      if (names_.contains(name)) continue;
      const std::vector<std::string> known(names_.begin(), names_.end());
      const Ref params = at.find("params");
      fail(params ? params : at,
           "reference",
           known.empty()
               ? say::no_parameter_called({.name = shorten(name)})
               : say::no_parameter_called_among({.name = shorten(name), .names = some_of(known)}));
    }
  }

  const Tree& tree_;
  const ReadOptions& options_;
  std::map<std::string, std::vector<std::string>> given_;
  std::set<std::string> names_;
  std::vector<Ref> hidden_;
  ReadResult result_;
};

}  // namespace

ReadResult read(std::string_view text, const ReadOptions& options) {
  ReadResult result;
  if (auto issue = check_bytes(text)) {
    result.errors.push_back(std::move(*issue));
    return result;
  }
  const bool mark = text.starts_with("\xEF\xBB\xBF");
  if (mark) text.remove_prefix(3);

  std::optional<Tree> tree;
  Syntax syntax = read_tree(text, tree);
  for (const SyntaxFault& fault : syntax.faults) result.errors.push_back(to_issue(fault, *tree));
  if (syntax.fatal) {
    result.errors.push_back(to_issue(*syntax.fatal, *tree));
    if (const auto mark = find_template_mark(text);
        mark && *mark <= syntax.fatal->at + 1 && syntax.fatal->code != "tab") {
      result.errors.back() = issue_at(text, *mark, "foreign_format", say::unrendered_template());
    }
    sort_and_cut(result.errors);
    return result;
  }
  ReadResult jobs = FileReader(*tree, options).run();
  if (mark) {
    for (auto& [offset, length] : jobs.secret_ranges) offset += 3;
  }
  if (!result.errors.empty()) {
    jobs.jobs.clear();
    std::ranges::move(result.errors, std::back_inserter(jobs.errors));
    sort_and_cut(jobs.errors);
  }
  return jobs;
}

}  // namespace ty::jobspec
