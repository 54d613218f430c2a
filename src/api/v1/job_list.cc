#include "api/context.h"
#include "api/query_reader.h"
#include "api/v1/encode/answer.h"
#include "api/v1/encode/jobs.h"
#include "api/v1/handlers.h"
#include "model/words.h"

/// GET /jobs, /jobs/counts
namespace ty::api::v1 {

namespace asio = boost::asio;

namespace {

struct ListQuery {
  model::JobQuery jobs;
  std::string workspace;
  std::string owner;
};

/// One of the words of an enumeration, or a fault that lists them.
template <class E>
std::optional<E> word(QueryReader& reader, std::string_view name, std::string_view text) {
  const std::optional<E> value = model::from_word<E>(text);
  if (!value) reader.not_among(name, text, model::words<E>());
  return value;
}

Result<ListQuery> read_list_query(const net::Request& request) {
  ListQuery query;
  QueryReader reader(request);
  std::vector<std::string> states;
  std::string label;
  std::string dialect;
  std::string sort;
  std::int64_t limit = query.jobs.limit;
  reader.list("state", states)
      .opt("owner", query.owner)
      .opt("workspace", query.workspace)
      .opt("name", query.jobs.name_part)
      .opt("label", label)
      .opt("dialect", dialect)
      .opt("created_from", query.jobs.created_from)
      .opt("created_to", query.jobs.created_to)
      .opt("sort", sort)
      .opt("limit", limit, 1, 500)
      .opt("cursor", query.jobs.cursor);
  query.jobs.limit = static_cast<int>(limit);
  for (const std::string& state : states) {
    if (const auto known = word<model::JobState>(reader, "state", state))
      query.jobs.states.push_back(*known);
  }
  if (!dialect.empty()) query.jobs.dialect = word<model::Dialect>(reader, "dialect", dialect);
  if (!sort.empty())
    query.jobs.sort = word<model::JobSort>(reader, "sort", sort).value_or(query.jobs.sort);
  if (!label.empty()) {
    const std::size_t equals = label.find('=');
    query.jobs.label.emplace(label.substr(0, equals), std::nullopt);
    if (equals != std::string::npos) query.jobs.label->second = label.substr(equals + 1);
  }
  TY_DO(reader.done());
  return query;
}

}  // namespace

Answer list_jobs(Context& context, Call& call) {
  TY_CO_TRY(ListQuery query, read_list_query(call.request));
  TY_CO_TRY(
      const model::JobPage page,
      co_await context.services.jobs.list(
          call.who, std::move(query.jobs), std::move(query.workspace), std::move(query.owner)));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("jobs").array();
    for (const model::Job& job : page.jobs) write_summary(out, job);
    out.end_array().field("next_cursor", page.next_cursor).end_object();
  });
}

Answer count_jobs(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(auto by_state, co_await context.services.jobs.counts(call.who));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("states").object();
    for (int i = 0; i <= static_cast<int>(model::JobState::Cancelled); ++i) {
      const auto state = static_cast<model::JobState>(i);
      out.field(model::to_word(state), by_state[state]);
    }
    out.end_object().end_object();
  });
}

}  // namespace ty::api::v1
