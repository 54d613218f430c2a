#include "auth/permission.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

namespace ty::auth {
namespace {

const WorkspaceId kVision{1};
const WorkspaceId kSpeech{2};
const UserId kLi{10};
const UserId kWang{11};

Principal person(UserId user, std::optional<WorkspaceRole> role, Scopes scopes = {Scope::Write}) {
  Principal principal{.user = user, .name = "someone", .scopes = scopes};
  if (role) principal.workspaces.push_back({kVision, "vision", *role});
  return principal;
}
Principal administrator(Scopes scopes) {
  return {.user = UserId{1}, .name = "admin", .administrator = true, .scopes = scopes};
}

const Resource kLisJob{.workspace = kVision, .owner = kLi};

TEST(Permission, AMemberRulesOwnJobsAndOnlySeesOthers) {
  const Principal li = person(kLi, WorkspaceRole::Member);
  const Principal wang = person(kWang, WorkspaceRole::Member);
  for (const Action action : {Action::ShowJob,
                              Action::ReadLogs,
                              Action::StopJob,
                              Action::DeleteJob,
                              Action::RetryJob,
                              Action::OpenTerminal}) {
    EXPECT_TRUE(may(li, action, kLisJob)) << to_word(action);
  }
  EXPECT_TRUE(may(wang, Action::ReadLogs, kLisJob));
  EXPECT_TRUE(may(wang, Action::SubmitJob, {.workspace = kVision}));
  for (const Action action :
       {Action::StopJob, Action::DeleteJob, Action::RetryJob, Action::OpenTerminal}) {
    EXPECT_FALSE(may(wang, action, kLisJob)) << to_word(action);
  }
}

TEST(Permission, AViewerOnlyLooks) {
  const Principal viewer = person(kWang, WorkspaceRole::Viewer);
  EXPECT_TRUE(may(viewer, Action::ShowJob, kLisJob));
  EXPECT_FALSE(may(viewer, Action::SubmitJob, {.workspace = kVision, .owner = kWang}));
}

TEST(Permission, AWorkspaceManagerRulesTheWorkspaceAndNoOther) {
  const Principal lead = person(kWang, WorkspaceRole::Manager);
  EXPECT_TRUE(may(lead, Action::StopJob, kLisJob));
  EXPECT_TRUE(may(lead, Action::ManageMembers, {.workspace = kVision}));
  EXPECT_FALSE(may(lead, Action::StopJob, {.workspace = kSpeech, .owner = kLi}));
  EXPECT_FALSE(may(lead, Action::OpenTerminal, kLisJob));
  EXPECT_FALSE(may(lead, Action::ManageUsers, {}));
}

TEST(Permission, AStrangerSeesNothing) {
  const Principal stranger = person(kWang, {}, Scopes::all());
  for (const Rule& rule : rules()) {
    if (rule.others == Standing::SignedIn) continue;
    EXPECT_FALSE(may(stranger, rule.action, kLisJob)) << rule.word;
  }
}

TEST(Permission, WhoLeftAWorkspaceMayStillStopWhatRunsThere) {
  const Principal left = person(kLi, {});
  EXPECT_TRUE(may(left, Action::StopJob, kLisJob));
  EXPECT_TRUE(may(left, Action::ReadLogs, kLisJob));
  EXPECT_FALSE(may(left, Action::RetryJob, kLisJob));
}

TEST(Permission, AnAdministratorWithAllScopesMayEverything) {
  const Principal admin = administrator(Scopes::all());
  for (const Rule& rule : rules()) EXPECT_TRUE(may(admin, rule.action, kLisJob)) << rule.word;
  for (const Rule& rule : rules()) EXPECT_TRUE(may(the_server(), rule.action, {})) << rule.word;
}

TEST(Permission, AnAdministratorsLesserTokenIsALesserToken) {
  const Principal admin = administrator({Scope::Write});
  const auto stop = may(admin, Action::OpenTerminal, kLisJob);
  ASSERT_FALSE(stop);
  EXPECT_NE(stop.error().message.text().find("lacks the scope \"admin\""), std::string::npos);
  EXPECT_EQ(admin.visible_workspaces(), std::vector{WorkspaceId{-1}});
}

TEST(Permission, AReadTokenChangesNothing) {
  const Principal reader = person(kLi, WorkspaceRole::Manager, {Scope::Read});
  EXPECT_TRUE(may(reader, Action::ReadLogs, kLisJob));
  const auto stop = may(reader, Action::StopJob, kLisJob);
  ASSERT_FALSE(stop);
  EXPECT_EQ(stop.error().code, Errc::Forbidden);
  EXPECT_EQ(stop.error().message.text(),
            "this token may not stop this job: it lacks the scope \"write\"");
}

TEST(Permission, TheRefusalSaysWhatItTakes) {
  const auto refusal = [](WorkspaceRole role, Action action) {
    return may(person(kWang, role), action, kLisJob).error().message.text();
  };
  EXPECT_EQ(refusal(WorkspaceRole::Member, Action::StopJob),
            "you may not stop this job: it is not yours, so this needs a manager of the workspace");
  EXPECT_EQ(refusal(WorkspaceRole::Viewer, Action::SubmitJob),
            "you may not submit jobs to this workspace: this needs a member of the workspace");
}

TEST(Permission, EveryActionHasItsWords) {
  for (const Rule& rule : rules())
    EXPECT_TRUE(is_known_code(phrase_of(rule.action).code)) << rule.word;
}

TEST(Permission, NobodysThingsAreNobodysOwn) {
  Principal nameless = person(UserId{}, {}, Scopes::all());
  EXPECT_FALSE(may(nameless, Action::StopJob, {}));
}

TEST(Permission, EveryActionHasOneWord) {
  std::set<std::string_view> words;
  for (const Rule& rule : rules()) EXPECT_TRUE(words.insert(rule.word).second) << rule.word;
}

TEST(Permission, MoreRightsNeverAllowLess) {
  EXPECT_TRUE(rc::check([] {
    const auto& rule = rules()[*rc::gen::inRange<std::size_t>(0, rules().size())];
    const auto role = *rc::gen::inRange(-1, 3);
    const auto better = *rc::gen::inRange(role, 3);
    const auto scope =
        *rc::gen::element(Scopes{}, Scopes{Scope::Read}, Scopes{Scope::Write}, Scopes::all());
    const bool admin = *rc::gen::arbitrary<bool>();
    const UserId user = *rc::gen::element(kLi, kWang);
    const auto with = [&](int r, Scopes s, bool a) {
      Principal p =
          person(user, r < 0 ? std::nullopt : std::optional(static_cast<WorkspaceRole>(r)), s);
      p.administrator = a;
      return may(p, rule.action, kLisJob).has_value();
    };
    const bool allowed = with(role, scope, admin);
    RC_ASSERT(!allowed || with(better, scope, admin));
    RC_ASSERT(!allowed || with(role, Scopes::all(), admin));
    RC_ASSERT(!allowed || with(role, scope, true));
  }));
}

TEST(Principal, SeesTheWorkspacesItBelongsTo) {
  EXPECT_EQ(person(kLi, WorkspaceRole::Viewer).visible_workspaces(), std::vector{kVision});
  EXPECT_TRUE(administrator(Scopes::all()).visible_workspaces().empty());
}

}  // namespace
}  // namespace ty::auth
