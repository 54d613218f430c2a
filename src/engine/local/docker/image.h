#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/image_name.h"

namespace ty::engine::docker {

/// What an image says about itself, as far as it matters for running it.
struct Image {
  std::string id;
  std::string architecture;  ///< `amd64`, `arm64`, …
  std::string os;
  std::vector<std::string> env;
  std::vector<std::string> entrypoint;
  std::vector<std::string> command;
  std::string workdir;
  std::string user;
  bool has_health_check = false;
};

/// From the answer to `GET /images/NAME/json`.
Result<Image> parse_image(std::string_view json);

/// With a tag: `latest` where it names neither tag nor digest, which Docker would take for "all
/// tags".
std::string with_tag(std::string_view image);
/// Where the daemon tells of it: `/images/python%3A3.12/json`. For names that `parse_image_name`
/// takes; all but the slashes is encoded nevertheless.
std::string image_path(std::string_view image);
/// The architecture of this machine in the words of images.
std::string_view own_architecture();

}  // namespace ty::engine::docker
