#include "api/v1/encode/accounts.h"

#include <charconv>

#include "api/body.h"
#include "api/context.h"
#include "api/messages.h"
#include "api/query_reader.h"
#include "api/v1/encode/answer.h"
#include "api/v1/handlers.h"
#include "api/v1/token.h"
#include "base/text.h"
#include "control/messages.h"

/// Signing in, tokens, users, workspaces.
namespace ty::api::v1 {

namespace asio = boost::asio;

namespace {

std::optional<model::WorkspaceRole> role_from_word(std::string_view word) {
  if (word == "viewer") return model::WorkspaceRole::Viewer;
  if (word == "member") return model::WorkspaceRole::Member;
  if (word == "manager") return model::WorkspaceRole::Manager;
  return std::nullopt;
}

}  // namespace

Answer sign_in(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  std::optional<std::string> user;
  std::optional<Secret> password;
  std::optional<Secret> link;
  JsonReader reader(body);
  reader.opt("user", user).opt("password", password).opt("link", link);
  if (!link && !user) reader.wrong("user", say::missing_user_or_link(), "missing");
  if (!link && user && !password)
    reader.wrong("password", control::say::field_missing(), "missing");
  if (link && user) reader.wrong("link", say::user_or_link(), "two_of");
  TY_CO_DO(reader.done());

  control::SessionService& sessions = context.services.sessions;
  control::SignInFrom from{.address = call.request.peer,
                           .client = std::string(call.request.headers.get("User-Agent")),
                           .device = read_device(call.request)};
  Result<control::SignedIn> signed_in;
  if (link)
    signed_in = co_await sessions.use_link(*std::move(link), std::move(from));
  else
    signed_in = co_await sessions.sign_in(*std::move(user), *std::move(password), std::move(from));
  if (!signed_in) co_return std::unexpected(std::move(signed_in).error());
  net::Response response = json(200, [&](JsonWriter& out) { write_signed_in(out, *signed_in); });
  response.headers.add(
      "Set-Cookie",
      session_cookie(
          call.request, signed_in->token.reveal(), context.services.config.auth.session));
  if (!signed_in->device.empty())
    response.headers.add("Set-Cookie", device_cookie(call.request, signed_in->device.reveal()));
  co_return response;
}

Answer sign_out(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  const auto ended = co_await context.services.sessions.sign_out(call.token);
  // Whoever comes with an access token has no session to end, and is as signed out as can be.
  if (!ended && ended.error().code != Errc::NotFound) co_return std::unexpected(ended.error());
  net::Response response = net::empty_response(204);
  response.headers.add("Set-Cookie", session_cookie(call.request, "", Seconds{0}));
  co_return response;
}

Answer change_password(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  Secret old_password;
  Secret new_password;
  JsonReader reader(body);
  reader.opt("old_password", old_password).req("new_password", new_password);
  TY_CO_DO(reader.done());
  TY_CO_DO(co_await context.services.sessions.change_password(
      call.who, std::move(old_password), std::move(new_password), call.token));
  co_return net::empty_response(204);
}

Answer show_me(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const control::UserView user, co_await context.services.users.me(call.who));
  TY_CO_TRY(const std::vector<control::OwnWorkspace> memberships,
            co_await context.services.workspaces.mine(call.who));
  co_return json(200, [&](JsonWriter& out) { write_me(out, user, call.who, memberships); });
}

Answer list_workspaces(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const std::vector<control::OwnWorkspace> memberships,
            co_await context.services.workspaces.mine(call.who));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("workspaces");
    write_memberships(out, memberships);
    out.end_object();
  });
}

Answer create_workspace(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  std::string name;
  std::string description;
  JsonReader reader(body);
  reader.req("name", name).opt("description", description);
  TY_CO_DO(reader.done());
  TY_CO_TRY(const control::WorkspaceView made,
            co_await context.services.workspaces.create(
                call.who, std::move(name), std::move(description)));
  co_return json(201, [&](JsonWriter& out) { write_workspace(out, made); });
}

Answer delete_workspace(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_DO(co_await context.services.workspaces.remove(call.who,
                                                       std::string(call.request.param("name"))));
  co_return net::empty_response(204);
}

Answer set_workspace_member(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  std::string word;
  JsonReader reader(body);
  reader.req("role", word);
  const std::optional<model::WorkspaceRole> role = role_from_word(word);
  if (!word.empty() && !role) reader.wrong("role", say::expected_workspace_role());
  TY_CO_DO(reader.done());
  TY_CO_DO(
      co_await context.services.workspaces.set_member(call.who,
                                                      std::string(call.request.param("name")),
                                                      std::string(call.request.param("user")),
                                                      role.value_or(model::WorkspaceRole::Member)));
  co_return net::empty_response(204);
}

Answer remove_workspace_member(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_DO(co_await context.services.workspaces.set_member(call.who,
                                                           std::string(call.request.param("name")),
                                                           std::string(call.request.param("user")),
                                                           std::nullopt));
  co_return net::empty_response(204);
}

Answer list_tokens(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const std::vector<control::TokenView> tokens,
            co_await context.services.tokens.list(call.who));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("tokens").array();
    for (const control::TokenView& token : tokens) write_token(out, token);
    out.end_array().end_object();
  });
}

Answer create_token(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  std::string name;
  std::vector<std::string> scopes = {"write"};
  std::optional<std::string> expires_in;
  JsonReader reader(body);
  reader.req("name", name).opt("scopes", scopes).opt("expires_in", expires_in);
  std::optional<Seconds> life;
  if (expires_in) {
    if (const auto parsed = parse_duration(*expires_in))
      life = *parsed;
    else
      reader.wrong("expires_in", parsed.error().message, "duration");
  }
  TY_CO_DO(reader.done());
  TY_CO_TRY(
      const control::NewToken made,
      co_await context.services.tokens.create(call.who, std::move(name), std::move(scopes), life));
  co_return json(201, [&](JsonWriter& out) { write_token(out, made.token, &made.text); });
}

Answer delete_token(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  const std::string_view text = call.request.param("token");
  TokenId token;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), token.value);
  if (ec != std::errc{} || end != text.data() + text.size())
    co_return fail(Errc::NotFound, say::no_such_token_of_yours({.id = shorten(text)}));
  TY_CO_DO(co_await context.services.tokens.remove(call.who, token));
  co_return net::empty_response(204);
}

Answer list_users(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const std::vector<control::UserView> users,
            co_await context.services.users.list(call.who));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("users").array();
    for (const control::UserView& user : users) write_user(out, user);
    out.end_array().end_object();
  });
}

Answer create_user(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  control::NewUser wanted;
  JsonReader reader(body);
  reader.req("name", wanted.name)
      .opt("display_name", wanted.display_name)
      .opt("email", wanted.email)
      .opt("administrator", wanted.administrator);
  TY_CO_DO(reader.done());
  TY_CO_TRY(const auto made, co_await context.services.users.create(call.who, std::move(wanted)));
  const std::string link = auth::sign_in_link(base_url(call.request), made.link);
  co_return json(201, [&](JsonWriter& out) { write_user(out, made.user, &link); });
}

Answer set_user_disabled(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  bool disabled = false;
  JsonReader reader(body);
  TY_CO_DO(reader.req("disabled", disabled).done());
  TY_CO_DO(co_await context.services.users.set_disabled(
      call.who, std::string(call.request.param("name")), disabled));
  co_return net::empty_response(204);
}

Answer make_sign_in_link(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(
      const Secret token,
      co_await context.services.users.make_link(call.who, std::string(call.request.param("name"))));
  co_return json(201, [&](JsonWriter& out) {
    out.object().field("link", auth::sign_in_link(base_url(call.request), token)).end_object();
  });
}

}  // namespace ty::api::v1
