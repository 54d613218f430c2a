#include "control/uploads/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <memory>
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
    return fail(Errc::Invalid, say::archive_name_absolute({.entry = shorten(name)}));
  for (const fs::path& part : path) {
    if (part == "..")
      return fail(Errc::Invalid, say::archive_name_leads_out({.entry = shorten(name)}));
  }
  return path.lexically_normal();
}

Result<void> check_link(const fs::path& at, std::string_view target, bool hard) {
  const fs::path to(target);
  if (to.is_absolute())
    return fail(Errc::Invalid, say::archive_link_absolute({.entry = shorten(at.string())}));
  // A hard link names an entry of the archive; a symbolic one starts from where it lies.
  const fs::path reached = (hard ? to : at.parent_path() / to).lexically_normal();
  if (!reached.empty() && *reached.begin() == "..")
    return fail(Errc::Invalid, say::archive_link_leads_out({.entry = shorten(at.string())}));
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
      return fail(Errc::Invalid, say::archive_entry_odd({.entry = shorten(at.string())}));
  }
}

Result<std::int64_t> copy_data(archive* from, archive* to, std::int64_t allowed) {
  std::int64_t bytes = 0;
  for (;;) {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int rc = archive_read_data_block(from, &block, &size, &offset);
    if (rc == ARCHIVE_EOF) return bytes;
    if (rc < ARCHIVE_WARN)
      return fail(Errc::Invalid, say::archive_damaged({.why = archive_error_string(from)}));
    bytes += static_cast<std::int64_t>(size);
    if (bytes > allowed)
      return fail(Errc::TooLarge, say::archive_unpacks_too_large({.limit = allowed}));
    if (archive_write_data_block(to, block, size, offset) < ARCHIVE_WARN) {
      return fail(disk_errc(archive_errno(to)),
                  say::cannot_unpack({.why = archive_error_string(to)}));
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
    const char* name = archive_entry_pathname(entry);
    if (name == nullptr) return fail(Errc::Invalid, say::archive_name_not_text());
    TY_TRY(const fs::path at, place_of(name));
    TY_DO(check_entry(entry, at));
    if (++done.files > limits.files) {
      return fail(Errc::TooLarge, say::archive_too_many_files({.limit = limits.files}));
    }
    archive_entry_set_pathname(entry, (fs::path(into) / at).c_str());
    if (const char* hard = archive_entry_hardlink(entry)) {
      archive_entry_set_hardlink(entry, (fs::path(into) / hard).c_str());
    }
    // Set-id bits and owners of another machine mean nothing here.
    archive_entry_set_perm(entry, static_cast<__LA_MODE_T>(archive_entry_perm(entry) & 0777));
    if (archive_write_header(to.get(), entry) < ARCHIVE_WARN) {
      return fail(disk_errc(archive_errno(to.get())),
                  say::cannot_unpack_entry({.entry = name, .why = archive_error_string(to.get())}));
    }
    TY_TRY(const std::int64_t bytes, copy_data(from.get(), to.get(), limits.bytes - done.bytes));
    done.bytes += bytes;
    if (archive_write_finish_entry(to.get()) < ARCHIVE_WARN) {
      return fail(disk_errc(archive_errno(to.get())),
                  say::cannot_unpack_entry({.entry = name, .why = archive_error_string(to.get())}));
    }
  }
  return done;
}

}  // namespace ty::control
