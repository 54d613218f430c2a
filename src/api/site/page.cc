#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/context.h"
#include "api/messages.h"
#include "api/site/face.h"
#include "api/site/handlers.h"
#include "api/site/pack.h"
#include "base/ids.h"

/// The page: its two documents, and the scripts and styles they load.
namespace ty::api::site {

namespace asio = boost::asio;

namespace {

/// A document carries a word that nobody can foresee. Only what is marked by it, or comes from our
/// own files, is run or applied; anything that slipped in beside them is not.
net::Response document(std::string_view name) {
  static const auto text_of = [](std::string_view wanted) {
    const PageFile* file = page_pack().find(wanted);
    TY_CHECK(file != nullptr, "the page has its documents");
    Result<std::string> text = file->plain();
    TY_CHECK(text.has_value(), "the build packs documents that can be unpacked");
    return *std::move(text);
  };
  static const std::string index = text_of("index.html");
  static const std::string sign_in = text_of("signin.html");

  const std::string nonce = random_hex(16);
  std::string html = name == "index.html" ? index : sign_in;
  constexpr std::string_view mark = "@NONCE@";
  for (std::size_t at; (at = html.find(mark)) != std::string::npos;)
    html.replace(at, mark.size(), nonce);
  net::Response response = net::text_response(200, std::move(html), "text/html; charset=utf-8");
  // style-src-attr: the editor places its lines by style attributes; they can load and run nothing.
  response.headers.add(
      "Content-Security-Policy",
      fmt::format("default-src 'none'; script-src 'self' 'nonce-{0}'; style-src 'self' "
                  "'nonce-{0}'; style-src-attr 'unsafe-inline'; connect-src 'self'; worker-src "
                  "'self'; img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; "
                  "form-action 'none'; frame-ancestors 'none'",
                  nonce));
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Referrer-Policy", "no-referrer");
  response.headers.set("Cache-Control", "no-store");
  return response;
}

}  // namespace

Answer show_page(Context&, Call&) { co_return document("index.html"); }
Answer show_sign_in(Context&, Call&) { co_return document("signin.html"); }

Answer show_asset(Context&, Call& call) {
  const net::Headers& asked = call.request.headers;
  const std::string name = "assets/" + std::string(call.request.param("file"));
  const PageFile* file = page_pack().find(name);
  if (file == nullptr) co_return fail(Errc::NotFound, say::page_lacks_file({.file = name}));
  net::Response response;
  response.headers.add("Content-Type", file->type);
  response.headers.add("Vary", "Accept-Encoding");
  response.headers.add("Cache-Control", "public, max-age=31536000, immutable");
  // Browsers ask for Brotli only over TLS and on this very machine; elsewhere gzip has to do.
  if (asked.has_token("Accept-Encoding", "br")) {
    response.headers.add("Content-Encoding", "br");
    response.body = std::string(file->brotli);
  } else if (asked.has_token("Accept-Encoding", "gzip")) {
    response.headers.add("Content-Encoding", "gzip");
    response.body = std::string(file->gzip);
  } else {
    TY_CO_TRY(response.body, file->plain());
  }
  co_return response;
}

namespace {

/// Trees of addresses that programs use: what is not there is not there, whoever asks.
constexpr std::array<std::string_view, 9> kNotForPages = {
    "api", "assets", "schema", "metrics", "rest-server", "v1", "di", "openaiserver", "adminserver"};

}  // namespace

std::optional<net::Response> page_for(const net::Request& request) {
  if (request.method != net::Method::Get && request.method != net::Method::Head)
    return std::nullopt;
  // A browser that is sent somewhere asks for HTML by name; scripts and command lines do not.
  if (request.headers.get("Accept").find("text/html") == std::string_view::npos)
    return std::nullopt;
  if (!request.target.segments.empty() &&
      std::ranges::find(kNotForPages, request.target.segments.front()) != kNotForPages.end())
    return std::nullopt;
  return document("index.html");
}

}  // namespace ty::api::site
