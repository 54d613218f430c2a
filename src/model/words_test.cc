#include "model/words.h"

#include <gtest/gtest.h>

#include "model/environment.h"
#include "model/job_spec.h"

namespace ty::model {
namespace {

template <class E>
void every_word_comes_back(E last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const E value = static_cast<E>(i);
    EXPECT_EQ(from_word<E>(to_word(value)), value) << to_word(value);
    EXPECT_NE(words<E>().find(to_word(value)), std::string_view::npos);
  }
  EXPECT_EQ(to_word(static_cast<E>(static_cast<int>(last) + 1)), "?");
  EXPECT_EQ(from_word<E>("no such word"), std::nullopt);
}

TEST(Words, EveryEnumeratorHasOneWordAndComesBack) {
  every_word_comes_back(Dialect::Pumpkin);
  every_word_comes_back(PullPolicy::Never);
  every_word_comes_back(Network::Host);
  every_word_comes_back(MountKind::Scratch);
  every_word_comes_back(MountMode::ExportOnly);
  every_word_comes_back(Shell::BashOrSh);
  every_word_comes_back(Entrypoint::Clear);
  every_word_comes_back(AtEnd::CheckJob);
  every_word_comes_back(FailureClass::Permanent);
  every_word_comes_back(RestartOn::Any);
  every_word_comes_back(PolicyEvent::Any);
  every_word_comes_back(PolicyAction::SucceedJob);
  every_word_comes_back(AlertLevel::Info);
  every_word_comes_back(MetricKind::File);
  every_word_comes_back(AfterWhen::Succeeded);
  every_word_comes_back(JobState::Cancelled);
  every_word_comes_back(TaskState::Stopped);
  every_word_comes_back(Outcome::Lost);
  every_word_comes_back(Reason::ScaledDown);
  every_word_comes_back(RuntimeKind::Fake);
}

TEST(Words, ReadAsTheSpecificationSpellsThem) {
  EXPECT_EQ(to_word(Dialect::OpenPaiV2), "openpai-v2");
  EXPECT_EQ(to_word(JobState::Cancelled), "cancelled");
  EXPECT_EQ(to_word(Reason::PortConflict), "port_conflict");
  EXPECT_EQ(to_word(PolicyAction::RestartPartition), "restart_partition");
}

JobSpec two_roles() {
  JobSpec spec;
  spec.roles.resize(2);
  spec.roles[0].name = "train";
  spec.roles[0].count = 3;
  spec.roles[0].resources.gpus = 2;
  spec.roles[1].name = "eval";
  return spec;
}

TEST(JobSpec, CountsTasksAndGpus) {
  EXPECT_EQ(task_count(two_roles()), 4);
  EXPECT_EQ(gpu_count(two_roles()), 6);
}

TEST(JobSpec, AGangIsEveryoneWhoNeedNotWaitForSuccess) {
  JobSpec spec = two_roles();
  EXPECT_EQ(gang_size(spec), 4);
  spec.roles[1].after = {{.role = "train", .when = AfterWhen::Started}};
  EXPECT_EQ(gang_size(spec), 4);
  spec.roles[1].after[0].when = AfterWhen::Succeeded;
  EXPECT_EQ(gang_size(spec), 3);
  spec.roles[0].min_available = 2;
  EXPECT_EQ(gang_size(spec), 2);
  spec.min_available = 9;
  EXPECT_EQ(gang_size(spec), 3);
  spec.min_available = 0;
  EXPECT_EQ(gang_size(spec), 0);
}

TEST(JobSpec, WhoWaitsForTheStartOfALaterRoleIsLaterToo) {
  JobSpec spec = two_roles();
  spec.roles.push_back({.name = "watch", .after = {{.role = "eval", .when = AfterWhen::Started}}});
  spec.roles[1].after = {{.role = "train"}};
  EXPECT_EQ(gang_size(spec), 3);
}

TEST(JobSpec, LowPriorityMeansPreemptibleUnlessSaidOtherwise) {
  JobSpec spec;
  EXPECT_FALSE(is_preemptible(spec));
  spec.priority = -1;
  EXPECT_TRUE(is_preemptible(spec));
  spec.preemptible = false;
  EXPECT_FALSE(is_preemptible(spec));
}

}  // namespace
}  // namespace ty::model
