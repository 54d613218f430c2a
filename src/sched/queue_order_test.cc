#include <gtest/gtest.h>

#include "sched/scheduler.h"

namespace ty::sched {
namespace {

const Time kNow = from_millis(1'750'000'000'000);

Request request(const std::string& name, std::int64_t arrival) {
  Request r;
  r.id.job = JobId(name);
  r.name = name;
  r.queued_at = kNow;
  r.arrival = arrival;
  Group group;
  group.each.cpu_milli = 1000;
  group.tasks = {{0, 0}};
  group.min_tasks = 1;
  r.groups = {group};
  r.min_tasks = 1;
  return r;
}

std::vector<std::string> order(const Scheduler& scheduler) {
  std::vector<std::string> jobs;
  for (const QueueEntry& entry : scheduler.queue(kNow, 0, 1000)) jobs.push_back(entry.id.job.str());
  return jobs;
}

TEST(QueueOrder, AmongThoseOfOneMomentItIsTheirArrivalNotWhenTheyAreHandedIn) {
  Scheduler scheduler;
  scheduler.enqueue(request("third", 30));
  scheduler.enqueue(request("first", 10));
  scheduler.enqueue(request("second", 20));
  EXPECT_EQ(order(scheduler), (std::vector<std::string>{"first", "second", "third"}));
}

TEST(QueueOrder, APlaceByHandIsFoundAgainByAnotherScheduler) {
  Scheduler before;
  for (int i = 1; i <= 5; ++i) before.enqueue(request("job-" + std::to_string(i), i));
  const auto place = before.move_before({.job = JobId("job-5")}, RequestId{.job = JobId("job-2")});
  ASSERT_TRUE(place);
  Scheduler after;
  for (const int i : {4, 5, 2, 1, 3}) {
    Request r = request("job-" + std::to_string(i), i);
    if (i == 5) r.place = *place;
    after.enqueue(r);
  }
  EXPECT_EQ(order(before), (std::vector<std::string>{"job-1", "job-5", "job-2", "job-3", "job-4"}));
  EXPECT_EQ(order(after), order(before));
}

TEST(QueueOrder, AnyNumberFitsBetweenTwoAndEveryOneOfThemCanLeave) {
  Scheduler scheduler;
  for (int i = 1; i <= 200; ++i) scheduler.enqueue(request("job-" + std::to_string(i), i));
  for (int i = 3; i <= 200; ++i)
    ASSERT_TRUE(scheduler.move_before({.job = JobId("job-" + std::to_string(i))},
                                      RequestId{.job = JobId("job-2")}));
  const auto jobs = order(scheduler);
  EXPECT_EQ(jobs.front(), "job-1");
  EXPECT_EQ(jobs.back(), "job-2");
  for (int i = 200; i >= 1; --i) {
    scheduler.withdraw_job(JobId("job-" + std::to_string(i)));
    EXPECT_EQ(order(scheduler).size(), static_cast<std::size_t>(i - 1));
  }
}

}  // namespace
}  // namespace ty::sched
