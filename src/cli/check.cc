#include <boost/json.hpp>
#include <cstdio>

#include "cli/context.h"
#include "cli/job_file.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "jobspec/print.h"
#include "model/spec_json.h"
#include "model/words.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

struct CheckOptions {
  std::vector<std::string> files;
  std::vector<std::string> params;
  std::string dialect;
};

json::object as_json(const std::string& file, const jobspec::ReadResult& read) {
  json::array jobs;
  json::array issues;
  for (const jobspec::Issue& issue : all_issues(read)) issues.push_back(to_json(issue));
  for (const jobspec::ReadJob& job : read.jobs)
    jobs.push_back(json::parse(model::to_json(job.spec)));
  json::object out{{"file", file}, {"ok", read.ok()}, {"jobs", jobs}, {"issues", issues}};
  out["dialect"] = read.dialect ? json::value(model::to_word(*read.dialect)) : json::value(nullptr);
  return out;
}

void check_file(Context& context, const CheckOptions& options) {
  for (const std::string& file : options.files) {
    const Result<std::string> job_file = read_job_file(file);
    if (!job_file) {
      context.say(job_file.error());
      continue;
    }
    const jobspec::ReadResult read = read_locally(*job_file, options.dialect, options.params);
    if (!read.ok()) context.exit = kUsage;
    if (context.json) {
      std::puts(json::serialize(as_json(file, read)).c_str());
      continue;
    }
    print_issues(context, read, file);
    if (!read.ok()) continue;
    std::printf("# %s: %s\n", file.c_str(), context.words(jobspec::title(*read.dialect)).c_str());
    for (std::size_t i = 0; i < read.jobs.size(); ++i) {
      if (i > 0) std::puts("---");
      std::fputs(jobspec::print_native(read.jobs[i].spec).c_str(), stdout);
    }
  }
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "check", "Check job files: print the job each one means, or all its faults; needs no server");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("FILE", options->files, "Job files; - reads standard input")->required();
  command->add_option("-p,--param", options->params, "A value for ${{ NAME }}")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--dialect,--format", options->dialect, "The file's dialect; detected by default")
      ->type_name("DIALECT");
  command->add_flag_callback("--json", [&context] { context.json = true; }, "Same as -o json");
  add_output_flag(*command, context);
  command->footer("Exit code 0: all files are valid. 2: at least one is not.");
  command->callback([&context, options] { check_file(context, *options); });

  CLI::App* schema =
      app.add_subcommand("schema", "Print the JSON Schema of a job file dialect, for editors");
  auto dialect = std::make_shared<std::string>("native");
  schema->add_option("DIALECT", *dialect, "native by default");
  schema->callback([&context, dialect] {
    const auto named = jobspec::dialect_named(*dialect);
    const auto text = named ? jobspec::json_schema(*named) : std::nullopt;
    if (text)
      std::fputs(text->c_str(), stdout);
    else
      context.say(Error{Errc::Invalid,
                        say::no_schema_of_dialect(
                            {.dialect = *dialect, .choices = model::words<model::Dialect>()}),
                        {}});
  });
}

}  // namespace ty::cli
