#include "store/impl/driver.h"

namespace ty::store {

namespace {
/// Texts are written in the program, so there are few; lists of filters make some more.
constexpr std::size_t kMostTexts = 400;
}  // namespace

Result<std::unique_ptr<Statement>> Connection::take(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    TY_TRY(auto statement, prepare(sql));
    if (statements_.size() >= kMostTexts) return statement;  // has no home: ends after use
    found = statements_.try_emplace(std::string(sql)).first;
    statement->home = &found->second;
    return statement;
  }
  Statement::Home& home = found->second;
  if (home.empty()) {
    TY_TRY(auto statement, prepare(sql));
    statement->home = &home;
    return statement;
  }
  std::unique_ptr<Statement> statement = std::move(home.back());
  home.pop_back();
  return statement;
}

void Connection::give_back(std::unique_ptr<Statement> statement) {
  statement->reset();
  if (Statement::Home* home = statement->home) home->push_back(std::move(statement));
}

}  // namespace ty::store
