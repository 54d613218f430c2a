#include <boost/json.hpp>
#include <cstdio>

#include "cli/context.h"
#include "cli/output.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

void print_event(const json::value& event) {
  const json::value* data = child(event, "data");
  const std::string details =
      data == nullptr || data->get_object().empty() ? "" : json::serialize(*data);
  std::printf("%s  %-16s %-8s %s %s\n",
              short_time(text(event, "at")).c_str(),
              text(event, "kind").c_str(),
              short_id(text(event, "job")).c_str(),
              text(event, "actor").c_str(),
              details.c_str());
  std::fflush(stdout);
}

/// Picks `data:` lines out of a server-sent event stream.
class SseLines {
 public:
  template <class F>
  void take(std::string_view piece, const F& each) {
    buffer_ += piece;
    std::size_t from = 0;
    for (std::size_t at; (at = buffer_.find('\n', from)) != std::string::npos; from = at + 1) {
      std::string_view one = std::string_view(buffer_).substr(from, at - from);
      if (one.starts_with("data:")) each(one.substr(one.starts_with("data: ") ? 6 : 5));
    }
    buffer_.erase(0, from);
  }

 private:
  std::string buffer_;
};

void follow(Context& context, client::ApiClient& api, const std::string& job) {
  SseLines lines;
  const auto take = [&](std::string_view piece) {
    lines.take(piece, [&](std::string_view data) {
      boost::system::error_code ec;
      const json::value event = json::parse(data, ec);
      if (ec) return;
      if (context.json)
        std::puts(json::serialize(event).c_str());
      else
        print_event(event);
      std::fflush(stdout);
    });
    return true;
  };
  if (auto streamed = api.follow_events(take, {.job = given(job)}); !streamed)
    context.say(streamed.error());
}

void timeline(Context& context, client::ApiClient& api, const std::string& job) {
  for (std::int64_t after = 0;;) {
    const auto page = api.list_job_events(job, {.after = after, .limit = 1000});
    if (!page) return context.say(page.error());
    for (const json::value& event : items(page->json, "events")) {
      if (context.json)
        std::puts(json::serialize(event).c_str());
      else
        print_event(event);
    }
    if (!page->more) return;
    after = page->seen;
  }
}

}  // namespace

void add_events(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("events", "Show the events of a job, or all events as they happen");
  auto job = std::make_shared<std::string>();
  auto follow_flag = std::make_shared<bool>(false);
  command->add_option("JOB", *job, "Job; by default all jobs you can see, live");
  command->add_flag("-f,--follow", *follow_flag, "Keep showing new events");
  add_output_flag(*command, context);
  command->callback([&context, job, follow_flag] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    if (!job->empty()) timeline(context, *api, *job);
    if (context.exit == kOk && (*follow_flag || job->empty())) follow(context, *api, *job);
  });
}

}  // namespace ty::cli
