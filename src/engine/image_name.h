#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

/// Names of images as people write them, `registry.example.org:5000/team/train:1`. Pure.
namespace ty::engine {

struct ImageName {
  std::string registry;  ///< as `registry_name` writes it
  std::string path;      ///< `team/train`; empty where the image is named by its id alone
  std::string tag;       ///< empty: none
  std::string digest;    ///< `sha256:…`; empty: none
};

/// Exactly what registries and daemons take for a name: whatever else stands in it (`?`, `#`, `..`,
/// control characters) is Invalid, in words for the author of the job.
Result<ImageName> parse_image_name(std::string_view text);

/// Which registry keeps an image: `python` is `docker.io/library/python:latest`. Of a text that is
/// no name, what stands where the registry would.
std::string registry_of(std::string_view image);

/// `https://Index.Docker.io/v1/` is `docker.io`: one word for what images, people and files of
/// logins call the same registry.
std::string registry_name(std::string_view text);

}  // namespace ty::engine
