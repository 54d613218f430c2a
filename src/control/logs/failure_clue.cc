#include "control/logs/log_service.h"
#include "model/log_clue.h"

/// LogService: what a failed task wrote last, read for its cause.
namespace ty::control {

namespace asio = boost::asio;

namespace {

/// A traceback of a distributed job is long; whatever came before it is not about the end.
constexpr std::uint64_t kLines = 200;

}  // namespace

asio::awaitable<Result<std::optional<FailureClue>>> LogService::clue(auth::Principal who,
                                                                     std::string job) {
  TY_CO_TRY(const JobLogs logs, co_await find(who, job));
  const model::Decision& decision = logs.job.life.decision;
  const bool is_known_task = decision.task || logs.job.tasks_total == 1;
  if (!decision.exit_code || !is_known_task) co_return std::nullopt;
  LogLinesQuery query;
  query.place.task = logs.label(decision.task.value_or(model::TaskRef{}));
  query.count = kLines;
  TY_CO_TRY(LogLines last, co_await lines(std::move(who), std::move(job), std::move(query)));

  std::vector<std::string> texts;
  texts.reserve(last.lines.size());
  for (LogLine& line : last.lines) texts.push_back(std::move(line.text));
  const std::optional<model::LogClue> found = model::find_clue(texts);
  if (!found) co_return std::nullopt;
  co_return FailureClue{.task = std::move(last.task),
                        .line = last.first + found->line,
                        .said = std::move(texts[found->line]),
                        .code = found->code,
                        .text = found->text};
}

}  // namespace ty::control
