#include "store/impl/name_index.h"

#include <algorithm>
#include <limits>
#include <string>

namespace ty::store {

namespace {

constexpr int kChunk = 500;
/// So many names are read one by one in a few milliseconds.
constexpr std::int64_t kLongTail = 10'000;

std::int64_t backlog(const WriterMemory& memory) {
  if (!memory.names_indexed_to) return 1;  // nothing known yet: look once
  const auto& last = memory.last_id[static_cast<int>(Sequence::Jobs)];
  const std::int64_t known = last ? *last - *memory.names_indexed_to : 0;
  return std::max<std::int64_t>(known, memory.more_names ? 1 : 0);
}

}  // namespace

bool NameIndex::behind(const WriterMemory& memory) const {
  return backlog(memory) > 0 && std::chrono::steady_clock::now() >= paused_until_;
}

bool NameIndex::far_behind(const WriterMemory& memory) const {
  return backlog(memory) > kLongTail && std::chrono::steady_clock::now() >= paused_until_;
}

void NameIndex::pause() {
  paused_until_ = std::chrono::steady_clock::now() + std::chrono::seconds(10);
}

Result<std::int64_t> NameIndex::indexed_to(Tx& tx) {
  TY_TRY(auto text,
         tx.value<std::int64_t>(
             "select cast(value as integer) from meta where name = 'names_indexed_to'"));
  return text.value_or(0);
}

Result<void> NameIndex::forget(Tx& tx, JobSeq job, std::string_view name) {
  if (tx.is_postgres()) return {};
  TY_TRY(const std::int64_t to, indexed_to(tx));
  if (job.value > to) return {};
  // An index without texts has to be told what it once read.
  TY_DO(tx.exec(
      "insert into job_names (job_names, rowid, name) values ('delete', :job, :name)", job, name));
  return {};
}

Result<void> NameIndex::advance(Tx& tx) {
  WriterMemory& memory = tx.memory();
  if (tx.is_postgres()) {
    memory.names_indexed_to = std::numeric_limits<std::int64_t>::max();
    return {};
  }
  TY_TRY(const std::int64_t from, indexed_to(tx));
  std::int64_t to = from;
  int indexed = 0;
  auto rows = tx.query(
      "select seq, name from jobs where seq > :from order by seq limit :most", from, kChunk);
  for (; rows.next(); ++indexed) {
    to = rows.integer(0);
    TY_DO(tx.exec("insert into job_names (rowid, name) values (:seq, :name)", to, rows.text(1)));
  }
  TY_DO(rows.status());
  if (indexed > 0) {
    TY_DO(
        tx.exec("insert into meta (name, value) values ('names_indexed_to', :to) "
                "on conflict (name) do update set value = excluded.value",
                std::to_string(to)));
  }
  memory.more_names = indexed == kChunk;
  memory.names_indexed_to = to;
  if (const auto& last = memory.last_id[static_cast<int>(Sequence::Jobs)];
      last && !memory.more_names) {
    // Numbers between the last row and the last one given out belong to nobody.
    memory.names_indexed_to = std::max(to, *last);
  }
  return {};
}

}  // namespace ty::store
