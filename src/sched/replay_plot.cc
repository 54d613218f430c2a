#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sched/replay.h"

/// Drawings of replay results: plain SVG, readable on light and dark ground.
namespace ty::sched {
namespace {

constexpr std::string_view kColours[] = {"#8c8c8c", "#d48806", "#52c41a", "#1677ff", "#c41d7f"};
constexpr double kWidth = 720, kLeft = 64, kRight = 20, kPanel = 250, kTop = 34, kBottom = 40;
constexpr double kPlotWidth = kWidth - kLeft - kRight, kPlotHeight = kPanel - kTop - kBottom;

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string_view colour(const ReplayResult& result) {
  return kColours[static_cast<std::size_t>(result.policy) % std::size(kColours)];
}

/// One coordinate system, `top` pixels below the drawing's edge.
class Panel {
 public:
  Panel(std::string& out, double top, std::string_view title) : out_(out), top_(top) {
    out_ += fmt::format(
        "<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>\n", kLeft, top + 18, title);
  }
  static double x(double part) { return kLeft + part * kPlotWidth; }
  double y(double part) const { return top_ + kTop + (1 - part) * kPlotHeight; }

  void mark_x(double part, std::string_view text) {
    out_ += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" class=\"grid\"/>"
        "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
        x(part),
        y(0),
        y(1),
        y(0) + 16,
        text);
  }
  void mark_y(double part, std::string_view text) {
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"grid\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        x(0),
        y(part),
        x(1),
        y(part),
        x(0) - 6,
        y(part) + 4,
        text);
  }
  void line(const std::vector<std::pair<double, double>>& points, std::string_view stroke) {
    out_ +=
        fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" points=\"", stroke);
    for (const auto& [px, py] : points) out_ += fmt::format("{:.1f},{:.1f} ", x(px), y(py));
    out_ += "\"/>\n";
  }
  void bar(double from, double to, double height, std::string_view fill) {
    out_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
        x(from),
        y(height),
        (to - from) * kPlotWidth,
        y(0) - y(height),
        fill);
  }

 private:
  std::string& out_;
  double top_;
};

/// Position of a time between a minute and 100 days on a logarithmic axis.
double log_part(double h) {
  constexpr double kLow = 1.0 / 60, kHigh = 2400;
  return std::clamp(std::log(h / kLow) / std::log(kHigh / kLow), 0.0, 1.0);
}

void log_marks(const std::function<void(double, std::string_view)>& mark) {
  constexpr std::pair<double, std::string_view> kMarks[] = {{1.0 / 60, "1 min"},
                                                            {1.0 / 6, "10 min"},
                                                            {1, "1 h"},
                                                            {10, "10 h"},
                                                            {100, "100 h"},
                                                            {1000, "1000 h"}};
  for (const auto& [h, text] : kMarks) mark(log_part(h), text);
}

void draw_completions(Panel panel, const std::vector<ReplayResult>& results) {
  log_marks([&](double at, std::string_view text) { panel.mark_x(at, text); });
  for (int percent : {0, 25, 50, 75, 100})
    panel.mark_y(percent / 100.0, fmt::format("{} %", percent));
  for (const auto& r : results) {
    auto sorted = r.completion;
    std::ranges::sort(sorted);
    std::vector<std::pair<double, double>> points;
    for (int i = 0; i <= 200; ++i) {
      const auto at = static_cast<std::size_t>(i / 200.0 * static_cast<double>(sorted.size() - 1));
      points.emplace_back(log_part(hours(sorted[at])), i / 200.0);
    }
    panel.line(points, colour(r));
  }
}

void draw_waiting(Panel panel, const std::vector<ReplayResult>& results) {
  Time first = Time::max(), last = Time::min();
  int most = 10;
  for (const auto& r : results) {
    for (const auto& [at, n] : r.waiting) {
      first = std::min(first, at), last = std::max(last, at), most = std::max(most, n);
    }
  }
  if (last <= first) return;
  const double span = hours(last - first);
  const auto part = [&](int n) { return std::log1p(n) / std::log1p(most); };
  for (int day = 0; day * 24 <= span; day += std::max(1, static_cast<int>(span / 24 / 6)))
    panel.mark_x(day * 24 / span, fmt::format("day {}", day));
  for (int n : {0, 10, 100, 1'000, 10'000, 100'000}) {
    if (n <= most) panel.mark_y(part(n), fmt::format("{}", n));
  }
  for (const auto& r : results) {
    std::vector<std::pair<double, double>> points;
    const auto step = std::max<std::size_t>(1, r.waiting.size() / 360);
    for (std::size_t i = 0; i < r.waiting.size(); i += step) {
      int here = 0;  // the most of those not drawn
      for (auto k = i; k < std::min(i + step, r.waiting.size()); ++k)
        here = std::max(here, r.waiting[k].second);
      points.emplace_back(hours(r.waiting[i].first - first) / span, part(here));
    }
    panel.line(points, colour(r));
  }
}

void draw_tenants(Panel panel, const Trace& trace, const std::vector<ReplayResult>& results) {
  log_marks([&](double at, std::string_view text) { panel.mark_y(at, text); });
  const double tenants = static_cast<double>(trace.tenants.size());
  for (std::size_t r = 0; r < results.size(); ++r) {
    const auto waits = figures_of(trace, results[r], nullptr).tenant_wait;
    for (std::size_t t = 0; t < waits.size(); ++t) {
      const double bar = 0.84 / tenants / static_cast<double>(results.size());
      const double from = (static_cast<double>(t) + 0.08) / tenants + bar * static_cast<double>(r);
      panel.bar(from, from + bar, log_part(waits[t]), colour(results[r]));
    }
  }
  if (tenants > 16) return;
  for (std::size_t t = 0; t < trace.tenants.size(); ++t)
    panel.mark_x((static_cast<double>(t) + 0.5) / tenants, escaped(trace.tenants[t].substr(0, 6)));
}

std::string number(double n) {
  return n >= 100  ? fmt::format("{:.0f}", n)
         : n >= 10 ? fmt::format("{:.1f}", n)
                   : fmt::format("{:.2f}", n);
}

}  // namespace

std::string replay_svg(const Trace& trace, const std::vector<ReplayResult>& results) {
  const double height = 30 + 3 * kPanel;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n"
      "<style>text{{fill:#555}} .grid{{stroke:#999;stroke-opacity:.25}}"
      "@media(prefers-color-scheme:dark){{text{{fill:#bbb}}}}</style>\n",
      kWidth,
      height);
  double x = kLeft;
  for (const auto& r : results) {
    out += fmt::format(
        "<rect x=\"{}\" y=\"9\" width=\"14\" height=\"10\" fill=\"{}\"/><text x=\"{}\" "
        "y=\"18\">{}</text>\n",
        x,
        colour(r),
        x + 19,
        to_string(r.policy));
    x += 110;
  }
  draw_completions(Panel(out, 30, "Jobs completed within this time of their submission"), results);
  draw_waiting(Panel(out, 30 + kPanel, "Jobs waiting (logarithmic)"), results);
  draw_tenants(Panel(out, 30 + 2 * kPanel, "Mean wait per tenant"), trace, results);
  return out + "</svg>\n";
}

namespace {

/// Of the unluckiest job, and how many were a day behind.
std::string behind(const std::optional<double>& worst, std::int64_t a_day) {
  return worst ? fmt::format("{} ({} &gt; 24 h)", number(*worst), a_day) : "–";
}

}  // namespace

std::string replay_page(const Trace& trace,
                        const ReplaySite& site,
                        const std::vector<ReplayResult>& results) {
  const auto fifo = std::ranges::find(results, ReplayPolicy::Fifo, &ReplayResult::policy);
  std::string rows;
  for (const auto& r : results) {
    const auto f = figures_of(trace, r, fifo == results.end() ? nullptr : &*fifo);
    rows += fmt::format("<tr><th title=\"{}\">{}</th>", describe(r.policy), to_string(r.policy));
    for (double n : {f.completion.mean,
                     f.completion.median,
                     f.completion.p90,
                     f.completion.p99,
                     f.wait.mean,
                     f.wait.p99,
                     f.wait.most}) {
      rows += fmt::format("<td>{}</td>", number(n));
    }
    rows += fmt::format(
        "<td>{:.1f} %</td><td>{:.1f} %</td><td>{:.2f}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td></tr>\n",
        100 * f.utilisation,
        100 * f.idle_while_wanted,
        f.fairness,
        f.preemptions,
        behind(f.worst_behind_fifo, f.a_day_behind_fifo),
        behind(f.worst_start_behind_fifo, f.starts_a_day_behind_fifo),
        f.estimate_error ? fmt::format("{:.0f} % of {}", 100 * *f.estimate_error, f.estimates)
                         : "–");
  }
  return fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Trainyard replay</title>\n"
      "<style>body{{font:14px sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;"
      "color-scheme:light dark}}table{{border-collapse:collapse}}td,th{{padding:.3em .7em;"
      "text-align:right;border-bottom:1px solid #8884}}</style>\n"
      "<h1>Replay</h1><p>{} jobs of {} tenants on {} nodes with {} GPUs each. Times in hours.</p>\n"
      "{}<table><tr><th></th><th>completion: mean</th><th>median</th><th>90 %</th><th>99 %</th>"
      "<th>wait: mean</th><th>99 %</th><th>longest</th><th>GPUs used</th><th>idle though "
      "wanted</th>"
      "<th>fairness</th><th>stops</th><th>longest wait beyond FIFO's</th>"
      "<th>until the first start</th><th>estimate off by</th></tr>\n{}"
      "</table></html>\n",
      trace.jobs.size(),
      trace.tenants.size(),
      site.nodes,
      site.gpus_per_node,
      replay_svg(trace, results),
      rows);
}

}  // namespace ty::sched
