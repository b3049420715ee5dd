// A name means one thing: no source sees two types with one name, even in two namespaces.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "build_info.h"
#include "tests/support/shipped.h"
#include "tests/unit/rooms/rooms.h"

namespace tunehub::test {
namespace {

using Names = std::map<std::string, std::vector<std::string>>;  // by file

// The types that a header declares at the outermost level of its namespace.
std::vector<std::string> TypesIn(std::istream& header) {
  static const std::regex kType(
      R"(^(?:struct|class|enum class|using) ([A-Z]\w*)(?: final)?(?: :.*| =.*)? ?[{=].*)");
  std::vector<std::string> types;
  std::smatch match;
  for (std::string line; std::getline(header, line);) {
    if (std::regex_match(line, match, kType)) types.push_back(match[1]);
  }
  return types;
}

void Gather(const Names& includes, const std::string& file, std::set<std::string>& seen) {
  if (!seen.insert(file).second) return;
  const auto found = includes.find(file);
  if (found == includes.end()) return;
  for (const auto& name : found->second) Gather(includes, name, seen);
}

// Returns "Target: a.h and b.h, in c.cpp", once for each pair of headers.
std::set<std::string> SharedNames(const Names& includes, const Names& types) {
  std::set<std::string> shared;
  std::set<std::pair<std::string, std::string>> known;
  for (const auto& [file, unused] : includes) {
    if (!file.ends_with(".cpp")) continue;
    std::set<std::string> seen;
    Gather(includes, file, seen);
    std::map<std::string, std::string> header_by_type;
    for (const auto& header : seen) {
      const auto declared = types.find(header);
      if (declared == types.end()) continue;
      for (const auto& type : declared->second) {
        const auto [first, fresh] = header_by_type.emplace(type, header);
        if (fresh || first->second == header) continue;
        if (!known.insert({type, first->second + header}).second) continue;
        shared.insert(type + ": " + first->second + " and " + header + ", in " + file);
      }
    }
  }
  return shared;
}

TEST(TypeNames, no_source_sees_two_types_of_one_name) {
  Names includes, types;
  for (const auto& include : IncludesOfTheTree()) {
    includes[include.file].push_back(include.name);
  }
  for (const auto& [file, unused] : includes) {
    std::ifstream stream(std::filesystem::path(TUNEHUB_SOURCE_DIR) / file);
    if (file.ends_with(".h")) types[file] = TypesIn(stream);
  }
  EXPECT_THAT(SharedNames(includes, types), testing::IsEmpty());
}

TEST(TypeNames, the_rule_sees_what_it_is_for) {
  std::istringstream header(
      "struct Target {\n  struct Inner {};\n};\nclass Lease;\nclass Job final : public X {\n"
      "enum class Kind : int { kA };\nusing Cells = int;\n");
  EXPECT_THAT(TypesIn(header), testing::ElementsAre("Target", "Job", "Kind", "Cells"));
  const Names includes = {{"a.cpp", {"b.h"}}, {"b.h", {"c.h"}}, {"d.cpp", {"c.h"}}};
  EXPECT_THAT(SharedNames(includes, {{"b.h", {"Target"}}, {"c.h", {"Target"}}}),
              testing::ElementsAre("Target: b.h and c.h, in a.cpp"));
}

// Only core/base parses JSON, because it checks the nesting first. A document with a hundred
// thousand levels would overflow the stack when copied.

// These files call NestsTooDeep first.
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
