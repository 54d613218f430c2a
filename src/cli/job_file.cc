#include "cli/job_file.h"

#include <boost/json.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/messages.h"
#include "jobspec/issue.h"
#include "jobspec/print.h"
#include "model/words.h"

namespace ty::cli {

namespace json = boost::json;

Result<std::string> read_job_file(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::error_code ec;
  if (std::filesystem::is_directory(path, ec)) {
    return fail(Errc::Invalid, say::job_file_is_folder({.path = path}));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return fail(Errc::Invalid, say::input_unreadable({.path = path, .why = std::strerror(errno)}));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<jobspec::ReadOptions> local_options(const std::string& dialect,
                                           const std::vector<std::string>& params) {
  jobspec::ReadOptions options;
  options.local_sources = jobspec::LocalSources::Keep;
  if (!dialect.empty()) {
    options.dialect = jobspec::dialect_named(dialect);
    if (!options.dialect) {
      return fail(
          Errc::Invalid,
          say::dialect_flag_unknown(
              {.flag = "--dialect", .word = dialect, .choices = model::words<model::Dialect>()}));
    }
  }
  for (const std::string& param : params) {
    const std::size_t at = param.find('=');
    if (at == std::string::npos || at == 0)
      return fail(Errc::Invalid, say::param_without_value({.param = param}));
    options.params[param.substr(0, at)] = param.substr(at + 1);
  }
  return options;
}

jobspec::ReadResult read_locally(const std::string& text,
                                 const std::string& dialect,
                                 const std::vector<std::string>& params) {
  const Result<jobspec::ReadOptions> options = local_options(dialect, params);
  if (options) return jobspec::read(text, *options);
  jobspec::ReadResult result;
  result.errors.push_back({.code = "usage", .message = options.error().message});
  return result;
}

std::vector<jobspec::Issue> all_issues(const jobspec::ReadResult& read) {
  std::vector<jobspec::Issue> all = read.errors;
  for (const jobspec::ReadJob& job : read.jobs)
    all.insert(all.end(), job.warnings.begin(), job.warnings.end());
  return all;
}

json::object to_json(const jobspec::Issue& issue) {
  return {{"severity", issue.severity == jobspec::Severity::Error ? "error" : "warning"},
          {"code", issue.code},
          {"pointer", issue.pointer},
          {"path", issue.path},
          {"line", issue.line},
          {"column", issue.column},
          {"message", issue.message.text()}};
}

Message issue_in_words(const Context& context,
                       const jobspec::Issue& issue,
                       const std::string& file,
                       bool is_fault) {
  const std::string words = jobspec::format_issue(issue, file, context.language);
  return is_fault ? plain(words) : say::issue_is_warning({.issue = words});
}

void print_issues(Context& context, const jobspec::ReadResult& read, const std::string& file) {
  if (!read.ok()) context.exit = kUsage;
  if (context.json) {
    json::array issues;
    for (const jobspec::Issue& issue : all_issues(read)) issues.push_back(to_json(issue));
    std::puts(json::serialize(json::object{{"ok", read.ok()}, {"issues", issues}}).c_str());
    return;
  }
  for (const jobspec::Issue& issue : all_issues(read)) {
    context.note(issue_in_words(context, issue, file, issue.severity == jobspec::Severity::Error));
  }
}

}  // namespace ty::cli
