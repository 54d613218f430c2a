#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "jobspec/impl/dialect.h"
#include "jobspec/print.h"

/// Every dialect is described to editors, and the description knows the keys that the reader knows.
namespace ty::jobspec {
namespace {

TEST(Schemas, EveryFormatHasOneThatNamesItsKeys) {
  for (const DialectEntry* const entry : dialects()) {
    const auto text = json_schema(entry->dialect);
    ASSERT_TRUE(text) << entry->title;
    boost::json::error_code ec;
    const boost::json::value schema = boost::json::parse(*text, ec);
    ASSERT_FALSE(ec) << entry->title().text() << ": " << ec.message();
    EXPECT_EQ(schema.at("$schema").as_string(), "http://json-schema.org/draft-07/schema#");
    const boost::json::object& properties = schema.at("properties").as_object();
    for (const std::string_view key : entry->keys())
      EXPECT_TRUE(properties.contains(key)) << entry->title().text() << ": " << key;
  }
}

}  // namespace
}  // namespace ty::jobspec
