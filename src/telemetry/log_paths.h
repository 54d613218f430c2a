#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "model/job.h"

/// Where logs lie. `X` is the task's bytes, `X.idx` the index beside it; some time after the end
/// both are replaced by `X.zst` and `X.idx.zst`. Whoever names a log names `X`; readers find what
/// is there.
namespace ty::telemetry {

/// `DIR/logs`
std::string logs_root(std::string_view data_dir);
/// `DIR/logs/ab/JOB`, where `ab` are the first two characters of the job id.
std::string job_logs_dir(std::string_view data_dir, const JobId& job);
/// `DIR/logs/ab/JOB/A.ROLE.I.T.log`: attempt, role by position, index, try; all from 0.
std::string log_path(std::string_view data_dir, const model::TaskKey& key);

/// The inverse, for the last two parts of a path: `JOB` and `A.ROLE.I.T.log`. Null for foreign
/// files.
std::optional<model::TaskKey> parse_log_name(std::string_view job_dir, std::string_view file_name);

inline std::string index_path(std::string_view log) { return std::string(log) + ".idx"; }
inline std::string compressed_path(std::string_view path) { return std::string(path) + ".zst"; }

}  // namespace ty::telemetry
