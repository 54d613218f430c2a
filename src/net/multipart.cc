#include "net/multipart.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids.h"
#include "base/text.h"
#include "net/messages.h"

namespace ty::net {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kMaxHead = std::size_t{8} * 1024;
constexpr int kMaxParts = 64;
constexpr std::size_t kMaxBoundary = 70;

std::unexpected<Error> malformed(Message why) {
  return fail(Errc::Invalid, say::multipart_malformed({.why = std::move(why)}));
}

/// The value of `name=value` or `name="value"` among the parameters after the first `;`. Quoted
/// values may hold backslash escapes.
std::optional<std::string> parameter(std::string_view field, std::string_view name) {
  std::size_t at = std::min(field.find(';'), field.size());
  while (at < field.size()) {
    ++at;  // the semicolon
    const std::size_t equals = field.find_first_of("=;", at);
    if (equals == std::string_view::npos || field[equals] == ';') {
      at = std::min(equals, field.size());
      continue;
    }
    const std::string_view key = trim(field.substr(at, equals - at));
    at = equals + 1;
    std::string value;
    while (at < field.size() && field[at] == ' ') ++at;
    if (at < field.size() && field[at] == '"') {
      for (++at; at < field.size() && field[at] != '"'; ++at) {
        // Browsers send file names of Windows with plain backslashes; only a quote or backslash is
        // ever escaped.
        if (field[at] == '\\' && at + 1 < field.size() &&
            (field[at + 1] == '"' || field[at + 1] == '\\'))
          ++at;
        value += field[at];
      }
      at = std::min(field.find(';', at), field.size());
    } else {
      const std::size_t end = std::min(field.find(';', at), field.size());
      value = trim(field.substr(at, end - at));
      at = end;
    }
    if (same_text_ignoring_case(key, name)) return value;
  }
  return std::nullopt;
}

/// A file's name as a name: never a path into somewhere.
std::string bare_name(std::string name) {
  const std::size_t slash = name.find_last_of("/\\");
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

}  // namespace

bool is_multipart(std::string_view content_type) {
  return same_text_ignoring_case(trim(content_type.substr(0, content_type.find(';'))),
                                 "multipart/form-data");
}

Result<std::string> multipart_boundary(std::string_view content_type) {
  if (!is_multipart(content_type)) return fail(Errc::Invalid, say::not_multipart());
  auto boundary = parameter(content_type, "boundary");
  if (!boundary || boundary->empty()) return fail(Errc::Invalid, say::no_boundary());
  if (boundary->size() > kMaxBoundary)
    return fail(Errc::Invalid, say::boundary_too_long({.limit = kMaxBoundary}));
  return *std::move(boundary);
}

MultipartParser::MultipartParser(std::string boundary) : delimiter_("\r\n--" + boundary) {
  // As if a line had just ended: the first delimiter then looks like all the others.
  buffer_ = "\r\n";
}

void MultipartParser::feed(std::string_view bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_ += bytes;
}

Result<MultipartParser::Event> MultipartParser::next() {
  for (;;) {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    switch (state_) {
      case State::Preamble: {
        const std::size_t found = rest.find(delimiter_);
        if (found == std::string_view::npos) {
          at_ += rest.size() - std::min(rest.size(), delimiter_.size() - 1);
          if (ended_) return malformed(say::boundary_never_appears());
          return Event{};
        }
        at_ += found + delimiter_.size();
        state_ = State::AfterDelimiter;
        break;
      }
      case State::AfterDelimiter: {
        // `--` ends the body; otherwise blanks may follow, then the line ends.
        if (rest.starts_with("--")) {
          state_ = State::Epilogue;
          break;
        }
        const std::size_t end = rest.find_first_not_of(" \t");
        const std::string_view line_end = end == std::string_view::npos ? "" : rest.substr(end);
        if (line_end.starts_with("\r\n")) {
          at_ += end + 2;
          state_ = State::Head;
          break;
        }
        const bool may_come = line_end.empty() || line_end == "\r" || rest == "-";
        if (!may_come || rest.size() > kMaxHead) return malformed(say::boundary_line_goes_on());
        if (ended_) return malformed(say::ends_after_boundary());
        return Event{};
      }
      case State::Head:
        return read_head();
      case State::Body:
        return read_body();
      case State::Epilogue:
        at_ = buffer_.size();
        return Event{.what = What::End};
    }
  }
}

Result<MultipartParser::Event> MultipartParser::read_head() {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  // A head may be empty: then its first line is the blank one.
  const std::size_t end = rest.starts_with("\r\n") ? 0 : rest.find("\r\n\r\n");
  if (end == std::string_view::npos || (end == 0 && rest.size() < 2)) {
    if (rest.size() > kMaxHead) return malformed(say::part_header_too_large({.limit = kMaxHead}));
    if (ended_) return malformed(say::ends_in_part_header());
    return Event{};
  }
  if (end > kMaxHead) return malformed(say::part_header_too_large({.limit = kMaxHead}));
  if (++parts_ > kMaxParts) return malformed(say::too_many_parts({.limit = kMaxParts}));
  part_ = {};
  std::string_view head = rest.substr(0, end);
  while (!head.empty()) {
    const std::size_t line_end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, line_end);
    head.remove_prefix(std::min(line_end + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return malformed(say::part_header_without_colon());
    const std::string_view name = trim(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (same_text_ignoring_case(name, "Content-Disposition")) {
      part_.name = parameter(value, "name").value_or("");
      part_.filename = bare_name(parameter(value, "filename").value_or(""));
    } else if (same_text_ignoring_case(name, "Content-Type")) {
      part_.content_type = value;
    }
  }
  at_ += end == 0 ? 2 : end + 4;
  state_ = State::Body;
  return Event{.what = What::PartBegin};
}

Result<MultipartParser::Event> MultipartParser::read_body() {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  const std::size_t found = rest.find(delimiter_);
  if (found == 0) {
    at_ += delimiter_.size();
    state_ = State::AfterDelimiter;
    return Event{.what = What::PartEnd};
  }
  // Without a delimiter in sight, all but what may be the beginning of one is data.
  const std::size_t sure = found != std::string_view::npos
                               ? found
                               : rest.size() - std::min(rest.size(), delimiter_.size() - 1);
  if (sure > 0) {
    at_ += sure;
    return Event{.what = What::Data, .data = rest.substr(0, sure)};
  }
  if (ended_) return malformed(say::ends_in_part());
  return Event{};
}

MultipartReader::MultipartReader(Request& request, std::string boundary)
    : request_(&request), parser_(std::move(boundary)) {}

Result<MultipartReader> MultipartReader::open(Request& request) {
  TY_TRY(auto boundary, multipart_boundary(request.headers.get("Content-Type")));
  return MultipartReader(request, std::move(boundary));
}

asio::awaitable<Result<MultipartParser::Event>> MultipartReader::next_event() {
  for (;;) {
    TY_CO_TRY(const auto event, parser_.next());
    if (event.what != MultipartParser::What::NeedMore) co_return event;
    TY_CO_TRY(const std::string_view bytes, co_await request_->read_some());
    if (bytes.empty()) {
      parser_.feed_end();
    } else {
      parser_.feed(bytes);
    }
  }
}

asio::awaitable<Result<std::optional<PartHead>>> MultipartReader::next_part() {
  for (;;) {
    TY_CO_TRY(const auto event, co_await next_event());
    if (event.what == MultipartParser::What::PartBegin) {
      in_part_ = true;
      co_return parser_.part();
    }
    if (event.what == MultipartParser::What::End) {
      // What follows the last delimiter means nothing, but it must be read for the connection to go
      // on.
      for (;;) {
        TY_CO_TRY(const std::string_view bytes, co_await request_->read_some());
        if (bytes.empty()) co_return std::optional<PartHead>{};
      }
    }
  }
}

asio::awaitable<Result<std::string_view>> MultipartReader::read_some() {
  if (!in_part_) co_return std::string_view{};
  TY_CO_TRY(const auto event, co_await next_event());
  if (event.what == MultipartParser::What::Data) co_return event.data;
  in_part_ = false;
  co_return std::string_view{};
}

asio::awaitable<Result<std::string>> MultipartReader::read_all(std::uint64_t limit) {
  std::string whole;
  for (;;) {
    TY_CO_TRY(const std::string_view piece, co_await read_some());
    if (piece.empty()) co_return whole;
    if (whole.size() + piece.size() > limit) {
      co_return fail(Errc::TooLarge,
                     say::part_too_large({.name = shorten(parser_.part().name), .limit = limit}));
    }
    whole += piece;
  }
}

MultipartForm::MultipartForm() : boundary_("trainyard-" + random_hex(16)) {}

namespace {

std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c != '\r' && c != '\n') out += c;
  }
  return out;
}

}  // namespace

void MultipartForm::add_text(std::string_view name,
                             std::string text,
                             std::string_view content_type) {
  std::string head = fmt::format(
      "--{}\r\nContent-Disposition: form-data; name=\"{}\"\r\n", boundary_, quoted(name));
  if (!content_type.empty()) head += fmt::format("Content-Type: {}\r\n", content_type);
  parts_.emplace_back(head + "\r\n" + text + "\r\n");
}

void MultipartForm::add_file(std::string_view name, std::string_view filename, FilePart file) {
  parts_.emplace_back(
      fmt::format("--{}\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\n"
                  "Content-Type: application/octet-stream\r\n\r\n",
                  boundary_,
                  quoted(name),
                  quoted(filename)));
  parts_.emplace_back(std::move(file));
  parts_.emplace_back("\r\n");
}

std::string MultipartForm::content_type() const {
  return "multipart/form-data; boundary=" + boundary_;
}

std::vector<BodyPart> MultipartForm::finish() {
  parts_.emplace_back("--" + boundary_ + "--\r\n");
  return std::move(parts_);
}

}  // namespace ty::net
