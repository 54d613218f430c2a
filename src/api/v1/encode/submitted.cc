#include "api/v1/encode/submitted.h"

#include "api/v1/encode/why.h"

namespace ty::api::v1 {

namespace {

void write_one_submitted(JsonWriter& out, const control::Submitted& job) {
  out.field("id", job.id.str())
      .field("name", job.name)
      .field("handle", job.handle)
      .key("warnings")
      .array();
  for (const jobspec::Issue& issue : job.warnings) write_issue(out, issue);
  out.end_array();
  if (job.forecast) {
    out.key("forecast").object();
    write_forecast_fields(out, *job.forecast);
    out.end_object();
  }
}

}  // namespace

void write_submitted(JsonWriter& out, const std::vector<control::Submitted>& jobs) {
  out.object();
  write_one_submitted(out, jobs.front());
  if (jobs.size() > 1) {
    out.key("jobs").array();
    for (const control::Submitted& job : jobs) {
      out.object();
      write_one_submitted(out, job);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
}

void write_issue(JsonWriter& out, const jobspec::Issue& issue) {
  out.object()
      .field("severity", issue.severity == jobspec::Severity::Error ? "error" : "warning")
      .field("code", issue.code)
      .field("pointer", issue.pointer)
      .field("path", issue.path)
      .field("line", issue.line)
      .field("column", issue.column)
      .field("message", issue.message)
      .end_object();
}

}  // namespace ty::api::v1
