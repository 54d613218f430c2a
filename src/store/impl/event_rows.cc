#include "store/impl/event_rows.h"

namespace ty::store {

Result<EventId> append_event(Tx& tx,
                             const EventSubject& subject,
                             Time at,
                             std::string_view kind,
                             std::string_view actor,
                             std::string_view data) {
  TY_TRY(const std::int64_t id, tx.next_id(Sequence::Events));
  TY_DO(tx.exec(
      "insert into events (id, job_seq, job_id, workspace_id, owner_id, at, kind, actor, data) "
      "values (:id, :job, :job_id, :workspace, :owner, :at, :kind, :actor, :data)",
      id,
      subject.job,
      subject.gone_job,
      subject.workspace,
      subject.owner,
      at,
      kind,
      actor.empty() ? std::string_view("trainyard") : actor,
      data));
  return EventId{id};
}

}  // namespace ty::store
