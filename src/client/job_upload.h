#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "client/transport.h"

namespace ty::client {

struct Upload {
  std::string name;  ///< as the job file writes it: `.`, `./src`
  std::string file;  ///< the packed archive
};

/// The body of `submit_job`: the file alone, or with the archives of the folders it names.
Result<Payload> job_upload(std::string_view job_file, const std::vector<Upload>& uploads);

}  // namespace ty::client
