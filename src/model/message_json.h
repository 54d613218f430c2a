#pragma once
#include <boost/json/fwd.hpp>

#include "base/message.h"

namespace ty::model {

/// What append_json() wrote. A sentence that an older version stored as text stays as it is; what
/// is neither says nothing.
Message message_from_json(const boost::json::value& json);

}  // namespace ty::model
