#include "client/job_upload.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/ids.h"
#include "client/messages.h"

namespace ty::client {

Result<Payload> job_upload(std::string_view job_file, const std::vector<Upload>& uploads) {
  if (uploads.empty()) return Payload{.type = "application/yaml", .parts = {std::string(job_file)}};
  const std::string boundary = "trainyard-" + random_hex(16);
  Payload body{.type = "multipart/form-data; boundary=" + boundary, .parts = {}};
  const auto head = [&](std::string_view name, std::string_view file) {
    return fmt::format(
        "--{}\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\n\r\n",
        boundary,
        name,
        file);
  };
  body.parts.emplace_back(head("job", "job.yaml") + std::string(job_file) + "\r\n");
  for (const Upload& upload : uploads) {
    std::error_code ec;
    const auto size = std::filesystem::file_size(upload.file, ec);
    if (ec)
      return fail(Errc::Internal,
                  say::upload_unreadable({.path = upload.file, .why = ec.message()}));
    body.parts.emplace_back(head(upload.name, "code.tar.zst"));
    body.parts.emplace_back(net::FilePart{.path = upload.file, .size = size});
    body.parts.emplace_back("\r\n");
  }
  body.parts.emplace_back(fmt::format("--{}--\r\n", boundary));
  return body;
}

}  // namespace ty::client
