#include "jobspec/impl/sources.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "jobspec/impl/limits.h"
#include "jobspec/messages.h"

namespace ty::jobspec {
namespace {

bool is_local(std::string_view text) {
  return text == "." || text == ".." || text.starts_with("./") || text.starts_with("../");
}

/// Ends in `.git` or `.git@ref`.
bool is_git(std::string_view text) {
  const std::size_t at = text.rfind(".git");
  if (at == std::string_view::npos || at == 0) return false;
  const std::string_view tail = text.substr(at + 4);
  return tail.empty() || (tail.size() > 1 && tail.front() == '@');
}

bool is_word(std::string_view text) {
  const auto letter = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80;
  };
  return !text.empty() && letter(static_cast<unsigned char>(text.front())) &&
         std::ranges::all_of(text, [&](unsigned char c) {
           return letter(c) || c == '_' || c == '-' || c == '.' || c == '@' || c == '/';
         });
}

bool climbs(std::string_view path) {
  const auto steps = split(path, '/');
  return std::ranges::find(steps, "..") != steps.end();
}

}  // namespace

Parsed<std::string> resolve_source(std::string_view text,
                                   std::string_view kind,
                                   const ReadOptions& options) {
  if (text.size() > limits::kPathBytes) {
    return refuse("range", say::too_many_bytes({.size = text.size(), .most = limits::kPathBytes}));
  }
  const auto no_source = [&] {
    return refuse("source", say::invalid_source({.value = in_quotes(text)}));
  };
  const bool control =
      std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (text.empty() || control) return no_source();

  if (is_local(text) || text.starts_with("local:")) {
    const std::string path(text.starts_with("local:") ? text.substr(6) : text);
    if (const auto uploaded = options.uploads.find(path); uploaded != options.uploads.end())
      return uploaded->second;
    if (options.local_sources == LocalSources::Keep && is_local(path)) return "local:" + path;
    return refuse("local_path", say::on_your_machine({.path = shorten(path)}));
  }
  if (text.starts_with('/') || text.starts_with("host:")) {
    const std::string_view path = text.starts_with('/') ? text : text.substr(5);
    if (!path.starts_with('/'))
      return refuse(
          "source",
          say::path_not_absolute({.path = in_quotes(path), .example = "host:/" + shorten(path)}));
    if (climbs(path)) return refuse("source", say::path_climbs({.path = in_quotes(path)}));
    return "host:" + std::string(path);
  }
  constexpr std::array<std::string_view, 13> kSchemes = {"upload:",
                                                         "https://",
                                                         "http://",
                                                         "s3://",
                                                         "hdfs:",
                                                         "nfs://",
                                                         "storage:",
                                                         "dataset:",
                                                         "algorithm:",
                                                         "model:",
                                                         "volume:",
                                                         "scratch:",
                                                         "memory:"};
  if (text.starts_with("git+")) return std::string(text);
  const bool has_blank = text.find(' ') != std::string_view::npos;
  if (is_git(text) && !has_blank) {
    const bool url = text.find("://") != std::string_view::npos;
    if (url) return "git+" + std::string(text);
    // git@host:team/code.git, the way `git clone` takes it; what begins like one of ours is ours
    const bool ours = std::ranges::any_of(
        kSchemes, [&](std::string_view scheme) { return text.starts_with(scheme); });
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos && !ours) {
      return "git+ssh://" + std::string(text.substr(0, colon)) + "/" +
             std::string(text.substr(colon + 1));
    }
  }
  for (const std::string_view scheme : kSchemes) {
    if (!text.starts_with(scheme)) continue;
    const bool may_be_bare = scheme == "scratch:" || scheme == "memory:";
    if (text.size() == scheme.size() && !may_be_bare) return no_source();
    if (scheme != "https://" && scheme != "http://" && climbs(text.substr(scheme.size()))) {
      return refuse("source", say::path_climbs({.path = in_quotes(text)}));
    }
    return std::string(text);
  }
  if (!is_word(text) || climbs(text)) return no_source();
  return std::string(kind) + ":" + std::string(text);
}

}  // namespace ty::jobspec
