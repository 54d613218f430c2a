#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string_view>

#include "base/message.h"
#include "client/generated/records.h"

namespace ty::client {

/// What the server said, as a value that can be worded in any language. Where this program does not
/// know the code, or one within it, it is the English sentence that came along: a server of another
/// version may say more.
Message said(const boost::json::value& says, std::string_view english);
Message said(const std::optional<Says>& says, std::string_view english);
Message said(const Statement& statement);
Message said(const WhyClue& clue);

}  // namespace ty::client
