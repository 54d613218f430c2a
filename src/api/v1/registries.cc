#include "api/v1/encode/registries.h"

#include "api/body.h"
#include "api/context.h"
#include "api/json_reader.h"
#include "api/query_reader.h"
#include "api/v1/encode/answer.h"
#include "api/v1/handlers.h"
#include "control/registries/registry_service.h"

/// /registries
namespace ty::api::v1 {

namespace asio = boost::asio;

Answer list_registries(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const auto logins, co_await context.services.registries.list(call.who));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("registries").array();
    for (const control::RegistryView& login : logins) write_registry(out, login);
    out.end_array().end_object();
  });
}

Answer set_registry(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  control::NewRegistryLogin login;
  login.server = std::string(call.request.param("server"));
  std::string password;
  std::string workspace;
  JsonReader reader(body);
  reader.req("username", login.username).req("password", password).opt("workspace", workspace);
  TY_CO_DO(reader.done());
  login.password = Secret(std::move(password));
  TY_CO_DO(
      co_await context.services.registries.set(call.who, std::move(workspace), std::move(login)));
  co_return net::empty_response(204);
}

Answer delete_registry(Context& context, Call& call) {
  std::string workspace;
  TY_CO_DO(QueryReader(call.request).opt("workspace", workspace).done());
  TY_CO_DO(co_await context.services.registries.remove(
      call.who, std::move(workspace), std::string(call.request.param("server"))));
  co_return net::empty_response(204);
}

}  // namespace ty::api::v1
