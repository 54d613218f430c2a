#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

#include "base/ids.h"
#include "cli/context.h"
#include "cli/follow.h"
#include "cli/job_file.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/pack.h"
#include "client/job_upload.h"
#include "client/said.h"

namespace ty::cli {

namespace {

struct SubmitOptions {
  std::string file;
  std::string code;
  std::vector<std::string> params;
  std::string dialect;
  bool follow = false;
  bool dry_run = false;
  std::string key;
};

/// Removes what was packed, however the command ends.
struct PackedFiles {
  std::vector<client::Upload> uploads;
  ~PackedFiles() {
    for (const auto& upload : uploads) ::unlink(upload.file.c_str());
  }
};

void tell_packed(const Context& context, const std::string& folder, const Packed& packed) {
  if (context.json) return;
  context.note(say::code_packed({.folder = folder, .files = packed.files, .size = packed.bytes}));
}

/// The code that was named on the command line: a folder is packed, an archive goes as it is.
Result<client::Upload> code_upload(const Context& context,
                                   const std::string& path,
                                   PackedFiles& packed) {
  std::error_code ec;
  if (std::filesystem::is_regular_file(path, ec)) return client::Upload{"code", path};
  TY_TRY(const Packed one, pack_folder(path));
  packed.uploads.push_back({.name = "code", .file = one.file});
  tell_packed(context, path, one);
  return packed.uploads.back();
}

Result<void> pack_sources(const Context& context,
                          const jobspec::ReadResult& read,
                          const std::string& beside,
                          bool has_code,
                          PackedFiles& packed) {
  std::set<std::string> sources;
  for (const jobspec::ReadJob& job : read.jobs) {
    for (const model::RoleSpec& role : job.spec.roles) {
      for (const model::Mount& mount : role.mounts) {
        if (has_code && mount.kind == model::MountKind::Code) continue;
        if (mount.source.starts_with("local:")) sources.insert(mount.source.substr(6));
      }
    }
  }
  for (const std::string& source : sources) {
    const std::string folder = (std::filesystem::path(beside) / source).lexically_normal().string();
    TY_TRY(const Packed one, pack_folder(folder));
    packed.uploads.push_back({.name = source, .file = one.file});
    tell_packed(context, source, one);
  }
  return {};
}

void print_warnings(const Context& context, const client::Submitted& job, const std::string& file) {
  for (const client::Issue& warning : job.warnings) {
    context.note(say::warning_at({.file = file,
                                  .line = warning.line,
                                  .column = warning.column,
                                  .path = warning.path,
                                  .what = client::said(warning.says, warning.message)}));
  }
}

void submit_job(Context& context, const SubmitOptions& options) {
  const Result<std::string> job_file = read_job_file(options.file);
  if (!job_file) return context.say(job_file.error());
  // Read here first: faults show without a server, and the folders to pack become known.
  const jobspec::ReadResult read = read_locally(*job_file, options.dialect, options.params);
  if (!read.ok()) {
    print_issues(context, read, options.file);
    return;
  }
  client::ApiClient* api = context.api();
  if (api == nullptr) return;
  PackedFiles packed;
  const std::string beside =
      options.file == "-" ? "." : std::filesystem::path(options.file).parent_path().string();
  std::vector<client::Upload> uploads;
  if (!options.code.empty()) {
    auto code = code_upload(context, options.code, packed);
    if (!code) return context.say(code.error());
    if (packed.uploads.empty()) uploads.push_back(*std::move(code));
  }
  if (auto done = pack_sources(context, read, beside, !options.code.empty(), packed); !done)
    return context.say(done.error());
  uploads.insert(uploads.end(), packed.uploads.begin(), packed.uploads.end());

  const Result<client::Payload> body = client::job_upload(*job_file, uploads);
  if (!body) return context.say(body.error());
  // Ours when the user has none: an answer lost on the way does not make a second job when we ask
  // again.
  const client::SubmitJobOptions wanted{
      .dry_run = options.dry_run,
      .format = given(options.dialect),
      .param = options.params,
      .idempotency_key = options.key.empty() ? "cli-" + random_hex(16) : options.key};
  auto answer = api->submit_job(*body, wanted);
  if (!answer && answer.error().code == Errc::Unavailable) answer = api->submit_job(*body, wanted);
  if (!answer) return context.say(answer.error());

  if (!options.follow && context.print_json(answer->json)) return;
  if (!context.json) print_warnings(context, *answer, options.file);
  std::vector<client::Submitted> jobs = answer->jobs;
  if (jobs.empty()) jobs.push_back(*answer);
  for (const client::Submitted& job : jobs) {
    if (options.dry_run) {
      context.print(joined(
          say::would_be_submitted({.file = options.file, .name = job.name}),
          job.forecast ? client::said(job.forecast->text_says, job.forecast->text) : Message{}));
    } else {
      std::fprintf(
          options.follow ? stderr : stdout, "%s  %s\n", job.id.c_str(), job.handle.c_str());
    }
  }
  if (!options.follow || options.dry_run) return;
  for (const client::Submitted& job : jobs) {
    const int code = follow_job(context, {.job = job.id, .announce = true, .query = {}});
    if (context.exit == kOk) context.exit = code;
  }
}

}  // namespace

void add_submit(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("submit", "Submit a job file, in any dialect");
  auto options = std::make_shared<SubmitOptions>();
  command->add_option("FILE", options->file, "The job file; - reads standard input")->required();
  command->add_option("CODE",
                      options->code,
                      "Code for the job: a folder or an archive, if the file does not give it");
  command->add_flag("-f,--follow",
                    options->follow,
                    "Follow the log until the job has ended, and exit with its code");
  command
      ->add_option(
          "-p,--param", options->params, "Value of ${{ NAME }}; NAME=A,B makes one job per value")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--dialect,--format", options->dialect, "The file's dialect; detected by default")
      ->type_name("DIALECT");
  command->add_flag("--dry-run", options->dry_run, "Only check the job against the server's rules");
  command
      ->add_option("--idempotency-key",
                   options->key,
                   "Submitting again with the same key returns the same job")
      ->type_name("KEY");
  add_output_flag(*command, context);
  command->footer(
      "Examples:\n  trainyard submit train.yaml --follow\n  trainyard submit sweep.yaml -p "
      "lr=0.1,0.01,0.001");
  command->callback([&context, options] { submit_job(context, *options); });
}

}  // namespace ty::cli
