#include "model/references.h"

#include <gtest/gtest.h>

#include "model/impl/references.h"

namespace ty::model {
namespace {

std::string replaced(std::string_view text) {
  static const std::string kValue = "v";
  return replace_references(
      text, [](const std::string& name) { return name == "A" ? &kValue : nullptr; });
}

TEST(References, AreReplacedWhereTheNameIsKnown) {
  EXPECT_EQ(replaced("x$(A)y$(A)"), "xvyv");
  EXPECT_EQ(replaced("$(B) $( $"), "$(B) $( $");
  EXPECT_EQ(replaced("$$(A) $$A $A"), "$(A) $A $A");
}

TEST(References, MayLeadFromOneVariableToAnother) {
  Variables out;
  out.set("HOSTNAME", "here");
  const EnvMap own = {{"A", "$(B)!"}, {"B", "$(HOSTNAME)"}, {"C", "$(C) $(D)"}, {"D", "$(C)"}};
  resolve_references(own, out);
  EXPECT_EQ(*out.find("A"), "here!");
  EXPECT_EQ(*out.find("B"), "here");
  EXPECT_EQ(*out.find("C"), "$(C) $(C)") << "one that leads back to itself stays as written";
}

TEST(References, ThatDoubleAtEveryStepAreCutShort) {
  Variables out;
  EnvMap own = {{"V0", std::string(100, 'x')}};
  for (int i = 1; i < 60; ++i) {
    const std::string before = "$(V" + std::to_string(i - 1) + ")";
    own["V" + std::to_string(i)] = before + before;
  }
  resolve_references(own, out);
  EXPECT_LT(out.find("V59")->size(), 1U << 20);
}

TEST(References, OfTheCommandAreTheWordsOnly) {
  Command command{.argv = {"echo", "$(A)"}, .script = "$(A)", .args = {"$(SOFT)"}};
  const TaskEnvironment environment{.soft = {{"SOFT", "s"}}, .platform = {{"A", "a"}}, .files = {}};
  const Command found = resolve_references(command, environment);
  EXPECT_EQ(found.argv, (std::vector<std::string>{"echo", "a"}));
  EXPECT_EQ(found.args, std::vector<std::string>{"s"});
  EXPECT_EQ(found.script, "$(A)");
}

}  // namespace
}  // namespace ty::model
