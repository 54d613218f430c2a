#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

/// Files in Result's words. Everything retries on EINTR.
namespace ty::telemetry {

/// What errno says about `path`: NotFound, Exhausted (no space), Forbidden, else Unavailable.
Error file_error(std::string_view doing, std::string_view path);

Result<Fd> open_file(const std::string& path, int flags, int mode = 0640);
Result<std::uint64_t> file_size(int fd, std::string_view path);
/// Fewer bytes than asked for only at the end of the file.
Result<std::size_t> read_file_at(int fd,
                                 std::uint64_t offset,
                                 std::span<char> buffer,
                                 std::string_view path);
Result<void> write_all(int fd, std::string_view bytes, std::string_view path);
Result<void> sync_file(int fd, std::string_view path);
/// So that a rename or an unlink in the folder of `path` survives a power cut.
Result<void> sync_folder_of(const std::string& path);
Result<void> rename_file(const std::string& from, const std::string& to);
/// Fine when it is not there.
Result<void> remove_file(const std::string& path);
Result<void> make_folders(const std::string& folder);

}  // namespace ty::telemetry
