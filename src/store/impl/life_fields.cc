#include "store/impl/life_fields.h"

#include <fmt/format.h>

#include <boost/pfr/tuple_size.hpp>
#include <type_traits>

#include "model/life_json.h"

namespace ty::store {

using model::JobLife;

namespace {

template <class Visit>
constexpr void each_field(Visit visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, kLifeFields);
}

constexpr bool is_listed_once() {
  bool once = true;
  each_field([&](const auto& one) {
    int same = 0;
    each_field([&](const auto& other) {
      if constexpr (std::is_same_v<decltype(one.member), decltype(other.member)>)
        same += one.member == other.member ? 1 : 0;
      same += one.column == other.column ? 1 : 0;
    });
    once = once && same == 2;
  });
  return once;
}

static_assert(
    boost::pfr::tuple_size_v<JobLife> == kLifeColumns + 1,
    "every field of JobLife but `tasks`, which has a table of its own, is in kLifeFields");
static_assert(is_listed_once(), "no field and no column is in kLifeFields twice");

/// Kept as JSON; null where the value says nothing.
template <class T>
constexpr bool kIsJson = std::is_same_v<T, model::Decision> || std::is_same_v<T, model::RetryCount>;

template <class T>
Param to_param(const T& value, std::forward_list<std::string>& texts) {
  if constexpr (kIsJson<T>) {
    if (value == T{}) return std::nullopt;
    texts.push_front(model::to_json(value));
    return Param(texts.front());
  } else {
    return Param(value);
  }
}

Result<void> read_column(const Rows& rows, int column, model::Decision& into) {
  if (rows.is_null(column)) return {};
  TY_TRY(into, model::decision_from_json(rows.text(column)));
  return {};
}

Result<void> read_column(const Rows& rows, int column, model::RetryCount& into) {
  if (rows.is_null(column)) return {};
  TY_TRY(into, model::retry_count_from_json(rows.text(column)));
  return {};
}

template <class T>
Result<void> read_column(const Rows& rows, int column, T& into) {
  into = rows.get<T>(column);
  return {};
}

void separate(std::string& text) {
  if (!text.empty()) text += ", ";
}

}  // namespace

std::string life_columns(std::string_view prefix) {
  std::string text;
  each_field([&](const auto& field) {
    separate(text);
    text.append(prefix).append(field.column);
  });
  return text;
}

std::string life_assignments(bool with_state) {
  std::string text;
  each_field([&](const auto& field) {
    if (field.written == Written::WithState && !with_state) return;
    separate(text);
    text += fmt::format("{0} = :{0}", field.column);
  });
  return text;
}

void LifeParams::add(const JobLife& life, bool with_state) {
  each_field([&](const auto& field) {
    if (field.written == Written::WithState && !with_state) return;
    params.push_back(to_param(life.*field.member, texts));
  });
}

Result<void> read_life(const Rows& rows, int first, JobLife& life) {
  Result<void> read;
  int column = first;
  each_field([&](const auto& field) {
    if (read) read = read_column(rows, column++, life.*field.member);
  });
  return read;
}

}  // namespace ty::store
