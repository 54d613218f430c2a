#include "api/site/pack.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>

#include "api/messages.h"
#include "base/text.h"

extern "C" {
extern const char ty_page_pack_begin[];
extern const char ty_page_pack_end[];
}

namespace ty::api::site {

namespace {

constexpr std::string_view kFirstLine = "trainyard-page 1";

/// Takes one line off the front; the line break goes too.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view take_field(std::string_view& line) {
  const std::size_t end = std::min(line.find('\t'), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

bool read_size(std::string_view text, std::size_t& into) {
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), into);
  return ec == std::errc{} && end == text.data() + text.size();
}

struct Sizes {
  std::size_t brotli = 0;
  std::size_t gzip = 0;
};

}  // namespace

Result<std::string> PageFile::plain() const {
  std::string out(size, '\0');
  z_stream stream{};
  // 15 bits of window, and 16 for "with a gzip header".
  if (inflateInit2(&stream, 15 + 16) != Z_OK)
    return fail(Errc::Internal, say::zlib_did_not_start());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int ended = inflate(&stream, Z_FINISH);
  const bool whole = ended == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  if (!whole) return fail(Errc::Internal, say::packed_file_damaged({.file = name}));
  return out;
}

Result<PagePack> PagePack::read(std::string_view bytes) {
  const auto damaged = [] { return fail(Errc::Internal, say::packed_page_damaged()); };
  if (take_line(bytes) != kFirstLine) return damaged();
  PagePack pack;
  std::vector<Sizes> sizes;
  for (std::string_view line; !(line = take_line(bytes)).empty();) {
    PageFile file{.name = take_field(line), .type = take_field(line)};
    Sizes& wanted = sizes.emplace_back();
    if (!read_size(take_field(line), file.size) || !read_size(take_field(line), wanted.brotli) ||
        !read_size(take_field(line), wanted.gzip))
      return damaged();
    pack.files_.push_back(file);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].brotli > bytes.size() || sizes[i].gzip > bytes.size() - sizes[i].brotli)
      return damaged();
    pack.files_[i].brotli = bytes.substr(0, sizes[i].brotli);
    pack.files_[i].gzip = bytes.substr(sizes[i].brotli, sizes[i].gzip);
    bytes.remove_prefix(sizes[i].brotli + sizes[i].gzip);
  }
  if (!bytes.empty()) return damaged();
  std::ranges::sort(pack.files_, {}, &PageFile::name);
  return pack;
}

const PageFile* PagePack::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(files_, name, {}, &PageFile::name);
  return found != files_.end() && found->name == name ? &*found : nullptr;
}

const PagePack& page_pack() {
  static const PagePack pack = [] {
    const auto size = static_cast<std::size_t>(ty_page_pack_end - ty_page_pack_begin);
    Result<PagePack> read = PagePack::read({ty_page_pack_begin, size});
    TY_CHECK(read.has_value(), "the build packs a page that can be read");
    return *std::move(read);
  }();
  return pack;
}

}  // namespace ty::api::site
