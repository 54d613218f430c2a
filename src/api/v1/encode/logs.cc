#include "api/v1/encode/logs.h"

namespace ty::api::v1 {

void write_log_lines(JsonWriter& out, const control::LogLines& lines) {
  out.object()
      .field("task", lines.task)
      .field("attempt", lines.attempt)
      .field("total", lines.total)
      .field("first", lines.first)
      .key("lines")
      .array();
  for (const control::LogLine& line : lines.lines)
    out.object().field("at", line.at).field("text", line.text).field("cut", line.cut).end_object();
  out.end_array().end_object();
}

void write_log_hits(JsonWriter& out, const control::LogHits& page) {
  out.object().key("hits").array();
  for (const control::LogHit& hit : page.hits) {
    out.object()
        .field("line", hit.line)
        .field("at", hit.at)
        .field("text", hit.text)
        .field("cut", hit.cut)
        .end_object();
  }
  out.end_array().field("next", page.next).field("searched", page.searched).end_object();
}

}  // namespace ty::api::v1
