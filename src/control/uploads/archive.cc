#include "control/uploads/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/text.h"
#include "control/messages.h"

namespace ty::control {

namespace {

namespace fs = std::filesystem;

struct CloseRead {
  void operator()(archive* a) const { archive_read_free(a); }
};
struct CloseWrite {
  void operator()(archive* a) const { archive_write_free(a); }
};

/// The entry's place below the folder, or nothing when it would be outside.
Result<fs::path> place_of(std::string_view name) {
  const fs::path path(name);
  if (path.is_absolute())
    return fail(Errc::Unprocessable, say::archive_name_absolute({.entry = shorten(name)}));
  for (const fs::path& part : path) {
    if (part == "..")
      return fail(Errc::Unprocessable, say::archive_name_leads_out({.entry = shorten(name)}));
  }
  return path.lexically_normal();
}

Result<void> check_link(const fs::path& at, std::string_view target, bool hard) {
  const fs::path to(target);
  if (to.is_absolute())
    return fail(Errc::Unprocessable, say::archive_link_absolute({.entry = shorten(at.string())}));
  // A hard link names an entry of the archive; a symbolic one starts from where it lies.
  const fs::path reached = (hard ? to : at.parent_path() / to).lexically_normal();
  if (!reached.empty() && *reached.begin() == "..")
    return fail(Errc::Unprocessable, say::archive_link_leads_out({.entry = shorten(at.string())}));
  return {};
}

Result<void> check_entry(archive_entry* entry, const fs::path& at) {
  const char* hard = archive_entry_hardlink(entry);
  if (hard != nullptr) return check_link(at, hard, true);
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
    case AE_IFDIR:
      return {};
    case AE_IFLNK:
      return check_link(at, archive_entry_symlink(entry), false);
    default:
      return fail(Errc::Unprocessable, say::archive_entry_odd({.entry = shorten(at.string())}));
  }
}

/// libarchive's words name files by their place on this machine; a caller knows them by their place
/// in the archive.
std::string why_not_written(archive* to, const std::string& into) {
  const char* given = archive_error_string(to);
  std::string why = given != nullptr ? given : "";
  const std::string root = into + "/";
  for (std::size_t at = why.find(root); at != std::string::npos; at = why.find(root, at))
    why.erase(at, root.size());
  return why;
}

/// Whose fault a file is that could not be written: this machine's, or that of an archive with
/// entries that cannot stand beside each other (a folder where a file is, a way through a link).
Errc write_errc(archive* to) {
  switch (const int code = archive_errno(to)) {
    case EIO:
    case EROFS:
    case EACCES:
    case EPERM:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return Errc::Unavailable;
    default:
      return disk_errc(code, Errc::Unprocessable);
  }
}

Result<std::int64_t> copy_data(archive* from,
                               archive* to,
                               const std::string& into,
                               std::int64_t allowed) {
  std::int64_t bytes = 0;
  for (;;) {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int rc = archive_read_data_block(from, &block, &size, &offset);
    if (rc == ARCHIVE_EOF) return bytes;
    if (rc < ARCHIVE_WARN)
      return fail(Errc::Invalid, say::archive_damaged({.why = archive_error_string(from)}));
    // By where it ends: holes cost no disk here, but whoever copies the file pays for them.
    bytes = std::max(bytes, offset + static_cast<std::int64_t>(size));
    if (bytes > allowed)
      return fail(Errc::Unprocessable, say::archive_unpacks_too_large({.limit = allowed}));
    if (archive_write_data_block(to, block, size, offset) < ARCHIVE_WARN) {
      return fail(write_errc(to), say::cannot_unpack({.why = why_not_written(to, into)}));
    }
  }
}

}  // namespace

Result<Unpacked> unpack(const std::string& path,
                        const std::string& into,
                        const ArchiveLimits& limits) {
  const std::unique_ptr<archive, CloseRead> from(archive_read_new());
  archive_read_support_format_tar(from.get());
  archive_read_support_format_gnutar(from.get());
  archive_read_support_format_zip(from.get());
  archive_read_support_filter_gzip(from.get());
  archive_read_support_filter_zstd(from.get());
  if (archive_read_open_filename(from.get(), path.c_str(), 256 * 1024) != ARCHIVE_OK) {
    return fail(Errc::Invalid, say::not_an_archive());
  }
  const std::unique_ptr<archive, CloseWrite> to(archive_write_disk_new());
  archive_write_disk_set_options(to.get(),
                                 ARCHIVE_EXTRACT_PERM | ARCHIVE_EXTRACT_TIME |
                                     ARCHIVE_EXTRACT_SECURE_SYMLINKS |
                                     ARCHIVE_EXTRACT_SECURE_NODOTDOT);
  std::error_code ec;
  fs::create_directories(into, ec);
  if (ec) {
    return fail(disk_errc(ec.value()),
                say::server_folder_not_made({.path = into, .why = ec.message()}));
  }

  Unpacked done;
  for (archive_entry* entry = nullptr;;) {
    const int rc = archive_read_next_header(from.get(), &entry);
    if (rc == ARCHIVE_EOF) break;
    if (rc < ARCHIVE_WARN) {
      return fail(Errc::Invalid,
                  say::not_an_archive_because({.why = archive_error_string(from.get())}));
    }
    const char* given = archive_entry_pathname(entry);
    if (given == nullptr) return fail(Errc::Unprocessable, say::archive_name_not_text());
    const std::string name = given;  // the entry's own goes when it is given another below
    TY_TRY(const fs::path at, place_of(name));
    TY_DO(check_entry(entry, at));
    if (archive_entry_size(entry) > limits.bytes - done.bytes) {
      return fail(Errc::Unprocessable, say::archive_unpacks_too_large({.limit = limits.bytes}));
    }
    if (++done.files > limits.files) {
      return fail(Errc::Unprocessable, say::archive_too_many_files({.limit = limits.files}));
    }
    archive_entry_set_pathname(entry, (fs::path(into) / at).c_str());
    if (const char* hard = archive_entry_hardlink(entry)) {
      archive_entry_set_hardlink(entry, (fs::path(into) / hard).c_str());
    }
    // Set-id bits and owners of another machine mean nothing here.
    archive_entry_set_perm(entry, static_cast<__LA_MODE_T>(archive_entry_perm(entry) & 0777));
    if (archive_write_header(to.get(), entry) < ARCHIVE_WARN) {
      return fail(write_errc(to.get()),
                  say::cannot_unpack_entry(
                      {.entry = shorten(name), .why = why_not_written(to.get(), into)}));
    }
    TY_TRY(const std::int64_t bytes,
           copy_data(from.get(), to.get(), into, limits.bytes - done.bytes));
    done.bytes += bytes;
    if (archive_write_finish_entry(to.get()) < ARCHIVE_WARN) {
      return fail(write_errc(to.get()),
                  say::cannot_unpack_entry(
                      {.entry = shorten(name), .why = why_not_written(to.get(), into)}));
    }
  }
  return done;
}

}  // namespace ty::control
