#pragma once
#include <utility>

#include "api/json_writer.h"
#include "net/http.h"

/// From our nouns to the contract's. Every file here is about one resource, and every `write_X`
/// writes one JSON value: the schema X of contract/openapi.yaml.
namespace ty::api::v1 {

/// A whole answer of one value: `json(200, [&](JsonWriter& out) { write_summary(out, job); })`.
template <class Write>
net::Response json(int status, Write write) {
  JsonWriter out;
  write(out);
  return net::json_response(status, std::move(out).finish());
}

}  // namespace ty::api::v1
