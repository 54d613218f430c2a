#pragma once
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http.h"
#include "net/http_client.h"

/// multipart/form-data: a job file with a code archive beside it.
namespace ty::net {

struct PartHead {
  std::string name;      ///< of the form field
  std::string filename;  ///< without any folder; empty when not a file
  std::string content_type;
};

/// The `boundary` of a Content-Type, or Invalid with what is wrong with it.
Result<std::string> multipart_boundary(std::string_view content_type);
bool is_multipart(std::string_view content_type);

/// The grammar alone, without I/O: bytes in through `feed`, events out through `next`. Holds back
/// at most one delimiter's length of data.
class MultipartParser {
 public:
  enum class What { NeedMore, PartBegin, Data, PartEnd, End };
  struct Event {
    What what = What::NeedMore;
    std::string_view data;  ///< with Data; valid until the next call
  };

  explicit MultipartParser(std::string boundary);

  /// Only after `next` said NeedMore.
  void feed(std::string_view bytes);
  /// The input has ended; `next` then fails if the last delimiter has not been seen.
  void feed_end() { ended_ = true; }
  Result<Event> next();
  /// Of the part that PartBegin opened.
  const PartHead& part() const { return part_; }

 private:
  enum class State { Preamble, AfterDelimiter, Head, Body, Epilogue };
  Result<Event> read_head();
  Result<Event> read_body();

  std::string delimiter_;  ///< CR LF -- boundary
  std::string buffer_;
  std::size_t at_ = 0;  ///< consumed part of buffer_
  State state_ = State::Preamble;
  PartHead part_;
  int parts_ = 0;
  bool ended_ = false;
};

/// The parts of a request's body, one after the other, without holding any of them.
class MultipartReader {
 public:
  /// Invalid when the request is no multipart/form-data.
  static Result<MultipartReader> open(Request& request);

  /// The next part, after skipping what is left of the one before; nothing at the end.
  boost::asio::awaitable<Result<std::optional<PartHead>>> next_part();
  /// The next piece of the current part; empty at its end. Valid until the next call.
  boost::asio::awaitable<Result<std::string_view>> read_some();
  /// What is left of the current part; TooLarge past `limit`.
  boost::asio::awaitable<Result<std::string>> read_all(std::uint64_t limit);

 private:
  MultipartReader(Request& request, std::string boundary);
  boost::asio::awaitable<Result<MultipartParser::Event>> next_event();

  Request* request_;
  MultipartParser parser_;
  bool in_part_ = false;
};

/// The sending side: parts added, then `finish` makes the body and its Content-Type.
class MultipartForm {
 public:
  MultipartForm();
  void add_text(std::string_view name, std::string text, std::string_view content_type = {});
  void add_file(std::string_view name, std::string_view filename, FilePart file);
  std::string content_type() const;
  std::vector<BodyPart> finish();

 private:
  std::string boundary_;
  std::vector<BodyPart> parts_;
};

}  // namespace ty::net
