#include "control/account_name.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "control/messages.h"

namespace ty::control {

namespace {

constexpr std::size_t kLongestName = 64;

bool is_account_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::isalnum(static_cast<unsigned char>(name.front())) &&
         std::ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) || c == '_' || c == '.' || c == '-';
         });
}

std::unexpected<Error> refuse_name(Message why) {
  return fail(Errc::Invalid,
              std::move(why),
              {{"/name", say::account_name_rule({.most = kLongestName}), "pattern"}});
}

}  // namespace

Result<void> check_user_name(std::string_view name) {
  if (is_account_name(name)) return {};
  return refuse_name(say::not_a_user_name({.name = shorten(name)}));
}

Result<void> check_workspace_name(std::string_view name) {
  if (is_account_name(name)) return {};
  return refuse_name(say::not_a_workspace_name({.name = shorten(name)}));
}

}  // namespace ty::control
