#include "jobspec/convert.h"

#include <algorithm>

#include "jobspec/print.h"

namespace ty::jobspec {

Converted convert(std::string_view text, const ReadOptions& options, model::Dialect to) {
  Converted out{.read = read(text, options)};
  if (!out.read.ok()) return out;
  if (out.read.dialect == to && options.params.empty()) {
    out.text = text;
    out.complete = true;
    return out;
  }
  out.complete = true;
  for (const ReadJob& job : out.read.jobs) {
    Printed printed = print(job.spec, to);
    if (!out.text.empty()) out.text += "---\n";
    out.text += printed.text;
    out.complete = out.complete && printed.complete();
    for (Issue& issue : printed.issues) {
      if (std::ranges::find(out.issues, issue) == out.issues.end())
        out.issues.push_back(std::move(issue));
    }
  }
  return out;
}

}  // namespace ty::jobspec
