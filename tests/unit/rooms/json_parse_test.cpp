// core/base alone parses JSON: it looks at the nesting first, and copying a document that nests a
// hundred thousand deep ends the stack.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "build_info.h"
#include "tests/support/shipped.h"
#include "tests/unit/rooms/rooms.h"

namespace tunehub::test {
namespace {

// Each of them asks NestsTooDeep before.
const std::set<std::string> kParsers = {"core/base/json_object.cpp", "core/base/read_json.cpp"};

bool ParsesByItself(const std::string& line) {
  static const std::regex kParse(
      R"(\b(json|Json|ordered_json)(::| *>>? *::)(parse|accept|from_\w+)\(|>> *\w*[jJ]son\b)");
  const std::size_t comment = line.find("//");
  return std::regex_search(line.substr(0, comment), kParse);
}

TEST(JsonParse, one_place_does_it_for_the_whole_tree) {
  std::set<std::string> files, offenders;
  for (const auto& include : IncludesOfTheTree()) files.insert(include.file);
  ASSERT_GT(files.size(), 500U);
  for (const std::string& file : files) {
    if (kParsers.contains(file)) continue;
    std::istringstream text(ReadText(TUNEHUB_SOURCE_DIR "/" + file));
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
      if (ParsesByItself(line)) offenders.insert(file + ":" + std::to_string(number));
    }
  }
  EXPECT_THAT(offenders, testing::IsEmpty()) << "core::ReadJson, SureJson or ParseJson instead";
}

TEST(JsonParse, the_rule_sees_what_it_is_for) {
  for (const char* line :
       {"  const auto json = nlohmann::json::parse(body, nullptr, false);", "  Json::parse(*body)",
        "nlohmann::ordered_json::parse(", "  if (!nlohmann::json::accept(text)) return;",
        "  in >> json;", "json::from_cbor(bytes)"}) {
    EXPECT_TRUE(ParsesByItself(line)) << line;
  }
  for (const char* line :
       {"  core::ReadJson(body)", "// json::parse(", "json::parse_error& error",
        "nlohmann::json::sax_parse(text, &check)", "core::ParseJson(text, errors)"}) {
    EXPECT_FALSE(ParsesByItself(line)) << line;
  }
}

}  // namespace
}  // namespace tunehub::test
