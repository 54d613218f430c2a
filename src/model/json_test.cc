#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/pfr.hpp>
#include <chrono>

#include "model/impl/life_fields.h"
#include "model/impl/spec_fields.h"
#include "model/life_json.h"
#include "model/spec_json.h"

namespace ty::model {
namespace {

using json_fields::Fields;
using json_fields::Struct;

/// Fills every field that a list names with something random.
struct Filler {
  template <class T>
  void operator()(std::string_view, T& field, const T&) {
    fill(field);
  }
  static void fill(bool& x) { x = *rc::gen::arbitrary<bool>(); }
  static void fill(int& x) { x = *rc::gen::arbitrary<int>(); }
  static void fill(std::int64_t& x) { x = *rc::gen::arbitrary<std::int64_t>(); }
  static void fill(Seconds& x) { x = Seconds{*rc::gen::arbitrary<std::int64_t>()}; }
  static void fill(std::string& x) { x = *rc::gen::arbitrary<std::string>(); }
  static void fill(Message& x) {
    const int kind = *rc::gen::inRange(0, 4);
    if (kind == 0) x = {};
    if (kind == 1) x = plain("said " + std::to_string(*rc::gen::arbitrary<int>()));
    if (kind == 2) x = say::exit_code({.code = *rc::gen::arbitrary<int>()});
    if (kind == 3) x = joined(say::task_failed({.task = "a-0"}), say::no_restarts_left());
  }
  template <class E>
    requires std::is_enum_v<E>
  static void fill(E& x) {
    do {
      x = static_cast<E>(*rc::gen::inRange(0, 12));
    } while (to_word(x) == "?");
  }
  template <class T>
  static void fill(std::optional<T>& x) {
    x.reset();
    if (*rc::gen::arbitrary<bool>()) fill(x.emplace());
  }
  template <class T>
  static void fill(std::vector<T>& x) {
    x.resize(static_cast<std::size_t>(*rc::gen::inRange(0, 3)));
    for (T& item : x) fill(item);
  }
  template <class T>
  static void fill(std::map<std::string, T>& x) {
    x.clear();
    for (int n = *rc::gen::inRange(0, 3); n > 0; --n) fill(x[*rc::gen::arbitrary<std::string>()]);
  }
  template <Struct T>
  static void fill(T& x) {
    Filler filler;
    // A third of the structs stay as they are, so that defaults meet the rest in every mixture.
    if (*rc::gen::inRange(0, 3) > 0) Fields<T>::visit(filler, x, json_fields::defaults<T>());
  }
};

template <class T>
T random() {
  T value;
  Filler::fill(value);
  return value;
}

struct Counter {
  template <class T>
  void operator()(std::string_view, const T&, const T&) {
    ++count;
  }
  std::size_t count = 0;
};

template <class... T>
void expect_all_fields_listed() {
  const auto check = []<class S>(const S& value) {
    Counter counter;
    Fields<S>::visit(counter, value, value);
    EXPECT_EQ(counter.count, boost::pfr::tuple_size_v<S>) << typeid(S).name();
  };
  (check(T{}), ...);
}

TEST(Json, NoFieldOfAStructIsForgotten) {
  expect_all_fields_listed<JobSpec,
                           RoleSpec,
                           Resources,
                           Port,
                           Mount,
                           Command,
                           RoleCompletion,
                           JobCompletion,
                           Retry,
                           Restart,
                           Policy,
                           Alert,
                           MetricRule,
                           Services,
                           SecretRef,
                           ImageAuth,
                           RunAs,
                           Sku,
                           After,
                           UnknownKey>();
  expect_all_fields_listed<TaskRef, Placement, Ending, Decision, RetryCount>();
}

RC_GTEST_PROP(SpecJson, WhatIsPrintedReadsBackTheSame, ()) {
  const auto spec = random<JobSpec>();
  const auto back = spec_from_json(to_json(spec));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == spec);
}

RC_GTEST_PROP(LifeJson, WhatIsPrintedReadsBackTheSame, ()) {
  const auto placement = random<Placement>();
  RC_ASSERT(placement_from_json(to_json(placement)).value() == placement);
  const auto ending = random<Ending>();
  RC_ASSERT(ending_from_json(to_json(ending)).value() == ending);
  const auto decision = random<Decision>();
  RC_ASSERT(decision_from_json(to_json(decision)).value() == decision);
  const auto retries = random<RetryCount>();
  RC_ASSERT(retry_count_from_json(to_json(retries)).value() == retries);
}

TEST(SpecJson, DefaultsAreNotWrittenAndNeverIs) {
  EXPECT_EQ(to_json(JobSpec{}), "{}");
  JobSpec spec;
  spec.roles.resize(1);
  spec.roles[0].name = "main";
  spec.roles[0].completion.min_failed = std::nullopt;
  EXPECT_EQ(to_json(spec), R"({"roles":[{"name":"main","completion":{"min_failed":null}}]})");
}

TEST(SpecJson, SaysWhatIsWrongAndWhere) {
  const auto message = [](std::string_view text) {
    return spec_from_json(text).error().message.text();
  };
  EXPECT_EQ(message(R"({"roles":[{"count":"two"}]})"),
            "job spec: roles[0].count: expected a whole number");
  EXPECT_EQ(message(R"({"roles":[{"env":{"A":1}}]})"), "job spec: roles[0].env.A: expected a text");
  EXPECT_EQ(message(R"({"completion":{"at_end":"no"}})"),
            "job spec: completion.at_end: expected one of succeed, check_role, check_job");
  EXPECT_EQ(message("[]"), "job spec: /: expected an object");
  EXPECT_TRUE(message("{").starts_with("job spec: not valid JSON: "));
  EXPECT_EQ(spec_from_json(R"({"from_the_future":1,"name":"x"})").value().name, "x");
}

JobSpec typical() {
  JobSpec spec;
  spec.name = "cifar-resnet";
  spec.labels = {{"team", "vision"}};
  spec.time_limit = 6h;
  spec.roles.resize(1);
  RoleSpec& role = spec.roles[0];
  role.name = role.system_name = "main";
  role.image = "pytorch/pytorch:2.4.0-cuda12.1-cudnn9-runtime";
  role.command = {.shell = Shell::BashOrSh,
                  .script = "pip install -r requirements.txt\npython train.py --data $DATA\n",
                  .errexit = true,
                  .pipefail = true,
                  .entrypoint = Entrypoint::Clear};
  role.resources = {.cpu_milli = 4000, .memory = 16LL << 30, .shm = 8LL << 30, .gpus = 1};
  role.mounts = {{.kind = MountKind::Code, .source = "upload:0123456789abcdef", .target = "/code"},
                 {.kind = MountKind::Data,
                  .source = "dataset:cifar10@V2",
                  .target = "/data",
                  .read_only = true}};
  role.env = {{"NCCL_DEBUG", "WARN"}, {"SEED", "42"}};
  role.completion.min_succeeded = 1;
  role.completion.ends_job = true;
  return spec;
}

/// A figure for the log, and a generous bound that only a mistake in kind would break.
TEST(SpecJson, IsQuickForATypicalJob) {
  const JobSpec spec = typical();
  const std::string text = to_json(spec);
  constexpr int kRounds = 2000;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRounds; ++i) ASSERT_EQ(to_json(spec).size(), text.size());
  const auto printed = std::chrono::steady_clock::now();
  for (int i = 0; i < kRounds; ++i) ASSERT_EQ(spec_from_json(text)->roles.size(), 1u);
  const auto parsed = std::chrono::steady_clock::now();
  const auto micros = [](auto span) {
    return std::chrono::duration<double, std::micro>(span).count() / kRounds;
  };
  RecordProperty("print_us", std::to_string(micros(printed - start)));
  RecordProperty("parse_us", std::to_string(micros(parsed - printed)));
  EXPECT_LT(micros(parsed - start), 2000);
}

}  // namespace
}  // namespace ty::model
