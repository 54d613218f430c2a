#include "store/impl/test_fixture.h"

namespace ty::store::testing {
namespace {

class PeopleTest : public OnBoth {};
TY_ON_BOTH(PeopleTest);

TEST_P(PeopleTest, UsersAreFoundByNameWhateverTheCapitals) {
  model::User fresh{
      .name = "Zoë", .display_name = "Zoë Z", .email = "z@example.org", .administrator = true};
  fresh.password_hash = Secret("$argon2id$…");
  fresh.created_at = kStart;
  const model::User made = run(stores().users.create(fresh));
  EXPECT_TRUE(made.id);
  const model::User found = run(stores().users.find_by_name("zoë"));
  EXPECT_EQ(found.id, made.id);
  EXPECT_EQ(found.name, "Zoë");
  EXPECT_EQ(found.email, "z@example.org");
  EXPECT_TRUE(found.administrator);
  EXPECT_FALSE(found.disabled);
  EXPECT_EQ(found.password_hash.reveal(), "$argon2id$…");
  EXPECT_EQ(run(stores().users.list()).size(), 3u);
  EXPECT_EQ(error_of(stores().users.find_by_name("nobody")).code, Errc::NotFound);
}

TEST_P(PeopleTest, AUserNameIsTakenOnce) {
  model::User again{.name = "ANN"};
  EXPECT_EQ(error_of(stores().users.create(again)).code, Errc::Conflict);
  model::User other = run(stores().users.find(bob));
  other.name = "Ann";
  EXPECT_EQ(error_of(stores().users.update(other)).code, Errc::Conflict);
  other.name = "Bob";
  other.disabled = true;
  run(stores().users.update(other));
  EXPECT_TRUE(run(stores().users.find(bob)).disabled);
}

TEST_P(PeopleTest, AUserGoesWithTheirTokensAndSessionsButNotWithJobs) {
  const model::Job job = world.insert(new_job("a", ann));
  EXPECT_EQ(error_of(stores().users.remove(ann)).code, Errc::Conflict);
  model::Token token{.user = bob, .name = "ci", .hash = "h"};
  run(stores().tokens.create(token));
  run(stores().users.remove(bob));
  EXPECT_EQ(error_of(stores().tokens.find_by_hash("h")).code, Errc::NotFound);
  world.open();
  EXPECT_GT(world.user("carl"), bob) << "a number stands for one person for ever";
}

TEST_P(PeopleTest, BeingSeenIsWrittenAtMostOnceAMinute) {
  run(stores().users.touch(ann, kStart));
  run(stores().users.touch(ann, kStart + 59s));
  EXPECT_EQ(run(stores().users.find(ann)).last_seen_at, kStart);
  run(stores().users.touch(ann, kStart + 61s));
  EXPECT_EQ(run(stores().users.find(ann)).last_seen_at, kStart + 61s);
}

TEST_P(PeopleTest, TokensAreFoundByHash) {
  model::Token fresh{
      .user = ann, .name = "ci", .hash = "abc", .scopes = {"jobs:read", "jobs:write"}};
  fresh.created_at = kStart;
  fresh.expires_at = kStart + 24h;
  const model::Token made = run(stores().tokens.create(fresh));
  const model::Token found = run(stores().tokens.find_by_hash("abc"));
  EXPECT_EQ(found.id, made.id);
  EXPECT_EQ(found.user, ann);
  EXPECT_EQ(found.scopes, fresh.scopes);
  EXPECT_EQ(found.expires_at, kStart + 24h);
  EXPECT_EQ(error_of(stores().tokens.create(fresh)).code, Errc::Conflict);
  run(stores().tokens.touch(made.id, kStart + 1s));
  run(stores().tokens.touch(made.id, kStart + 2s));
  EXPECT_EQ(run(stores().tokens.list(ann)).at(0).last_used_at, kStart + 1s);
  EXPECT_EQ(error_of(stores().tokens.remove(bob, made.id)).code, Errc::NotFound);
  run(stores().tokens.remove(ann, made.id));
  EXPECT_TRUE(run(stores().tokens.list(ann)).empty());
}

TEST_P(PeopleTest, SessionsLastUntilTheyEndOrExpire) {
  model::Session fresh{.hash = "s1", .user = ann, .client = "Firefox"};
  fresh.created_at = kStart;
  fresh.expires_at = kStart + 1h;
  run(stores().sessions.create(fresh));
  run(stores().sessions.touch("s1", kStart + 10min, kStart + 2h));
  EXPECT_EQ(run(stores().sessions.find_by_hash("s1")).expires_at, kStart + 2h);
  fresh.hash = "s2";
  run(stores().sessions.create(fresh));
  EXPECT_EQ(run(stores().sessions.list(ann)).size(), 2u);
  EXPECT_EQ(run(stores().sessions.prune(kStart + 1h)), 1);
  EXPECT_EQ(error_of(stores().sessions.find_by_hash("s2")).code, Errc::NotFound);
  run(stores().sessions.remove_all(ann));
  EXPECT_EQ(error_of(stores().sessions.find_by_hash("s1")).code, Errc::NotFound);
  run(stores().sessions.remove("s1"));
}

TEST_P(PeopleTest, ASignInLinkWorksOnce) {
  model::SignInLink link{
      .hash = "l1", .user = ann, .created_at = kStart, .expires_at = kStart + 1h};
  run(stores().sessions.create_link(link));
  EXPECT_EQ(run(stores().sessions.use_link("l1", kStart + 1min)), ann);
  EXPECT_EQ(error_of(stores().sessions.use_link("l1", kStart + 1min)).code, Errc::NotFound);
  run(stores().sessions.create_link(link));
  EXPECT_EQ(error_of(stores().sessions.use_link("l1", kStart + 2h)).code, Errc::NotFound);
}

TEST_P(PeopleTest, WorkspacesHaveMembersWithRoles) {
  const auto workspace =
      run(stores().workspaces.create({.name = "vision", .description = "d", .created_at = kStart}));
  EXPECT_EQ(error_of(stores().workspaces.create({.name = "vision"})).code, Errc::Conflict);
  EXPECT_EQ(run(stores().workspaces.find_by_name("vision")).id, workspace.id);
  run(stores().workspaces.set_member(ann, workspace.id, model::WorkspaceRole::Viewer));
  run(stores().workspaces.set_member(ann, workspace.id, model::WorkspaceRole::Manager));
  run(stores().workspaces.set_member(bob, workspace.id, model::WorkspaceRole::Member));
  EXPECT_EQ(run(stores().workspaces.role(ann, workspace.id)), model::WorkspaceRole::Manager);
  EXPECT_EQ(run(stores().workspaces.role(ann, WorkspaceId{1})), std::nullopt);
  const auto members = run(stores().workspaces.members(workspace.id));
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[1].user_name, "bob");
  EXPECT_EQ(run(stores().workspaces.memberships(bob)).at(0).workspace_name, "vision");
  run(stores().workspaces.remove_member(bob, workspace.id));
  EXPECT_EQ(error_of(stores().workspaces.remove_member(bob, workspace.id)).code, Errc::NotFound);
  EXPECT_EQ(error_of(stores().workspaces.set_member(UserId{77}, workspace.id, {})).code,
            Errc::NotFound);

  world.insert(new_job("a", ann, workspace.id));
  EXPECT_EQ(error_of(stores().workspaces.remove(workspace.id)).code, Errc::Conflict);
}

TEST_P(PeopleTest, AWorkspaceIsFoundByWhatItIsCalledNow) {
  auto workspace = run(stores().workspaces.create({.name = "vision"}));
  EXPECT_EQ(run(stores().workspaces.find_by_name("vision")).description, "");
  workspace.description = "eyes";
  run(stores().workspaces.update(workspace));
  EXPECT_EQ(run(stores().workspaces.find_by_name("vision")).description, "eyes");
  workspace.name = "sight";
  run(stores().workspaces.update(workspace));
  EXPECT_EQ(error_of(stores().workspaces.find_by_name("vision")).code, Errc::NotFound);
  EXPECT_EQ(run(stores().workspaces.find_by_name("sight")).id, workspace.id);
  run(stores().workspaces.remove(workspace.id));
  EXPECT_EQ(error_of(stores().workspaces.find_by_name("sight")).code, Errc::NotFound);
}

TEST_P(PeopleTest, SettingsAreKept) {
  EXPECT_EQ(run(stores().settings.get("x")), std::nullopt);
  EXPECT_EQ(run(stores().settings.get_or_set("x", "1")), "1");
  EXPECT_EQ(run(stores().settings.get_or_set("x", "2")), "1");
  run(stores().settings.set("x", "3"));
  world.open();
  EXPECT_EQ(run(stores().settings.get("x")), "3");
}

class EventTest : public OnBoth {};
TY_ON_BOTH(EventTest);

TEST_P(EventTest, AFollowerSeesWhatItMaySeeAndKnowsHowFarItGot) {
  const auto other = run(stores().workspaces.create({.name = "other"})).id;
  const model::Job mine = world.insert(new_job("a", ann));
  world.insert(new_job("b", bob, other));
  EventQuery query{.workspaces = {WorkspaceId{1}}};
  const EventPage page = run(stores().events.after(query));
  ASSERT_EQ(page.events.size(), 1u);
  EXPECT_EQ(page.events[0].job, mine.id);
  EXPECT_EQ(page.seen, run(stores().events.last())) << "the other one was looked at too";
  EXPECT_FALSE(page.more);
  EventQuery of_bob{.owner = bob};
  EXPECT_EQ(run(stores().events.after(of_bob)).events.size(), 1u);
}

TEST_P(EventTest, PagesFollowEachOther) {
  for (int i = 0; i < 25; ++i) {
    model::Event event{
        .at = kStart, .kind = "test." + std::to_string(i), .actor = "ann", .data = "{}"};
    run(stores().events.append(event));
  }
  EventQuery query{.limit = 10};
  std::vector<std::string> kinds;
  for (EventPage page{.more = true}; page.more; query.after = page.seen) {
    page = run(stores().events.after(query));
    for (const model::Event& event : page.events) kinds.push_back(event.kind);
  }
  ASSERT_EQ(kinds.size(), 25u);
  EXPECT_EQ(kinds[24], "test.24");
}

TEST_P(EventTest, OldEventsGoButNotThoseOfJobsThatLive) {
  const model::Job lives = world.insert(new_job("a", ann));
  const model::Job ends = world.insert(new_job("b", ann));
  ok(world.save(change_of(ends, model::JobState::Failed)));
  model::Event late{.at = kStart + 1h, .kind = "late", .data = "{}"};
  run(stores().events.append(late));
  EXPECT_EQ(run(stores().events.prune(kStart + 1min)), 1);
  const EventPage page = run(stores().events.after({}));
  ASSERT_EQ(page.events.size(), 2u);
  EXPECT_EQ(page.events[0].job, lives.id);
  EXPECT_EQ(page.events[1].kind, "late");
}

}  // namespace
}  // namespace ty::store::testing
