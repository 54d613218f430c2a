#include "control/json_kind.h"

#include "control/messages.h"

namespace ty::control {

namespace json = boost::json;

Message json_kind(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      break;
    case json::kind::bool_:
      return say::a_boolean();
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return say::a_number();
    case json::kind::string:
      return say::json_text();
    case json::kind::array:
      return say::json_list();
    case json::kind::object:
      return say::an_object();
  }
  return plain("null");
}

}  // namespace ty::control
