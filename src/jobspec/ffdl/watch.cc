#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "jobspec/ffdl/reader.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/impl/regex_check.h"
#include "jobspec/messages.h"

/// What a manifest wants measured, and who is to be told.
namespace ty::jobspec::ffdl {

using model::Alert;
using model::MetricKind;
using model::MetricRule;

namespace {

constexpr std::int64_t kUsualWindow = 4;

/// The names that upstream's patterns are written with.
std::string_view macro(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kMacros[] = {
      {"FLOAT", R"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"},
      {"INT", R"([-+]?\d+)"},
      {"INT_ANY", R"([-+]?\d+)"},
      {"HEX", R"((?:0[xX])?[0-9a-fA-F]+)"},
      {"TIMESTAMP", R"(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?)"},
      {"GLOG_STAMP", R"([IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+)"}};
  for (const auto& [known, pattern] : kMacros) {
    if (known == name) return pattern;
  }
  return "";
}

/// The pattern with one of its groups called as our own rules call it.
std::string with_group(std::string pattern, const std::string& name, std::string_view ours) {
  const std::string written = "(?P<" + name + ">";
  if (const std::size_t at = pattern.find(written); at != std::string::npos)
    pattern.replace(at, written.size(), "(?P<" + std::string(ours) + ">");
  return pattern;
}

std::string capture_of(Ref value) {
  if (!value) return "";
  const Ref text = value.is_map() ? value.find("value") : value;
  if (!text || !text.is_scalar() || !text->text.starts_with('$')) return "";
  return std::string(text->text.substr(1));
}

}  // namespace

void ManifestReader::read_metrics() {
  const Ref metrics = map_in(top_, "evaluation_metrics", "evaluation_metrics: {type: tensorboard}");
  if (!metrics) return;
  place(Part::Metrics, -1, metrics);
  keep_unknown(
      metrics,
      {"type", "in", "image_tag", "line_lookahead", "eventTypes", "event_types", "groups"});
  ignore_all(metrics, {"image_tag", "eventTypes", "event_types"}, say::parts_of_ffdl_collector);
  std::string type;
  read_text(metrics, "type", type, "type: tensorboard");
  if (type == "tensorboard" || type == "tensorboard_extractor") {
    spec_.metrics.push_back({.kind = MetricKind::Tensorboard});
  } else if (type == "emetrics_file" || type == "optivist" || type == "file" ||
             type == "emetrics_file_extractor") {
    spec_.metrics.push_back({.kind = MetricKind::File});
  } else if (type == "regex_extractor") {
    read_metric_groups(metrics);
  } else if (!type.empty() && type != "logger" && type != "none" && type != "nil" &&
             type != "null" && type != "fluent-bit") {
    report_.warn(
        metrics.find("type"),
        "ignored",
        say::not_one_of({.value = in_quotes(type),
                         .what = say::noun_metrics_type(),
                         .choices = Words{"tensorboard", "regex_extractor", "emetrics_file"}}));
  }
}

void ManifestReader::read_metric_groups(Ref metrics) {
  std::int64_t window = kUsualWindow;
  read_whole(metrics, "line_lookahead", window, 1, 100, "line_lookahead: 4");
  const Ref groups = map_in(metrics, "groups", "groups: {train: {regex: 'loss=%{FLOAT:loss}'}}");
  if (!groups) return;
  for (const Ref group : groups) {
    if (group.is_map())
      read_metric_group(group, window);
    else
      wrong_type(
          group, say::a_map(), "{regex: 'loss=%{FLOAT:loss}', scalars: {loss: {value: $loss}}}");
  }
}

void ManifestReader::read_metric_group(Ref group, std::int64_t window) {
  keep_unknown(group, {"regex", "meta", "scalars", "values", "etimes"});
  const Ref regex = group.find("regex");
  if (!regex || !regex.is_scalar()) {
    report_.missing(group, "regex", "regex: 'loss=%{FLOAT:loss}'");
    return;
  }
  const auto pattern = expand_macros(regex);
  if (!pattern) return;
  std::string step;
  if (const Ref times = map_in(group, "etimes", "etimes: {iteration: {value: $iteration}}")) {
    for (const Ref time : times) {
      if (step.empty()) step = capture_of(time);
    }
  }
  for (const std::string_view key : {"scalars", "values"}) {
    const Ref values =
        map_in(group, key, std::string(key) + ": {loss: {type: FLOAT, value: $loss}}");
    if (!values) continue;
    for (const Ref value : values) {
      const std::string name = capture_of(value);
      if (name.empty()) continue;  // a literal is nothing to draw
      if (const auto good = check_metric_regex(with_group(*pattern, name, "value")); !good) {
        // The job runs all the same, and its chart stays empty.
        report_.warn(regex, "regex", good.error().message);
        return;
      }
      spec_.metrics.push_back({.kind = MetricKind::Regex,
                               .name = std::string(value->key),
                               .group = std::string(group->key),
                               .pattern = *pattern,
                               .value = name,
                               .step = step,
                               .window = window});
    }
  }
}

/// `%{FLOAT:loss}` is a group called loss. None, with a warning, for an unknown name.
std::optional<std::string> ManifestReader::expand_macros(Ref at) {
  std::string out;
  const std::string_view text = at->text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end =
        text.substr(i).starts_with("%{") ? text.find('}', i) : std::string_view::npos;
    if (end == std::string_view::npos) {
      out += text[i];
      continue;
    }
    const std::string_view inside = text.substr(i + 2, end - i - 2);
    const std::size_t colon = inside.find(':');
    const std::string_view known = macro(inside.substr(0, colon));
    if (known.empty()) {
      report_.warn(at,
                   "regex",
                   say::no_pattern_called(
                       {.name = shorten(inside.substr(0, colon)),
                        .names = Words{"FLOAT", "INT", "HEX", "TIMESTAMP", "GLOG_STAMP"}}));
      return std::nullopt;
    }
    out += colon == std::string_view::npos
               ? "(?:" + std::string(known) + ")"
               : "(?P<" + std::string(inside.substr(colon + 1)) + ">" + std::string(known) + ")";
    i = end;
  }
  return out;
}

void ManifestReader::read_alerts() {
  const Ref alerts =
      map_in(top_, "job_alert", "job_alert: {event: [{event_checker: FAILED, receiver: me}]}");
  if (!alerts) return;
  place(Part::Alerts, -1, alerts);
  keep_unknown(alerts, {"event", "deadline", "overtime"});
  for (const std::string_view kind : {"event", "deadline", "overtime"}) {
    for (const Ref item :
         maps_in(alerts, kind, "{" + std::string(kind) + "_checker: FAILED, receiver: me}"))
      read_alert(item, kind);
  }
  report_.warn_at_key(alerts, "ignored", say::no_alerts_yet());
}

void ManifestReader::read_alert(Ref item, std::string_view kind) {
  const std::string checker = std::string(kind) + "_checker";
  for (const Ref entry : item) {
    const std::string_view key = entry->key;
    if (key != checker && key != "alert_level" && key != "receiver" && key != "interval")
      report_.warn_at_key(entry, "unknown_key", say::unknown_key_kept());
  }
  Alert alert;
  std::string receivers, level;
  bool good = need_text(item, "receiver", receivers, "receiver: me");
  for (const std::string& who : split(receivers, ',')) {
    if (const std::string_view name = trim(who); !name.empty()) alert.to.emplace_back(name);
  }
  if (read_text(item, "alert_level", level, "alert_level: warning") && !level.empty()) {
    constexpr std::pair<std::string_view, model::AlertLevel> kLevels[] = {
        {"critical", model::AlertLevel::Critical},
        {"major", model::AlertLevel::Major},
        {"minor", model::AlertLevel::Minor},
        {"warning", model::AlertLevel::Warning},
        {"info", model::AlertLevel::Info}};
    const auto* found = std::ranges::find(
        kLevels, std::string_view(level), &std::pair<std::string_view, model::AlertLevel>::first);
    if (found != std::end(kLevels)) {
      alert.level = found->second;
    } else {
      report_.error(
          item.find("alert_level"),
          "enum",
          say::not_one_of({.value = in_quotes(level),
                           .what = say::noun_level(),
                           .choices = Words{"critical", "major", "minor", "warning", "info"}}));
      good = false;
    }
  }
  if (kind != "event") {
    std::int64_t minutes = 0;
    if (!present(item, "interval")) {
      report_.missing_with(item, "interval", say::missing_interval());
      good = false;
    } else if (read_whole(item, "interval", minutes, 1, 525'600, "interval: \"10\"")) {
      alert.every = Seconds{minutes * 60};
    } else {
      good = false;
    }
  }
  if (read_alert_time(item, kind, alert) && good) spec_.alerts.push_back(std::move(alert));
}

bool ManifestReader::read_alert_time(Ref item, std::string_view kind, Alert& alert) {
  const std::string key = std::string(kind) + "_checker";
  std::string text;
  const std::string example = kind == "event"      ? key + ": FAILED"
                              : kind == "deadline" ? key + ": \"2030-01-01 08:00:00\""
                                                   : key + ": \"2.5\"";
  if (!need_text(item, key, text, example)) return false;
  const Ref at = item.find(key);
  if (kind == "event") {
    if (text == "FAILED")
      alert.states = {"failed"};
    else if (text == "COMPLETED")
      alert.states = {"succeeded"};
    else
      report_.error(at,
                    "enum",
                    say::not_one_of({.value = in_quotes(text),
                                     .what = say::noun_event(),
                                     .choices = Words{"FAILED", "COMPLETED"}}));
    return !alert.states.empty();
  }
  if (kind == "deadline") {
    constexpr std::string_view kShape = "0000-00-00 00:00:00";
    bool good = text.size() == kShape.size();
    for (std::size_t i = 0; good && i < text.size(); ++i)
      good = kShape[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == kShape[i];
    if (!good) {
      report_.error(at,
                    "duration",
                    say::invalid_value({.value = in_quotes(text),
                                        .what = say::noun_moment(),
                                        .example = "2030-01-01 08:00:00"}));
      return false;
    }
    alert.at = text.substr(0, 16);
    return true;
  }
  // Hours with decimals, exactly, in seconds.
  const auto thousandths = parse_cpus(trim(text));
  if (!thousandths || *thousandths < 1) {
    report_.error(at,
                  "duration",
                  say::invalid_value(
                      {.value = in_quotes(text), .what = say::noun_hours(), .example = "2.5"}));
    return false;
  }
  alert.after = Seconds{std::max<std::int64_t>(1, *thousandths * 36 / 10)};
  return true;
}

}  // namespace ty::jobspec::ffdl
