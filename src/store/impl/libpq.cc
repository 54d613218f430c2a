#include "store/impl/libpq.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "store/messages.h"

namespace ty::store::pq {

namespace {

template <class F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

Result<Library> open_library() {
  void* so = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!so) {
    return fail(Errc::Unavailable, say::libpq_missing({.why = dlerror()}));
  }
  Library pq{};
  const bool all = find(so, "PQconnectdb", pq.connect) && find(so, "PQfinish", pq.finish) &&
                   find(so, "PQreset", pq.reset) && find(so, "PQstatus", pq.status) &&
                   find(so, "PQerrorMessage", pq.error_message) &&
                   find(so, "PQsetNoticeProcessor", pq.set_notice_processor) &&
                   find(so, "PQserverVersion", pq.server_version) && find(so, "PQexec", pq.exec) &&
                   find(so, "PQprepare", pq.prepare) &&
                   find(so, "PQexecPrepared", pq.exec_prepared) &&
                   find(so, "PQresultStatus", pq.result_status) &&
                   find(so, "PQresultErrorField", pq.result_field) &&
                   find(so, "PQcmdTuples", pq.affected) && find(so, "PQntuples", pq.rows) &&
                   find(so, "PQgetvalue", pq.value) && find(so, "PQgetlength", pq.length) &&
                   find(so, "PQgetisnull", pq.is_null) && find(so, "PQclear", pq.clear);
  if (!all) return fail(Errc::Unavailable, say::libpq_too_old());
  return pq;
}

}  // namespace

Result<const Library*> load() {
  static const Result<Library> library = open_library();
  if (!library) return std::unexpected(library.error());
  return &*library;
}

}  // namespace ty::store::pq
