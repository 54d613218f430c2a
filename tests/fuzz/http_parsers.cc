// Everything that takes bytes from the network apart. The first byte of an input chooses the
// parser, the second how the rest is cut into pieces: what comes out may not depend on that.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "net/impl/message_parser.h"
#include "net/multipart.h"
#include "net/sse.h"
#include "net/url.h"

using namespace ty;

namespace {

void fuzz_target(std::string_view text) {
  net::Target target;
  if (!net::parse_target(text, target)) return;
  for (const std::string& segment : target.segments) {
    TY_CHECK(!segment.empty() && segment != "." && segment != "..", "a segment is a plain name");
    TY_CHECK(segment.find('\0') == std::string::npos, "no NUL in a path");
    TY_CHECK(invalid_utf8(segment) == std::string::npos, "a path is UTF-8");
    TY_CHECK(net::percent_decode(net::percent_encode(segment)) == segment,
             "encoding is undone by decoding");
  }
  const auto again =
      net::parse_query(net::make_query(target.query).substr(target.query.empty() ? 0 : 1));
  TY_CHECK(again && *again == target.query, "a query that was written is read back");
}

struct Part {
  std::string head;
  std::string data;
  bool operator==(const Part&) const = default;
};

/// The parts, or where it failed; the same for every step.
std::pair<std::vector<Part>, bool> read_form(std::string_view bytes, std::size_t step) {
  net::MultipartParser parser("B");
  std::vector<Part> parts;
  for (;;) {
    const auto event = parser.next();
    if (!event) return {parts, false};
    using What = net::MultipartParser::What;
    switch (event->what) {
      case What::NeedMore: {
        const std::string_view piece = bytes.substr(0, step);
        bytes.remove_prefix(piece.size());
        if (piece.empty()) {
          parser.feed_end();
        } else {
          parser.feed(piece);
        }
        break;
      }
      case What::PartBegin:
        TY_CHECK(parser.part().filename.find('/') == std::string::npos, "a file's name is no path");
        parts.push_back(
            {parser.part().name + "\n" + parser.part().filename + "\n" + parser.part().content_type,
             {}});
        break;
      case What::Data:
        parts.back().data += event->data;
        break;
      case What::PartEnd:
        break;
      case What::End:
        return {parts, true};
    }
  }
}

void fuzz_multipart(std::string_view bytes, std::size_t step) {
  const auto whole = read_form(bytes, bytes.size() + 1);
  const auto cut = read_form(bytes, step);
  TY_CHECK(whole.second == cut.second, "a form is good or not, however it arrives");
  if (whole.second) TY_CHECK(whole.first == cut.first, "a form is the same however it arrives");
}

/// Requests one after the other as a connection reads them: a header, then its body.
void fuzz_requests(std::string_view bytes, std::size_t step) {
  std::string buffer;
  net::Request request;
  for (int n = 0; n < 20; ++n) {
    net::RequestParser parser(request);
    parser.header_limit(4096);
    bool fresh = true;
    while (!parser.is_done()) {
      if (!fresh || buffer.empty()) {
        if (bytes.empty() || buffer.size() > 16'384) return;
        buffer += bytes.substr(0, step);
        bytes.remove_prefix(std::min(step, bytes.size()));
      }
      boost::beast::error_code ec;
      const bool had_header = parser.is_header_done();
      const std::size_t used = parser.feed(buffer, ec);
      if (ec) return;
      TY_CHECK(used <= buffer.size(), "no more is used than is there");
      if (!had_header && parser.is_header_done()) {
        if (!parser.check()) return;
        for (std::size_t i = 0; i < request.headers.size(); ++i) {
          TY_CHECK(request.headers[i].value.find_first_of("\r\n") == std::string_view::npos,
                   "a field is one line");
        }
      }
      buffer.erase(0, used);
      fresh = used > 0;
    }
  }
}

void fuzz_events(std::string_view bytes, std::size_t step) {
  net::SseParser whole;
  whole.feed(bytes);
  std::vector<net::SseEvent> expected;
  while (auto event = whole.next()) expected.push_back(*event);
  net::SseParser cut;
  std::vector<net::SseEvent> seen;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    cut.feed(bytes.substr(at, step));
    while (auto event = cut.next()) seen.push_back(*event);
  }
  TY_CHECK(seen == expected, "events are the same however they arrive");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t step = data[1] % 64 + 1;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  switch (data[0] % 5) {
    case 0:
      fuzz_target(rest);
      break;
    case 1:
      fuzz_multipart(rest, step);
      break;
    case 2:
      fuzz_requests(rest, step);
      break;
    case 3:
      fuzz_events(rest, step);
      break;
    case 4:
      (void)net::multipart_boundary(rest);
      break;
  }
  return 0;
}
