#pragma once
#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "model/job_spec.h"

/// Documents as JSON objects that printers fill in order, and their texts.
namespace ty::jobspec {

/// Puts the keys that the reader did not know back where they stood. Only those of lists and maps
/// that are there.
void return_unknown(boost::json::object& document, const model::JobSpec& spec);

/// As people write it: one key per line, short lists of words inline, texts of several lines as
/// blocks. Reads back as the same tree.
std::string to_block_yaml(const boost::json::object& document);
/// Of one line of JSON, digits of numbers as they are.
std::string json_to_block_yaml(std::string_view json);
/// Indented by two blanks.
std::string to_pretty_json(const boost::json::object& document);

}  // namespace ty::jobspec
