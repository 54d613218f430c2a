#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "jobspec/read.h"

namespace ty::cli {

/// The file's bytes; `-` is standard input.
Result<std::string> read_job_file(const std::string& path);
/// What it means, with folders of this machine kept as `local:…`. A wrong `dialect` or `param` is
/// an error of the result.
jobspec::ReadResult read_locally(const std::string& text,
                                 const std::string& dialect,
                                 const std::vector<std::string>& params);
/// The same wish as options for jobspec.
Result<jobspec::ReadOptions> local_options(const std::string& dialect,
                                           const std::vector<std::string>& params);
/// Errors, then the warnings of each job.
std::vector<jobspec::Issue> all_issues(const jobspec::ReadResult& read);
boost::json::object to_json(const jobspec::Issue& issue);
/// `FILE:LINE:COLUMN: PATH: what is wrong`, marked as a warning where it is none of the faults.
Message issue_in_words(const Context& context,
                       const jobspec::Issue& issue,
                       const std::string& file,
                       bool is_fault);
/// All faults and warnings as FILE:LINE:COLUMN lines on stderr (or as JSON); sets the exit code.
void print_issues(Context& context, const jobspec::ReadResult& read, const std::string& file);

}  // namespace ty::cli
