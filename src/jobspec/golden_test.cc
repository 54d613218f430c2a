#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/impl/readers.h"
#include "jobspec/print.h"
#include "jobspec/read.h"
#include "model/spec_json.h"
#include "model/words.h"

/// Job files from real life and what they mean: `<dialect>/testdata/X.yaml` or `X.json` beside
/// `X.expected.json`. TY_BLESS=1 rewrites the expectations; the diff is what gets reviewed.
namespace ty::jobspec {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

bool blessing() { return std::getenv("TY_BLESS") != nullptr; }

void pretty(std::string& out, Ref ref, std::size_t indent) {
  if ((!ref.is_map() && !ref.is_list()) || ref->count == 0) {
    out += to_json(ref);
    return;
  }
  const bool map = ref.is_map();
  out += map ? "{" : "[";
  bool first = true;
  for (const Ref child : ref) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent + 2, ' ');
    if (map) {
      append_json_string(out, child->key);
      out += ": ";
    }
    pretty(out, child, indent + 2);
  }
  out += "\n";
  out.append(indent, ' ');
  out += map ? "}" : "]";
}

std::string pretty(const std::string& json) {
  Tree tree(json);
  const Syntax syntax = read_json(json, tree);
  EXPECT_FALSE(syntax.fatal) << json;
  std::string out;
  for (const Ref document : tree.documents()) pretty(out, document, 0);
  return out + "\n";
}

std::string lines(const std::vector<Issue>& issues, const std::string& file) {
  std::string out = "[";
  for (const Issue& issue : issues) {
    if (out.size() > 1) out += ",";
    append_json_string(out, "[" + issue.code + "] " + format_issue(issue, file));
  }
  return out + "]";
}

/// `# read with: lr=0.1,0.01 local=keep` in the first line sets options.
ReadOptions options_of(const std::string& text) {
  ReadOptions options;
  const std::string head = text.substr(0, text.find('\n'));
  constexpr std::string_view kMark = "# read with: ";
  if (!head.starts_with(kMark)) return options;
  for (const std::string& word : split(std::string_view(head).substr(kMark.size()), ' ')) {
    const std::size_t equal = word.find('=');
    const std::string key = word.substr(0, equal), value = word.substr(equal + 1);
    if (key == "local")
      options.local_sources = LocalSources::Keep;
    else if (key == "format")
      options.dialect = model::from_word<model::Dialect>(value);
    else if (key == "upload")
      options.uploads["."] = value;
    else
      options.params[key] = value;
  }
  return options;
}

std::string outcome(const std::string& text, const std::string& file) {
  const ReadResult result = read(text, options_of(text));
  std::string out = "{";
  if (result.dialect)
    out += "\"dialect\":\"" + std::string(model::to_word(*result.dialect)) + "\",";
  if (!result.ok()) return out + "\"errors\":" + lines(result.errors, file) + "}";
  out += "\"jobs\":[";
  for (const ReadJob& job : result.jobs) {
    if (out.back() != '[') out += ",";
    out += "{\"spec\":" + model::to_json(job.spec);
    if (!job.warnings.empty()) out += ",\"warnings\":" + lines(job.warnings, file);
    out += "}";
  }
  return out + "]}";
}

std::vector<fs::path> golden_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(TY_SOURCE_DIR "/src/jobspec")) {
    const std::string name = entry.path().filename().string();
    const bool input =
        (name.ends_with(".yaml") || name.ends_with(".json")) && !name.ends_with(".expected.json");
    if (input && entry.path().parent_path().filename() == "testdata") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class Golden : public testing::TestWithParam<fs::path> {};

TEST_P(Golden, MeansWhatItMeantBefore) {
  const fs::path input = GetParam();
  const fs::path expected = fs::path(input).replace_extension().concat(".expected.json");
  const std::string found = pretty(outcome(slurp(input), input.filename().string()));
  if (blessing()) std::ofstream(expected) << found;
  EXPECT_EQ(slurp(expected), found) << input;
}

TEST_P(Golden, IsReadBackFromItsPrintedForm) {
  const std::string text = slurp(GetParam());
  ReadOptions options = options_of(text);
  const ReadResult result = read(text, options);
  options.params.clear();
  options.allow_covered = true;
  for (const ReadJob& job : result.jobs) {
    const model::Dialect dialect = job.spec.dialect;
    if (entry_of(dialect).print == nullptr) continue;
    options.dialect = dialect;
    const Printed printed = print(job.spec, dialect);
    const ReadResult again = read(printed.text, options);
    ASSERT_TRUE(again.ok()) << printed.text << "\n"
                            << format_issue(again.errors.front(), "printed");
    ASSERT_EQ(again.jobs.size(), 1U);
    model::JobSpec found = again.jobs[0].spec;
    EXPECT_EQ(model::to_json(found), model::to_json(job.spec)) << printed.text;
    EXPECT_EQ(print(found, dialect).text, printed.text);
  }
}

TEST_P(Golden, IsWrittenInEveryFormatThatCanSayIt) {
  const std::string text = slurp(GetParam());
  const ReadResult result = read(text, options_of(text));
  for (const ReadJob& job : result.jobs) {
    for (const DialectEntry* const entry : dialects()) {
      if (entry->print == nullptr) continue;
      const Printed printed = print(job.spec, entry->dialect);
      if (!printed.complete()) continue;
      ReadOptions options;
      options.dialect = entry->dialect;
      options.local_sources = LocalSources::Keep;
      options.allow_covered = true;
      const ReadResult again = read(printed.text, options);
      ASSERT_TRUE(again.ok()) << printed.text << "\n"
                              << format_issue(again.errors.front(), "printed");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(golden_files()), [](const auto& info) {
  std::string name =
      info.param.parent_path().parent_path().filename().string() + "_" + info.param.stem().string();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
});

TEST(Reference, PagesArePrintedFromTheFieldsTable) {
  const std::pair<Language, std::string> pages[] = {{Language::English, "job-file.md"},
                                                    {Language::Chinese, "job-file.zh.md"}};
  for (const auto& [language, name] : pages) {
    const fs::path page = TY_SOURCE_DIR "/docs/reference/" + name;
    if (blessing()) std::ofstream(page) << reference_page(language);
    EXPECT_EQ(slurp(page), reference_page(language));
  }
}

}  // namespace
}  // namespace ty::jobspec
