#pragma once
#include <boost/json/value.hpp>

#include "base/message.h"

namespace ty::control {

/// What a value of a document is, for `expected an object, got text`.
Message json_kind(const boost::json::value& value);

}  // namespace ty::control
