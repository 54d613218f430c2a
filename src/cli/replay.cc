#include "sched/replay.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>

#include "base/text.h"
#include "cli/context.h"
#include "cli/messages.h"
#include "cli/output.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

struct ReplayOptions {
  std::string file;
  std::vector<std::string> policies;
  sched::ReplaySite site{.estimate_every = 50};
  std::string restart = "0s";
  std::string plot;
};

struct Played {
  sched::ReplayResult result;
  double cpu_seconds = 0;
};

/// The whole file, unpacked when it is packed.
Result<std::string> read_packed(const std::string& path) {
  std::unique_ptr<archive, decltype(&archive_read_free)> in(archive_read_new(), archive_read_free);
  archive_read_support_filter_gzip(in.get());
  archive_read_support_filter_zstd(in.get());
  archive_read_support_format_raw(in.get());
  archive_read_support_format_empty(in.get());
  archive_entry* entry = nullptr;
  std::string text;
  if (archive_read_open_filename(in.get(), path.c_str(), 1 << 16) == ARCHIVE_OK) {
    const int opened = archive_read_next_header(in.get(), &entry);
    if (opened == ARCHIVE_EOF) return text;
    char block[1 << 16];
    la_ssize_t got = opened == ARCHIVE_OK ? 1 : -1;
    while (got > 0) {
      got = archive_read_data(in.get(), block, sizeof block);
      if (got > 0) text.append(block, static_cast<std::size_t>(got));
    }
    if (got == 0) return text;
  }
  return fail(Errc::NotFound,
              say::input_unreadable({.path = path, .why = archive_error_string(in.get())}));
}

/// Processor time of this process: what others do on the machine does not count.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

Result<std::vector<sched::ReplayPolicy>> policies_of(const ReplayOptions& options) {
  if (options.policies.empty()) return sched::replay_policies();
  std::vector<sched::ReplayPolicy> policies;
  for (const std::string& word : options.policies) {
    TY_TRY(auto policy, sched::replay_policy(word));
    if (std::ranges::find(policies, policy) == policies.end()) policies.push_back(policy);
  }
  return policies;
}

json::object as_json(const sched::Trace& trace,
                     const Played& played,
                     const sched::ReplayFigures& f) {
  const auto spread = [](const sched::ReplayFigures::Spread& s) {
    return json::object{
        {"mean", s.mean}, {"median", s.median}, {"p90", s.p90}, {"p99", s.p99}, {"max", s.most}};
  };
  json::array tenants;
  for (std::size_t i = 0; i < trace.tenants.size(); ++i) {
    tenants.push_back({{"name", trace.tenants[i]}, {"mean_wait_hours", f.tenant_wait[i]}});
  }
  const auto maybe = [](const std::optional<double>& n) {
    return n ? json::value(*n) : json::value(nullptr);
  };
  return {{"policy", to_string(played.result.policy)},
          {"completion_hours", spread(f.completion)},
          {"wait_hours", spread(f.wait)},
          {"utilisation", f.utilisation},
          {"idle_while_wanted", f.idle_while_wanted},
          {"fairness", f.fairness},
          {"preemptions", f.preemptions},
          {"worst_behind_fifo_hours", maybe(f.worst_behind_fifo)},
          {"a_day_behind_fifo", f.a_day_behind_fifo},
          {"worst_start_behind_fifo_hours", maybe(f.worst_start_behind_fifo)},
          {"starts_a_day_behind_fifo", f.starts_a_day_behind_fifo},
          {"estimates", f.estimates},
          {"estimate_error", maybe(f.estimate_error)},
          {"cpu_seconds", played.cpu_seconds},
          {"tenants", std::move(tenants)}};
}

std::string in_hours(double h) { return fmt::format("{:.{}f}", h, h >= 100 ? 0 : h >= 10 ? 1 : 2); }

std::string behind(std::optional<double> hours, std::int64_t jobs) {
  return hours ? fmt::format("{} ({})", in_hours(*hours), jobs) : "-";
}

void print_figures(const Context& context,
                   const std::vector<std::pair<const Played*, sched::ReplayFigures>>& all) {
  Table table({"POLICY",
               "COMPLETION",
               "MEDIAN",
               "90%",
               "99%",
               "WAIT",
               "99%",
               "LONGEST",
               "USED",
               "IDLE",
               "FAIR",
               "STOPS",
               "BEHIND FIFO",
               "STARTS BEHIND",
               "ESTIMATES",
               "CPU"});
  for (const auto& [played, f] : all) {
    table.add({std::string(to_string(played->result.policy)),
               in_hours(f.completion.mean),
               in_hours(f.completion.median),
               in_hours(f.completion.p90),
               in_hours(f.completion.p99),
               in_hours(f.wait.mean),
               in_hours(f.wait.p99),
               in_hours(f.wait.most),
               fmt::format("{:.1f}%", 100 * f.utilisation),
               fmt::format("{:.1f}%", 100 * f.idle_while_wanted),
               fmt::format("{:.2f}", f.fairness),
               std::to_string(f.preemptions),
               behind(f.worst_behind_fifo, f.a_day_behind_fifo),
               behind(f.worst_start_behind_fifo, f.starts_a_day_behind_fifo),
               f.estimate_error ? fmt::format("{:.0f}% off", 100 * *f.estimate_error) : "-",
               fmt::format("{:.2f} s", played->cpu_seconds)});
  }
  table.print();
  std::puts("");
  for (const auto& [played, f] : all) {
    std::printf("%-10s %s\n",
                std::string(to_string(played->result.policy)).c_str(),
                std::string(describe(played->result.policy)).c_str());
  }
  context.print(say::replay_legend());
}

Result<void> write_plot(const ReplayOptions& options,
                        const sched::Trace& trace,
                        const std::vector<sched::ReplayResult>& results) {
  std::ofstream file(options.plot, std::ios::binary | std::ios::trunc);
  file << (options.plot.ends_with(".svg") ? replay_svg(trace, results)
                                          : replay_page(trace, options.site, results));
  file.close();
  if (!file) return fail(Errc::Invalid, say::output_unwritable({.path = options.plot}));
  return {};
}

Result<void> replay_trace(Context& context, ReplayOptions options) {
  TY_TRY(const auto policies, policies_of(options));
  TY_TRY(const auto restart, parse_duration(options.restart));
  options.site.restart = restart;
  TY_TRY(const auto text, read_packed(options.file));
  auto trace = sched::read_trace(text);
  if (!trace) return std::unexpected(std::move(trace.error()).with_context(plain(options.file)));
  TY_DO(fits_site(*trace, options.site));

  std::vector<Played> all;
  for (const auto policy : policies) {
    const double begin = cpu_seconds();
    auto result = replay(*trace, options.site, policy);
    all.push_back({std::move(result), cpu_seconds() - begin});
  }
  const auto fifo = std::ranges::find_if(
      all, [](const Played& p) { return p.result.policy == sched::ReplayPolicy::Fifo; });
  std::vector<std::pair<const Played*, sched::ReplayFigures>> figures;
  for (const Played& played : all) {
    figures.emplace_back(
        &played, figures_of(*trace, played.result, fifo == all.end() ? nullptr : &fifo->result));
  }
  if (!options.plot.empty()) {
    std::vector<sched::ReplayResult> results;
    for (const Played& played : all) results.push_back(played.result);
    TY_DO(write_plot(options, *trace, results));
  }
  if (context.json) {
    json::array policies_json;
    for (const auto& [played, f] : figures) policies_json.push_back(as_json(*trace, *played, f));
    context.print_json(json::object{{"jobs", trace->jobs.size()},
                                    {"nodes", options.site.nodes},
                                    {"gpus_per_node", options.site.gpus_per_node},
                                    {"policies", std::move(policies_json)}});
    return {};
  }
  context.print(say::replay_of({.jobs = trace->jobs.size(),
                                .tenants = trace->tenants.size(),
                                .nodes = options.site.nodes,
                                .gpus = options.site.gpus_per_node}));
  std::puts("");
  print_figures(context, figures);
  if (!options.plot.empty()) context.print(say::drawn_in({.path = options.plot}));
  return {};
}

}  // namespace

void add_replay(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "replay", "Replay a recorded trace of jobs through the scheduler and compare policies");
  auto options = std::make_shared<ReplayOptions>();
  command
      ->add_option("TRACE",
                   options->file,
                   "CSV with the columns timestamp, duration, num_gpus and, if there are tenants, "
                   "cluster; may be compressed (.gz)")
      ->required();
  command->add_option("--nodes", options->site.nodes, "Number of nodes")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command->add_option("--gpus-per-node", options->site.gpus_per_node, "GPUs per node")
      ->check(CLI::Range(1, 128))
      ->capture_default_str();
  command
      ->add_option("--policy",
                   options->policies,
                   "fifo, fifo-skip, oracle, fair or service; repeat or separate by commas for "
                   "several; all by default")
      ->delimiter(',')
      ->type_name("POLICY");
  command
      ->add_option("--restart-cost",
                   options->restart,
                   "Time that a job loses at each restart under `service`, such as 2m")
      ->capture_default_str()
      ->type_name("TIME");
  command
      ->add_option("--estimate-every",
                   options->site.estimate_every,
                   "Estimate the start of every Nth job that must wait; 0: none")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command
      ->add_option(
          "--plot", options->plot, "Write a plot: a .svg, or an .html page with the figures")
      ->type_name("FILE");
  add_output_flag(*command, context);
  command->callback([&context, options] {
    if (auto done = replay_trace(context, *options); !done) context.say(done.error());
  });
}

}  // namespace ty::cli
