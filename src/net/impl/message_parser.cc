#include "net/impl/message_parser.h"

#include <boost/beast/http/error.hpp>

#include "net/messages.h"

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
    return fail(Errc::Invalid, hosts == 0 ? say::host_missing() : say::host_twice());
  }
  // Beast takes an unknown transfer coding for "no body" and one before `chunked` for part of the
  // body; a proxy before us might not, and the two would disagree on where the next request begins.
  const std::size_t codings = request_.headers.count("Transfer-Encoding");
  if (codings > 1 ||
      (codings == 1 &&
       (version_ == 10 ||
        !same_text_ignoring_case(request_.headers.get("Transfer-Encoding"), "chunked")))) {
    return fail(Errc::Invalid, say::transfer_coding_unknown());
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

Message explain(const beast::error_code& ec) {
  if (ec == http::error::bad_method) return say::request_line_without_method();
  if (ec == http::error::bad_target) return say::target_not_encoded();
  if (ec == http::error::bad_version) return say::request_line_version();
  if (ec == http::error::bad_field) return say::field_name_malformed();
  if (ec == http::error::bad_value) return say::field_value_malformed();
  if (ec == http::error::bad_line_ending) return say::line_without_crlf();
  if (ec == http::error::bad_content_length) return say::content_length_malformed();
  if (ec == http::error::multiple_content_length) return say::content_lengths_differ();
  if (ec == http::error::bad_transfer_encoding) return say::transfer_encoding_malformed();
  if (ec == http::error::bad_chunk || ec == http::error::bad_chunk_extension)
    return say::chunk_malformed();
  if (ec == http::error::bad_obs_fold) return say::folded_field();
  return say::not_http({.why = ec.message()});
}

}  // namespace ty::net
