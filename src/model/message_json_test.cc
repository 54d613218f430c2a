#include "model/message_json.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "model/messages.h"

namespace ty::model {
namespace {

namespace json = boost::json;

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The page words the same cases the same way: web/src/shared/messages.
TEST(Messages, ReadAsTheSharedCasesSay) {
  const json::value cases = json::parse(read_file(TY_SOURCE_DIR "/tests/data/messages.json"));
  ASSERT_GT(cases.get_array().size(), 5U);
  for (const json::value& one : cases.get_array()) {
    const Message message = message_from_json(one.at("message"));
    EXPECT_EQ(render(message, Language::English), one.at("en").get_string());
    EXPECT_EQ(render(message, Language::Chinese), one.at("zh").get_string());
  }
}

TEST(Messages, ComeBackAsTheyWereStored) {
  const Message message =
      joined(say::task_failed_because({.task = "a-0", .why = say::exit_code({.code = 7})}),
             say::no_restarts_left());
  std::string text;
  append_json(text, message);
  EXPECT_EQ(message_from_json(json::parse(text)), message);
}

TEST(Messages, StoredAsTextByAnOlderVersionPassAsTheyAre) {
  EXPECT_EQ(message_from_json(json::value("exit code 3")).text(), "exit code 3");
  EXPECT_TRUE(message_from_json(json::value("")).empty());
  EXPECT_TRUE(message_from_json(json::value(nullptr)).empty());
}

TEST(Messages, OfANewerVersionHideNothing) {
  const Message message{"from_the_future", {{"job", Value("a")}}};
  EXPECT_EQ(message.text(), R"({"code":"from_the_future","data":{"job":"a"}})");
}

}  // namespace
}  // namespace ty::model
