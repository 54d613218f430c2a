#pragma once
#include <string_view>

#include "jobspec/native/fields.h"

/// What the tables of fields.cc and objects.cc have in common.
namespace ty::jobspec::native {

inline constexpr std::string_view kText = R"({"type":"string"})";
inline constexpr std::string_view kFlag = R"({"type":"boolean"})";
inline constexpr std::string_view kDuration = R"({"$ref":"#/definitions/duration"})";
inline constexpr std::string_view kSource = R"({"$ref":"#/definitions/source"})";
inline constexpr std::string_view kCount = R"({"type":"integer","minimum":0})";

/// Keys of inner maps belong to their map; there the level says nothing.
inline constexpr Level J = Level::Job;

}  // namespace ty::jobspec::native
