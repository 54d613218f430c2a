#include "jobspec/native/fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "jobspec/impl/readers.h"
#include "jobspec/print.h"
#include "jobspec/read.h"
#include "model/spec_json.h"

namespace ty::jobspec::native {
namespace {

TEST(NativeFields, EveryExampleIsAcceptedAndHasAnEffect) {
  ReadOptions options;
  options.local_sources = LocalSources::Keep;
  const std::string frame =
      "image: x:1\nroles: {prepare: {}, main: {count: 4, memory: 8GB, shm: 1GB, gpus: 1}}\n";
  const std::string base = model::to_json(read(frame, options).jobs.at(0).spec);
  for (const Field& field : fields()) {
    std::string file(field.example);
    if (field.key == "roles")
      file += "\nrun: y";
    else if (field.key == "image")
      file += "\nroles: {prepare: {}, main: {count: 4}}";
    else
      file = frame + file;
    if (field.level != Level::Job && frame.find(std::string(field.key) + ":") != std::string::npos)
      continue;
    if (field.key == "after") file = "image: x:1\nroles: {prepare: {}, main: {after: prepare}}";
    const ReadResult result = read(file, options);
    if (field.key == "main") {  // as a default for two roles it is a contradiction
      EXPECT_EQ(result.errors.at(0).code, "main_twice");
      continue;
    }
    ASSERT_TRUE(result.ok()) << field.key << ": " << format_issue(result.errors[0], "") << "\n"
                             << file;
    const bool changes_nothing =
        field.key == "trainyard" || field.key == "fail_when" || field.key == "network";
    EXPECT_EQ(model::to_json(result.jobs.at(0).spec) == base, changes_nothing) << file;
  }
}

TEST(NativeFields, AreExplainedInBothLanguages) {
  std::set<std::string_view> keys;
  const auto check = [](const Field& field) {
    EXPECT_FALSE(field.english.empty()) << field.key;
    EXPECT_FALSE(field.chinese.empty()) << field.key;
    EXPECT_TRUE(field.example.starts_with(std::string(field.key) + ":")) << field.key;
  };
  for (const Field& field : fields()) {
    check(field);
    EXPECT_TRUE(keys.insert(field.key).second) << field.key;
  }
  for (const Object& object : objects()) std::ranges::for_each(object.fields, check);
}

TEST(NativeSchema, IsJsonWithEveryKeyAndNoDanglingReference) {
  const std::string schema = json_schema();
  Tree tree(schema);
  const Syntax syntax = read_json(schema, tree);
  ASSERT_FALSE(syntax.fatal) << syntax.fatal->message << " at "
                             << schema.substr(syntax.fatal->at, 80);
  ASSERT_TRUE(syntax.faults.empty());
  const Ref top = *tree.documents().begin();
  const Ref definitions = top.find("definitions");
  for (const Field& field : fields()) {
    const Ref property = top.find("properties").find(field.key);
    ASSERT_TRUE(property) << field.key;
    EXPECT_TRUE(property.find("description"));
    EXPECT_TRUE(property.find("examples"));
    const bool in_role =
        static_cast<bool>(definitions.find("role").find("properties").find(field.key));
    EXPECT_EQ(in_role, field.level != Level::Job) << field.key;
  }
  constexpr std::string_view kRef = "\"$ref\":\"#/definitions/";
  for (std::size_t at = schema.find(kRef); at != std::string::npos;
       at = schema.find(kRef, at + 1)) {
    const std::size_t from = at + kRef.size();
    const std::string name = schema.substr(from, schema.find('"', from) - from);
    EXPECT_TRUE(definitions.find(name)) << name;
  }
}

}  // namespace
}  // namespace ty::jobspec::native
