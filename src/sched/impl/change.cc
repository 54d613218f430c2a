#include "sched/impl/change.h"

#include <algorithm>
#include <functional>

#include "sched/impl/amounts.h"
#include "sched/impl/obstacles.h"
#include "sched/impl/preemption.h"
#include "sched/impl/whatif.h"
#include "sched/messages.h"

namespace ty::sched {
namespace {

/// So many others are looked at: what starts it must not start somebody else instead.
constexpr std::size_t kAround = 500;
constexpr int kSteps = 6;

using Number = std::int64_t;

std::string text_of(const Statement& s, const char* name) {
  return std::get<std::string>(s.find(name)->any());
}

/// The first `n` tasks of the request.
std::function<void(Request&)> keep_tasks(int n) {
  return [n](Request& r) {
    int left = n;
    for (auto& g : r.groups) {
      const auto mine = std::min(static_cast<int>(g.tasks.size()), left);
      g.tasks.resize(static_cast<std::size_t>(mine));
      g.min_tasks = std::min(g.min_tasks, mine);
      left -= mine;
    }
    std::erase_if(r.groups, [](const Group& g) { return g.tasks.empty(); });
    r.min_tasks = std::min(r.min_tasks, n);
  };
}

/// At most `n` GPUs for each task.
std::function<void(Request&)> narrow_to(Number n) {
  return [n](Request& r) {
    for (auto& g : r.groups) g.each.gpus = std::min<Number>(g.each.gpus, n);
  };
}

/// One way to get on, and what it does to a copy of the state.
struct Step {
  Statement said;
  std::function<void(State&)> apply;
};

class Finder {
 public:
  Finder(State world, RequestId id, Time now)
      : id_(std::move(id)), now_(now), world_(std::move(world)) {}

  std::vector<Statement> find() {
    const State before = world_;
    std::vector<Step> taken;
    for (int i = 0; i < kSteps && !starts(world_); ++i) {
      const auto found = obstacles_of(world_, waiting(), now_);
      auto steps = ways(found);
      std::erase_if(steps, [&](const Step& step) {
        return std::ranges::any_of(taken, [&](const Step& t) { return t.said == step.said; });
      });
      if (steps.empty()) return {};
      taken.push_back(best_of(steps, found));
      taken.back().apply(world_);
    }
    if (!starts(world_)) return {};
    return without_needless(before, std::move(taken));
  }

 private:
  bool starts(const State& world) const {
    State trial = world;
    return starts_now(trial, id_, now_);
  }

  /// The first that is enough by itself, else the first after which something else is in the way.
  Step best_of(std::vector<Step>& steps, const Obstacles& found) {
    Step* moves_on = nullptr;
    for (auto& step : steps) {
      State trial = world_;
      step.apply(trial);
      if (starts(trial)) return step;
      const auto& w = *trial.queue.find(id_);
      const auto after = obstacles_of(trial, w, now_);
      const bool other = after.reasons.empty() || found.reasons.empty() ||
                         after.reasons.front() != found.reasons.front();
      if (moves_on == nullptr && other) moves_on = &step;
    }
    return moves_on != nullptr ? *moves_on : steps.front();
  }

  /// What a later step made superfluous is not asked for.
  std::vector<Statement> without_needless(const State& before, std::vector<Step> taken) const {
    for (auto i = taken.size(); taken.size() > 1 && i-- > 0;) {
      auto fewer = taken;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      State trial = before;
      for (const auto& step : fewer) step.apply(trial);
      if (starts(trial)) taken = std::move(fewer);
    }
    std::vector<Statement> said;
    for (auto& step : taken) said.push_back(std::move(step.said));
    return said;
  }

  const Waiting& waiting() const { return *world_.queue.find(id_); }
  const Request& request() const { return waiting().request; }

  /// The request asked anew with something changed.
  Step edit(Statement said, std::function<void(Request&)> change) const {
    return {std::move(said), [id = id_, change = std::move(change)](State& s) {
              Request r = s.queue.find(id)->request;
              change(r);
              s.wait(std::move(r));
            }};
  }

  Step edit_account(Statement said, std::function<void(Account&)> change) const {
    return {std::move(said), [ws = request().workspace, change = std::move(change)](State& s) {
              auto accounts = s.ledger.accounts();
              for (auto& a : accounts) {
                if (a.workspace == ws) change(a);
              }
              s.ledger.set_accounts(std::move(accounts));
              s.reorder_queue();
            }};
  }

  Step set_open(Statement said, std::string node) const {
    return {std::move(said), [node = std::move(node)](State& s) {
              auto site = std::make_shared<Site>(s.cluster.site());
              site->open[site->by_name.at(node)] = 1;
              s.cluster.set_site(std::move(site));
              s.ledger.set_capacity(s.cluster.capacity());
            }};
  }

  Step stop(const std::vector<int>& slots) const {
    std::vector<std::string> names, ids;
    std::vector<JobId> jobs;
    for (int slot : slots) {
      const auto& job = world_.running.at(slot);
      names.push_back(job.name.empty() ? job.id.str() : job.name);
      ids.push_back(job.id.str());
      jobs.push_back(job.id);
    }
    return {say::stop_jobs({.jobs = std::move(names)}).with("job_ids", std::move(ids)),
            [jobs, now = now_](State& s) {
              for (const auto& job : jobs) s.remove_job(job, now);
            }};
  }

  /// Steps against the first obstacle, the smallest first.
  std::vector<Step> ways(const Obstacles& found) {
    if (found.reasons.empty()) return {};
    const auto& why = found.reasons.front();
    const auto& code = why.code;
    const auto& least = waiting().shape->least;
    if (code == "backoff")
      return {edit(say::skip_backoff(), [](Request& r) { r.not_before.reset(); })};
    if (code == "no_balance") {
      return {edit_account(say::add_balance({.workspace = text_of(why, "workspace")}),
                           [](Account& a) { a.balance = 1; })};
    }
    if (code == "workspace_limit" || code == "above_limit") {
      const auto used = world_.ledger.used(request().workspace);
      return raise(why, code == "above_limit" ? least : used + least, &Account::limit);
    }
    if (code == "user_limit" || code == "above_user_limit") {
      const auto used = world_.ledger.used_by(request().workspace, request().owner);
      return raise(why, code == "above_user_limit" ? least : used + least, &Account::user_limit);
    }
    if (code == "guaranteed") {
      return {edit(say::make_preemptible(), [](Request& r) { r.preemptible = true; })};
    }
    if (code == "draining")
      return {set_open(say::undrain({.node = text_of(why, "node")}), text_of(why, "node"))};
    if (code == "reserved" || code == "reserved_soon") return around_reservation(why);
    if (code == "port_taken") return around_port(why);
    if (code == "would_delay" || code == "behind" || code == "making_room") return go_first();
    if (found.verdict == Explanation::Verdict::Impossible)
      return ask_less(world_.cluster.emptied());
    return around_scarcity();
  }

  std::vector<Step> raise(const Statement& why, const Amount& to, Bound Account::* which) const {
    const auto resource = text_of(why, "resource");
    const auto what = resource == word_of(Scarce::Gpus)  ? Scarce::Gpus
                      : resource == word_of(Scarce::Cpu) ? Scarce::Cpu
                                                         : Scarce::Memory;
    const Number number = part(to, what);
    const auto workspace = text_of(why, "workspace");
    auto said =
        which == &Account::limit
            ? say::raise_limit(
                  {.workspace = workspace, .to = bare(number, what), .what = unit_of(what)})
            : say::raise_user_limit(
                  {.workspace = workspace, .to = bare(number, what), .what = unit_of(what)});
    said = std::move(said).with("resource", resource).with("number", number);
    return {edit_account(std::move(said), [what, number, which](Account& a) {
      auto& bound = a.*which;
      (what == Scarce::Gpus  ? bound.gpus
       : what == Scarce::Cpu ? bound.cpu_milli
                             : bound.memory) = number;
    })};
  }

  std::vector<Step> around_reservation(const Statement& why) const {
    std::vector<Step> steps;
    const auto name = text_of(why, "reservation");
    if (why.code == "reserved_soon") {
      for (const auto& r : world_.reservations) {
        if (r.name != name || r.from <= now_) continue;
        const auto most = std::chrono::floor<Seconds>(r.from - now_);
        if (most.count() > 0) steps.push_back(shorten(most));
      }
    }
    auto said = say::join_reservation({.workspace = request().workspace_name, .reservation = name});
    steps.push_back({std::move(said), [name, ws = request().workspace](State& s) {
                       for (auto& r : s.reservations) {
                         if (r.name == name) r.workspaces.push_back(ws);
                       }
                     }});
    return steps;
  }

  Step shorten(Seconds most) const {
    return edit(say::shorten_time_limit({.limit = most}).with("seconds", most.count()),
                [most](Request& r) { r.time_left = most; });
  }

  std::vector<Step> around_port(const Statement& why) const {
    const auto port = static_cast<int>(std::get<Number>(why.find("port")->any()));
    return {edit(say::other_port({.port = port}), [port](Request& r) {
      for (auto& g : r.groups) std::erase(g.fixed_ports, port);
    })};
  }

  /// It fits, but others come first.
  std::vector<Step> go_first() {
    std::vector<Step> steps;
    auto node_reservations = node_reservations_ahead_of(world_, waiting(), now_);
    for (auto times = node_reservations.times(); !times.empty(); times.pop_back()) {
      const auto most = std::chrono::floor<Seconds>(times.back() - now_);
      if (most.count() > 0) steps.push_back(shorten(most));
    }
    steps.push_back({say::move_to_front(), [id = id_](State& s) {
                       auto& w = *s.queue.find(id);
                       s.queue.leave(w);
                       w.standing.front = s.next_front--;
                       w.request.place = Place{w.standing.front,
                                               w.standing.priority,
                                               w.standing.workspace,
                                               w.standing.queued_at,
                                               w.standing.number};
                       s.queue.enter(w);
                     }});
    return steps;
  }

  std::vector<Step> around_scarcity() {
    std::vector<Step> steps;
    for (auto& step : go_first()) {
      if (step.said.code == "move_to_front") steps.push_back(std::move(step));
    }
    if (std::ranges::any_of(request().groups,
                            [](const Group& g) { return !g.each.gpu_types.empty(); })) {
      steps.push_back(any_type());
    }
    if (std::ranges::any_of(request().groups,
                            [](const Group& g) { return !g.node_labels.empty(); })) {
      steps.push_back(any_label());
    }
    if (world_.policy.preemption) {
      for (auto above : priorities_of_others()) steps.push_back(raise_priority(above + 1));
    }
    for (auto& step : ask_less(world_.cluster)) steps.push_back(std::move(step));
    if (auto jobs = who_would_have_to_go(); !jobs.empty()) steps.push_back(stop(jobs));
    return steps;
  }

  Step any_type() const {
    return edit(say::any_type(), [](Request& r) {
      for (auto& g : r.groups) g.each.gpu_types.clear();
    });
  }
  Step any_label() const {
    return edit(say::any_label(), [](Request& r) {
      for (auto& g : r.groups) g.node_labels.clear();
    });
  }
  Step raise_priority(Number to) const {
    return edit(say::raise_priority({.priority = to}), [to](Request& r) { r.priority = to; });
  }

  std::vector<Number> priorities_of_others() const {
    std::vector<Number> found;
    for (const auto& key : world_.victim_order.in_order()) {
      if (key.priority >= request().priority && (found.empty() || found.back() != key.priority)) {
        found.push_back(key.priority);
      }
    }
    return found;
  }

  /// The most it could have of what it asks too much of, judged by the room in `cluster`.
  std::vector<Step> ask_less(Cluster cluster) {
    std::vector<Step> steps;
    const auto fits_with = [&](const std::function<void(Request&)>& change) {
      Request r = request();
      change(r);
      const auto shape = world_.shapes.intern(r);
      return fits(cluster, *shape, options_for(*shape, cluster.site()), {});
    };
    const auto try_step = [&](Statement said, std::function<void(Request&)> change) {
      if (!fits_with(change)) return false;
      steps.push_back(edit(std::move(said), std::move(change)));
      return true;
    };
    const auto& shape = *waiting().shape;
    if (shape.tasks > 1) {
      for (int n = shape.tasks - 1; n >= 1; --n) {
        if (try_step(say::fewer_tasks({.tasks = n}), keep_tasks(n))) break;
      }
    }
    for (Number n = shape.widest - 1; n >= 1; --n) {
      if (try_step(say::fewer_gpus({.gpus = n}), narrow_to(n))) break;
    }
    lower(try_step, &model::Resources::memory, Number{1} << 30, [](Number n) {
      return say::less_memory({.to = n});
    });
    lower(try_step, &model::Resources::cpu_milli, 1000, [](Number n) {
      return say::fewer_cpus({.to = n});
    });
    const bool picky_type = std::ranges::any_of(
        request().groups, [](const Group& g) { return !g.each.gpu_types.empty(); });
    const bool picky_label = std::ranges::any_of(
        request().groups, [](const Group& g) { return !g.node_labels.empty(); });
    const auto any_type_fits = [&] {
      return fits_with([](Request& r) {
        for (auto& g : r.groups) g.each.gpu_types.clear();
      });
    };
    const auto any_label_fits = [&] {
      return fits_with([](Request& r) {
        for (auto& g : r.groups) g.node_labels.clear();
      });
    };
    // Where nothing is enough by itself, fewer wishes are a beginning.
    const bool nothing = steps.empty();
    if (picky_type && (nothing || any_type_fits())) steps.push_back(any_type());
    if (picky_label && (nothing || any_label_fits())) steps.push_back(any_label());
    for (Number n = shape.widest - 1; nothing && shape.tasks > 1 && n >= 1; --n) {
      const auto one = [n](Request& r) {
        keep_tasks(1)(r);
        narrow_to(n)(r);
      };
      if (!fits_with(one)) continue;
      steps.push_back(edit(say::fewer_gpus({.gpus = n}), narrow_to(n)));
      break;
    }
    return steps;
  }

  /// The most of one kind, in whole units, with which it fits.
  template <class Try, class SaySo>
  void lower(const Try& try_step,
             Number model::Resources::* which,
             Number unit,
             const SaySo& say_so) {
    Number most = 0;
    for (const auto& g : request().groups) most = std::max(most, g.each.*which);
    const auto with = [which](Number n) {
      return [which, n](Request& r) {
        for (auto& g : r.groups) g.each.*which = std::min(g.each.*which, n);
      };
    };
    for (Number n = (most - 1) / unit; n >= 1; n = n > 64 ? n * 7 / 8 : n - 1) {
      const auto amount = n * unit;
      if (try_step(say_so(amount).with("number", amount), with(amount))) return;
    }
  }

  /// Running jobs, the latest first, without which it fits; not more than it takes.
  std::vector<int> who_would_have_to_go() {
    auto slots = world_.running.slots();
    std::erase_if(slots, [&](int slot) { return world_.running.at(slot).tasks.empty(); });
    std::ranges::sort(slots, {}, [&](int slot) {
      return std::pair(-to_millis(world_.running.at(slot).since), slot);
    });
    const auto fits_without = [&](const std::vector<int>& gone) {
      State trial = world_;
      for (int slot : gone) {
        for (const auto& t : world_.running.at(slot).tasks)
          trial.cluster.give(t.allocation, t.need());
      }
      return fits(trial.cluster, *waiting().shape, world_.options(*waiting().shape), {});
    };
    std::vector<int> gone;
    for (int slot : slots) {
      gone.push_back(slot);
      if (fits_without(gone)) break;
    }
    for (auto i = gone.size(); i-- > 0;) {
      auto fewer = gone;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (fits_without(fewer)) gone = std::move(fewer);
    }
    return gone;
  }

  RequestId id_;
  Time now_;
  State world_;
};

}  // namespace

State changeable(const State& state, const Waiting& waiting, Time now) {
  return around(state, waiting, now, kAround);
}

std::vector<Statement> smallest_change(State changeable, const RequestId& id, Time now) {
  return Finder(std::move(changeable), id, now).find();
}

}  // namespace ty::sched
