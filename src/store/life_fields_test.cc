#include "store/impl/life_fields.h"

#include <filesystem>

#include "store/impl/test_fixture.h"

// Whoever adds a field to model::JobLife is led by these: the list first, for it does not compile,
// then a migration that makes the column, for they do not pass.

namespace ty::store::testing {
namespace {

using model::JobLife;

/// A value of each type a life has that no default is.
void set_sample(model::JobState& value) { value = model::JobState::Failed; }
void set_sample(int& value) { value = 7; }
void set_sample(model::RetryCount& value) { value = {.counted = 1, .conflict = 2}; }
void set_sample(model::Decision& value) { value = {.rule = "min_failed", .exit_code = 3}; }
void set_sample(Time& value) { value = kStart + 77s; }
void set_sample(Millis& value) { value = Millis{1234}; }
void set_sample(Seconds& value) { value = Seconds{90}; }
template <class T>
void set_sample(std::optional<T>& value) {
  set_sample(value.emplace());
}

/// Lives that differ from a new job's in one field each, with that field's column.
std::vector<std::pair<std::string, JobLife>> one_field_each(const JobLife& fresh) {
  std::vector<std::pair<std::string, JobLife>> lives;
  std::apply(
      [&](const auto&... field) {
        const auto add = [&](const auto& one) {
          JobLife life = fresh;
          set_sample(life.*one.member);
          // Columns with an index are written with the state.
          if (one.written == Written::WithState) life.state = model::JobState::Failed;
          lives.emplace_back(one.column, std::move(life));
        };
        (add(field), ...);
      },
      kLifeFields);
  return lives;
}

void expect_every_field_is_kept(World& world, UserId owner) {
  for (const auto& [column, life] : one_field_each(new_job("a", owner).job.life)) {
    SCOPED_TRACE(column);
    NewJob inserted = new_job("inserted-" + column, owner);
    inserted.job.life = life;
    const JobId id = inserted.job.id;
    world.insert(std::move(inserted));
    EXPECT_EQ(run(world.stores->jobs.find(id)).life, life);

    const model::Job plain = world.insert(new_job("saved-" + column, owner));
    JobChange change{.job = plain.seq, .version = plain.version, .life = life, .at = kStart};
    ok(world.save(std::move(change)));
    EXPECT_EQ(run(world.stores->jobs.find(plain.id)).life, life);
  }
}

class LifeFieldsTest : public OnBoth {};
TY_ON_BOTH(LifeFieldsTest);

TEST_P(LifeFieldsTest, EveryFieldIsInsertedUpdatedAndRead) {
  expect_every_field_is_kept(world, ann);
}

TEST(LifeFieldsMigrationTest, DatabasesOfEveryReleaseGetEveryColumn) {
  const std::filesystem::path kept = std::filesystem::path(TY_SOURCE_DIR) / "tests/data/db";
  int opened = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kept)) {
    if (entry.path().extension() != ".db") continue;
    SCOPED_TRACE(entry.path().filename().string());
    TempDir dir;
    const std::string copy = dir / "old.db";
    std::filesystem::copy_file(entry.path(), copy);
    std::filesystem::permissions(copy, std::filesystem::perms::owner_all);
    World world(copy);
    expect_every_field_is_kept(world, world.user("carl"));
    ++opened;
  }
  EXPECT_GT(opened, 0);
}

}  // namespace
}  // namespace ty::store::testing
