#include "jobspec/convert.h"

#include <boost/json.hpp>
#include <cstdio>

#include "cli/context.h"
#include "cli/job_file.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "jobspec/print.h"
#include "model/words.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

struct ConvertOptions {
  std::string file;
  std::string to;
  std::vector<std::string> params;
  std::string dialect;
  bool lossy = false;
  bool strict = false;
};

void convert_file(Context& context, const ConvertOptions& options) {
  const auto to = jobspec::dialect_named(options.to);
  if (!to) {
    context.say(
        Error{Errc::Invalid,
              say::dialect_flag_unknown(
                  {.flag = "--to", .word = options.to, .choices = model::words<model::Dialect>()}),
              {}});
    return;
  }
  const Result<std::string> job_file = read_job_file(options.file);
  if (!job_file) {
    context.say(job_file.error());
    return;
  }
  const Result<jobspec::ReadOptions> read = local_options(options.dialect, options.params);
  if (!read) {
    context.say(read.error());
    return;
  }
  const jobspec::Converted converted = jobspec::convert(*job_file, *read, *to);
  const bool good = converted.read.ok() && (converted.complete || options.lossy) &&
                    (converted.issues.empty() || !options.strict);
  if (!good) context.exit = kUsage;
  if (context.json) {
    json::array issues;
    for (const jobspec::Issue& issue : all_issues(converted.read)) issues.push_back(to_json(issue));
    for (const jobspec::Issue& issue : converted.issues) issues.push_back(to_json(issue));
    const auto dialect = converted.read.dialect;
    std::puts(json::serialize(
                  json::object{
                      {"ok", good},
                      {"dialect", dialect ? json::value(model::to_word(*dialect)) : json::value()},
                      {"to", model::to_word(*to)},
                      {"text", good ? json::value(converted.text) : json::value()},
                      {"issues", issues}})
                  .c_str());
    return;
  }
  print_issues(context, converted.read, options.file);
  for (const jobspec::Issue& issue : converted.issues) {
    const bool error = issue.severity == jobspec::Severity::Error && !options.lossy;
    context.note(issue_in_words(context, issue, options.file, error));
  }
  if (good) {
    std::fputs(converted.text.c_str(), stdout);
  } else if (converted.read.ok()) {
    context.note(options.strict ? say::not_written_strict() : say::not_written_lossy());
  }
}

}  // namespace

void add_convert(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "convert", "Convert a job file to another dialect, and list what cannot be converted");
  auto options = std::make_shared<ConvertOptions>();
  command->add_option("FILE", options->file, "Job file; - reads standard input")->required();
  command
      ->add_option("--to",
                   options->to,
                   "native, openpai-v1, openpai-v2, ffdl, gpu-manager, volcano or pumpkin")
      ->type_name("DIALECT")
      ->required();
  command->add_option("-p,--param", options->params, "Value of a parameter of the file")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--dialect,--format", options->dialect, "The file's dialect; detected by default")
      ->type_name("DIALECT");
  command->add_flag(
      "--lossy", options->lossy, "Write it even if the converted job could end differently");
  command->add_flag(
      "--strict", options->strict, "Write nothing unless everything converts unchanged");
  add_output_flag(*command, context);
  command->footer(
      "The new file goes to standard output, what cannot be converted to standard error.\n"
      "Exit code 0: written. 2: the file has faults, or too much would be lost.");
  command->callback([&context, options] { convert_file(context, *options); });
}

}  // namespace ty::cli
