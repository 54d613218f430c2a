#include "net/impl/message_parser.h"

#include <boost/beast/http/error.hpp>

namespace ty::net {

namespace http = beast::http;

namespace {

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::Get;
    case http::verb::head:
      return Method::Head;
    case http::verb::post:
      return Method::Post;
    case http::verb::put:
      return Method::Put;
    case http::verb::patch:
      return Method::Patch;
    case http::verb::delete_:
      return Method::Delete;
    case http::verb::options:
      return Method::Options;
    default:
      return Method::Other;
  }
}

}  // namespace

RequestParser::RequestParser(Request& request) : request_(request) {
  request_.headers.clear();
  request_.route = nullptr;
  request_.route_values.clear();
  request_.content_length.reset();
}

void RequestParser::on_request_impl(http::verb verb,
                                    beast::string_view,
                                    beast::string_view target,
                                    int version,
                                    beast::error_code&) {
  request_.method = method_of(verb);
  version_ = version;
  if (verb == http::verb::options && target == "*") target = "/";
  target_fault_ = net::parse_target(std_view(target), request_.target);
}

void RequestParser::on_field_impl(http::field,
                                  beast::string_view name,
                                  beast::string_view value,
                                  beast::error_code&) {
  // Trailers of a chunked body arrive here too; a handler that runs already must not see its
  // headers change.
  if (is_header_done()) return;
  request_.headers.add(std_view(name), std_view(value));
}

Result<void> RequestParser::check() const {
  if (!target_fault_) return target_fault_;
  const std::size_t hosts = request_.headers.count("Host");
  if (hosts > 1 || (hosts == 0 && version_ == 11)) {
    return fail(Errc::Invalid,
                hosts == 0 ? "the Host field is missing" : "there is more than one Host field");
  }
  // Beast takes an unknown transfer coding for "no body" and one before `chunked` for part of the
  // body; a proxy before us might not, and the two would disagree on where the next request begins.
  const std::size_t codings = request_.headers.count("Transfer-Encoding");
  if (codings > 1 ||
      (codings == 1 &&
       (version_ == 10 ||
        !same_text_ignoring_case(request_.headers.get("Transfer-Encoding"), "chunked")))) {
    return fail(Errc::Invalid, "the only transfer coding understood is chunked, in HTTP/1.1");
  }
  return {};
}

void ResponseParser::on_response_impl(int code, beast::string_view, int, beast::error_code&) {
  status_ = code;
  headers_.clear();
}

void ResponseParser::on_field_impl(http::field,
                                   beast::string_view name,
                                   beast::string_view value,
                                   beast::error_code&) {
  if (is_header_done()) return;
  headers_.add(std_view(name), std_view(value));
}

std::string explain(const beast::error_code& ec) {
  if (ec == http::error::bad_method) return "the request line does not begin with a method";
  if (ec == http::error::bad_target)
    return "the request target holds characters that must be percent-encoded";
  if (ec == http::error::bad_version)
    return "the request line does not end in HTTP/1.1 or HTTP/1.0";
  if (ec == http::error::bad_field) return "a header field has a malformed name";
  if (ec == http::error::bad_value) return "a header field has a malformed value";
  if (ec == http::error::bad_line_ending) return "a header line does not end in CR LF";
  if (ec == http::error::bad_content_length)
    return "Content-Length is malformed or stands beside Transfer-Encoding";
  if (ec == http::error::multiple_content_length)
    return "there are several Content-Length fields that differ";
  if (ec == http::error::bad_transfer_encoding)
    return "Transfer-Encoding is malformed or stands beside Content-Length";
  if (ec == http::error::bad_chunk || ec == http::error::bad_chunk_extension)
    return "a chunk of the body is malformed";
  if (ec == http::error::bad_obs_fold) return "a header field is folded over several lines";
  return "this is not HTTP: " + ec.message();
}

}  // namespace ty::net
