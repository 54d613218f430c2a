#pragma once
#include <string>
#include <string_view>

#include "api/json_writer.h"
#include "model/job.h"
#include "model/job_spec.h"
#include "model/words.h"

namespace ty::api::v1 {

/// `worker-1`
std::string task_name(const model::JobSpec& spec, model::TaskRef task);

void write_task(JsonWriter& out, const model::JobSpec& spec, const model::Task& task);
void write_try(JsonWriter& out, const model::JobSpec& spec, int attempt, const model::Task& task);

/// The word of a reason or a class of failure; empty when there is none.
template <class E>
std::string_view word_or_empty(E value) {
  return value == E::None ? std::string_view() : model::to_word(value);
}

}  // namespace ty::api::v1
