#pragma once
#include "base/result.h"

/// The few functions of libpq that we call, found in libpq.so.5 at run time. The program is linked
/// without it, so that it starts on machines that have no PostgreSQL client installed.
namespace ty::store::pq {

struct Conn;
struct Res;

inline constexpr int kConnectionOk = 0;
inline constexpr int kCommandOk = 1;
inline constexpr int kTuplesOk = 2;
inline constexpr int kDiagSqlState = 'C';
inline constexpr int kDiagMessage = 'M';

struct Library {
  Conn* (*connect)(const char* url);
  void (*finish)(Conn*);
  void (*reset)(Conn*);
  int (*status)(const Conn*);
  char* (*error_message)(const Conn*);
  void* (*set_notice_processor)(Conn*, void (*)(void*, const char*), void*);
  int (*server_version)(const Conn*);
  Res* (*exec)(Conn*, const char* sql);
  Res* (*prepare)(Conn*, const char* name, const char* sql, int count, const unsigned* types);
  Res* (*exec_prepared)(Conn*,
                        const char* name,
                        int count,
                        const char* const* values,
                        const int* lengths,
                        const int* formats,
                        int result_format);
  int (*result_status)(const Res*);
  char* (*result_field)(const Res*, int code);
  char* (*affected)(Res*);
  int (*rows)(const Res*);
  char* (*value)(const Res*, int row, int column);
  int (*length)(const Res*, int row, int column);
  int (*is_null)(const Res*, int row, int column);
  void (*clear)(Res*);
};

/// Unavailable, naming the Debian package, when the library is not installed.
Result<const Library*> load();

}  // namespace ty::store::pq
