#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/message.h"
#include "jobspec/impl/tree.h"
#include "model/job_spec.h"

namespace ty::jobspec {

/// Which dialect a document is (job-model §3): the tree decides, not its file name. All rules are
/// evaluated; exactly one must hold.
struct Detection {
  std::optional<model::Dialect> dialect;
  std::string code;  ///< otherwise: why not,
  Message message;   ///< in words,
  Ref at;            ///< and where
};
Detection detect(Ref top);

/// `this is an unrendered template …` when the text looks like one, for files that are no YAML
/// because of it.
std::optional<std::size_t> find_template_mark(std::string_view source);

}  // namespace ty::jobspec
