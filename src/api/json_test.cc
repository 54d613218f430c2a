#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json.hpp>

#include "api/json_reader.h"
#include "api/json_writer.h"
#include "api/query_reader.h"
#include "api/v1/byte_range.h"
#include "base/text.h"

namespace ty::api {
namespace {

using v1::parse_byte_range;

namespace json = boost::json;

std::string error_text(const Result<void>& result) {
  return result ? "" : result.error().message.text();
}

TEST(JsonReader, ReadsEachTypeAndLeavesAbsentFieldsAlone) {
  const json::value body =
      json::parse(R"({"name":"a","on":true,"n":-3,"list":["x","y"],"nil":null})");
  std::string name;
  std::string other = "kept";
  bool on = false;
  std::int64_t n = 0;
  std::vector<std::string> list;
  std::optional<std::string> nil = "set";
  JsonReader reader(body);
  reader.req("name", name)
      .opt("other", other)
      .req("on", on)
      .req("n", n)
      .req("list", list)
      .req("nil", nil);
  ASSERT_TRUE(reader.done());
  EXPECT_EQ(name, "a");
  EXPECT_EQ(other, "kept");
  EXPECT_TRUE(on);
  EXPECT_EQ(n, -3);
  EXPECT_EQ(list, (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(nil.has_value());
}

TEST(JsonReader, TellsEveryFaultAtOnce) {
  const json::value body = json::parse(R"({"nmae":"a","on":"yes","list":["x",2]})");
  std::string name;
  bool on = false;
  std::vector<std::string> list;
  JsonReader reader(body);
  const auto result = reader.req("name", name).opt("on", on).opt("list", list).done();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::Invalid);
  EXPECT_EQ(result.error().message.text(),
            "/name: missing; /on: expected true or false, got text; /list/1: expected text, got a "
            "number; "
            "and 1 more");
  ASSERT_EQ(result.error().details.size(), 4u);
  EXPECT_EQ(result.error().details[3].pointer, "/nmae");
  EXPECT_EQ(result.error().details[3].message.text(), "unknown field, did you mean name?");
}

TEST(JsonReader, WantsAnObject) {
  std::string name;
  const json::value list = json::parse("[1]");
  EXPECT_EQ(error_text(JsonReader(list).req("name", name).done()),
            "expected an object, got a list");
}

TEST(ParseJson, SaysWhereItStopsBeingJson) {
  EXPECT_TRUE(parse_json(" {\"a\": 1}\n "));
  EXPECT_EQ(parse_json("{\"a\": 1,\n  x}").error().message.text().substr(0, 43),
            "the body is not JSON (line 2, column 3): sy");
  EXPECT_FALSE(parse_json("{} {}"));
  EXPECT_FALSE(parse_json("{\"a\": "));
  EXPECT_FALSE(parse_json(""));
  EXPECT_FALSE(parse_json(std::string(100'000, '[')));
}

TEST(JsonWriter, WritesWhatAParserReads) {
  JsonWriter out;
  out.object()
      .field("text", "a\"b\\c\n\x01任")
      .field("yes", true)
      .field("n", std::int64_t{-5})
      .field("half", 0.5)
      .field("none", std::optional<int>())
      .field("at", from_millis(0))
      .key("list")
      .array()
      .value(1)
      .object()
      .end_object()
      .array()
      .end_array()
      .end_array()
      .key("raw")
      .raw("{\"x\":1}")
      .end_object();
  EXPECT_EQ(
      std::move(out).finish(),
      "{\"text\":\"a\\\"b\\\\c\\n\\u0001任\",\"yes\":true,\"n\":-5,\"half\":0.5,\"none\":null,"
      "\"at\":\"1970-01-01T00:00:00.000Z\",\"list\":[1,{},[]],\"raw\":{\"x\":1}}\n");
}

RC_GTEST_PROP(JsonWriter, AnyBytesBecomeValidJson, (const std::string& bytes)) {
  JsonWriter out;
  out.value(bytes);
  const json::value read = json::parse(std::move(out).finish());
  RC_ASSERT(read.is_string());
  if (invalid_utf8(bytes) == std::string::npos) RC_ASSERT(std::string(read.get_string()) == bytes);
}

class QueryTest : public ::testing::Test {
 protected:
  net::Request request(std::string_view query) {
    net::Request made;
    EXPECT_TRUE(net::parse_target("/x?" + std::string(query), made.target));
    return made;
  }
};

TEST_F(QueryTest, ReadsWhatIsThere) {
  const net::Request made =
      request("state=a,b&state=c&limit=7&force&name=x%20y&from=1970-01-01T00:00:01Z");
  std::vector<std::string> states;
  std::int64_t limit = 50;
  bool force = false;
  bool other = true;
  std::string name;
  std::optional<Time> from;
  ASSERT_TRUE(QueryReader(made)
                  .list("state", states)
                  .opt("limit", limit, 1, 10)
                  .opt("force", force)
                  .opt("other", other)
                  .opt("name", name)
                  .opt("from", from)
                  .done());
  EXPECT_EQ(states, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(limit, 7);
  EXPECT_TRUE(force);
  EXPECT_TRUE(other);
  EXPECT_EQ(name, "x y");
  EXPECT_EQ(from, from_millis(1000));
}

TEST_F(QueryTest, TellsEveryFaultAtOnce) {
  const net::Request made = request("limit=0&force=maybe&from=yesterday&limt=3&count=1x");
  std::int64_t limit = 50;
  std::int64_t count = 0;
  bool force = false;
  std::optional<Time> from;
  const auto result = QueryReader(made)
                          .opt("limit", limit, 1, 10)
                          .opt("force", force)
                          .opt("from", from)
                          .opt("count", count, 0, 5)
                          .done();
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error().details.size(), 5u);
  EXPECT_EQ(result.error().details[0].message.text(), "0 is too small; write 1 or more");
  EXPECT_EQ(result.error().details[4].pointer, "?limt");
  EXPECT_EQ(result.error().details[4].message.text(), "unknown parameter, did you mean limit?");
}

TEST(ByteRange, IsOneRangeOrNothing) {
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(parse_byte_range("bytes=2-5"), (Range{2, 6}));
  EXPECT_EQ(parse_byte_range("bytes=0-0"), (Range{0, 1}));
  EXPECT_EQ(parse_byte_range("bytes=7-")->first, 7u);
  for (const char* ignored : {"",
                              "bytes=",
                              "bytes=-5",
                              "bytes=5-2",
                              "bytes=1-2,4-5",
                              "lines=1-2",
                              "bytes=a-b",
                              "bytes=1-99999999999999999999",
                              "bytes=99999999999999999999-"}) {
    EXPECT_FALSE(parse_byte_range(ignored)) << ignored;
  }
}

}  // namespace
}  // namespace ty::api
