#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "api/context.h"
#include "api/messages.h"
#include "api/query_reader.h"
#include "api/v1/encode/answer.h"
#include "api/v1/encode/submitted.h"
#include "api/v1/handlers.h"
#include "base/fd.h"
#include "base/text.h"
#include "jobspec/print.h"
#include "model/spec_json.h"
#include "model/words.h"
#include "net/multipart.h"

/// POST /jobs, /check, /convert
namespace ty::api::v1 {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kMaxJobFile = 1 << 20;
constexpr std::size_t kUploadPiece = 1 << 20;

struct FileOptions {
  std::optional<model::Dialect> dialect;
  std::map<std::string, std::string> params;
};

void read_file_options(QueryReader& reader, FileOptions& options) {
  std::string format;
  std::vector<std::string> params;
  reader.opt("format", format).all("param", params);
  if (!format.empty()) {
    options.dialect = jobspec::dialect_named(format);
    if (!options.dialect) reader.not_among("format", format, model::words<model::Dialect>());
  }
  for (const std::string& param : params) {
    const std::size_t equals = param.find('=');
    if (equals == std::string::npos || equals == 0)
      reader.wrong("param", say::parameter_without_name({.value = shorten(param)}));
    else
      options.params[param.substr(0, equals)] = param.substr(equals + 1);
  }
}

Error too_large_job_file(Error error) {
  if (error.code != Errc::TooLarge) return error;
  error.message = say::job_file_too_large();
  return error;
}

asio::awaitable<Result<std::string>> read_job_file(net::Request& request) {
  Result<std::string> body = co_await read_body(request, kMaxJobFile);
  if (!body) co_return std::unexpected(too_large_job_file(std::move(body).error()));
  co_return body;
}

/// A job file and the archives that came with it.
struct Form {
  std::string job_file;
  std::string media_type;
  std::map<std::string, std::string> uploads;  ///< by the name of their part
};

/// Collects one part in a file of the server's, off the connection's thread.
asio::awaitable<Result<void>> write_part(Context& context,
                                         net::MultipartReader& reader,
                                         std::string path,
                                         std::string part) {
  const auto limit = static_cast<std::uint64_t>(context.services.config.http.max_upload);
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (fd.get() < 0)
    co_return fail(Errc::Internal,
                   say::cannot_open_upload({.path = path, .why = std::strerror(errno)}));
  std::string piece;
  std::uint64_t size = 0;
  for (bool more = true; more;) {
    TY_CO_TRY(const std::string_view bytes, co_await reader.read_some());
    more = !bytes.empty();
    size += bytes.size();
    if (size > limit) {
      co_return fail(Errc::TooLarge,
                     say::archive_too_large({.name = shorten(part), .limit = limit}));
    }
    piece += bytes;
    if (piece.size() < kUploadPiece && more) continue;
    auto write = [&piece, fd = fd.get()]() -> Result<void> {
      std::string_view left = piece;
      while (!left.empty()) {
        const ssize_t written = ::write(fd, left.data(), left.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0)
          return fail(disk_errc(errno), say::archive_not_stored({.why = std::strerror(errno)}));
        left.remove_prefix(static_cast<std::size_t>(written));
      }
      return {};
    };
    TY_CO_DO(co_await context.files.run(std::move(write)));
    piece.clear();
  }
  co_return Result<void>{};
}

asio::awaitable<Result<Form>> read_form(Context& context, Call& call) {
  control::JobService& jobs = context.services.jobs;
  TY_CO_TRY(net::MultipartReader reader, net::MultipartReader::open(call.request));
  Form form;
  bool has_job = false;
  for (;;) {
    TY_CO_TRY(const std::optional<net::PartHead> part, co_await reader.next_part());
    if (!part) break;
    if (part->name == "job") {
      Result<std::string> text = co_await reader.read_all(kMaxJobFile);
      if (!text) co_return std::unexpected(too_large_job_file(std::move(text).error()));
      form.job_file = *std::move(text);
      form.media_type = part->content_type;
      has_job = true;
      continue;
    }
    if (part->name.empty()) co_return fail(Errc::Invalid, say::part_without_name());
    TY_CO_TRY(std::string file, jobs.new_upload());
    Result<void> written = co_await write_part(context, reader, file, part->name);
    if (!written) {
      jobs.discard_upload(file);
      co_return std::unexpected(std::move(written).error());
    }
    Result<std::string> kept = co_await jobs.keep_upload(call.who, std::move(file));
    if (!kept)
      co_return std::unexpected(
          std::move(kept).error().with_context(say::in_part({.name = shorten(part->name)})));
    form.uploads[part->name] = *std::move(kept);
  }
  if (!has_job) co_return fail(Errc::Invalid, say::form_without_job());
  co_return form;
}

}  // namespace

Answer submit_job(Context& context, Call& call) {
  control::SubmitRequest submit{.who = call.who};
  FileOptions options;
  QueryReader reader(call.request);
  reader.opt("dry_run", submit.dry_run);
  read_file_options(reader, options);
  TY_CO_DO(reader.done());
  submit.dialect = options.dialect;
  submit.params = options.params;
  submit.idempotency_key = call.request.headers.get("Idempotency-Key");
  constexpr std::size_t longest_key = 255;
  if (submit.idempotency_key.size() > longest_key)
    co_return fail(Errc::Invalid, say::idempotency_key_too_long({.most = longest_key}));

  submit.media_type = call.request.headers.get("Content-Type");
  if (net::is_multipart(submit.media_type)) {
    TY_CO_TRY(Form form, co_await read_form(context, call));
    submit.body = std::move(form.job_file);
    submit.media_type = std::move(form.media_type);
    submit.uploads = std::move(form.uploads);
  } else {
    TY_CO_TRY(submit.body, co_await read_job_file(call.request));
  }
  const bool dry_run = submit.dry_run;
  TY_CO_TRY(const std::vector<control::Submitted> jobs,
            co_await context.services.jobs.submit(std::move(submit)));
  const bool stored = !dry_run && !jobs.front().repeated;
  net::Response response =
      json(stored ? 201 : 200, [&](JsonWriter& out) { write_submitted(out, jobs); });
  if (!dry_run)
    response.headers.add("Location", fmt::format("/api/v1/jobs/{}", jobs.front().id.str()));
  co_return response;
}

Answer check_job_file(Context& context, Call& call) {
  FileOptions options;
  QueryReader reader(call.request);
  read_file_options(reader, options);
  TY_CO_DO(reader.done());
  TY_CO_TRY(const std::string body, co_await read_job_file(call.request));
  auto check = [&] { return context.services.jobs.check(body, options.dialect, options.params); };
  const jobspec::ReadResult read = co_await context.files.run(std::move(check));
  co_return json(200, [&](JsonWriter& out) {
    std::optional<std::string_view> dialect;
    if (read.dialect) dialect = model::to_word(*read.dialect);
    out.object().field("ok", read.ok()).field("dialect", dialect).key("jobs").array();
    for (const jobspec::ReadJob& job : read.jobs) out.raw(model::to_json(job.spec));
    out.end_array().key("issues").array();
    for (const jobspec::Issue& issue : read.errors) write_issue(out, issue);
    for (const jobspec::ReadJob& job : read.jobs) {
      for (const jobspec::Issue& issue : job.warnings) write_issue(out, issue);
    }
    out.end_array().end_object();
  });
}

Answer convert_job_file(Context& context, Call& call) {
  FileOptions options;
  std::string to_word;
  bool lossy = false;
  QueryReader reader(call.request);
  reader.opt("to", to_word).opt("lossy", lossy);
  read_file_options(reader, options);
  const auto to = jobspec::dialect_named(to_word);
  if (!to) reader.not_among("to", to_word, model::words<model::Dialect>());
  TY_CO_DO(reader.done());
  TY_CO_TRY(const std::string body, co_await read_job_file(call.request));
  auto work = [&] {
    return context.services.jobs.convert(body, options.dialect, options.params, *to);
  };
  const jobspec::Converted converted = co_await context.files.run(std::move(work));
  const bool good = converted.read.ok() && (converted.complete || lossy);
  co_return json(200, [&](JsonWriter& out) {
    std::optional<std::string_view> dialect, text;
    if (converted.read.dialect) dialect = model::to_word(*converted.read.dialect);
    if (good) text = converted.text;
    out.object().field("ok", good).field("dialect", dialect).field("to", model::to_word(*to));
    out.field("text", text).key("issues").array();
    for (const jobspec::Issue& issue : converted.read.errors) write_issue(out, issue);
    for (const jobspec::ReadJob& job : converted.read.jobs) {
      for (const jobspec::Issue& issue : job.warnings) write_issue(out, issue);
    }
    for (const jobspec::Issue& issue : converted.issues) write_issue(out, issue);
    out.end_array().end_object();
  });
}

}  // namespace ty::api::v1
