// Which room may include which, as ARCHITECTURE.md's table of rooms says, and which foreign library
// may be seen where: each is replaceable only as long as one place knows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/rooms/rooms.h"

namespace tunehub::test {
namespace {

struct Foreign {
  std::string prefix;                // of the included name
  std::vector<std::string> allowed;  // folders or files
};

const std::vector<Foreign> kForeign = {
    {"cpprest/", {"server/http/"}},
    {"pplx/", {"server/http/"}},
    {"pqxx/", {"server/store/"}},
    {"libpq-fe.h", {"server/store/"}},
    {"boost/", {"server/http/", "agent/http/"}},
    {"hip/", {"kernels/gpu/"}},
    {"CLI/", {"core/cli/"}},
    {"openssl/ssl.h", {"server/tls/", "agent/http/"}},
};

bool BeginsWithOneOf(const std::string& path, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return path.starts_with(prefix); });
}

std::optional<std::string> Broken(const Rooms& rooms, const Include& include) {
  const std::string from = FolderOf(include.file), to = FolderOf(include.name);
  if (!rooms.contains(from)) return from + " has no row in ARCHITECTURE.md's table of rooms";
  if (rooms.contains(to) && from != to && !rooms.at(from).contains(to)) {
    return from + " may not include " + to;
  }
  for (const auto& foreign : kForeign) {
    if (include.name.starts_with(foreign.prefix) &&
        !BeginsWithOneOf(include.file, foreign.allowed)) {
      return "only " + foreign.allowed.front() + " may include " + foreign.prefix;
    }
  }
  return std::nullopt;
}

TEST(IncludeDirection, the_tree_keeps_it) {
  const auto rooms = RoomsOfTheTable();
  const auto includes = IncludesOfTheTree();
  ASSERT_GT(includes.size(), 100U);
  std::set<std::string> offenders;
  for (const auto& include : includes) {
    if (const auto reason = Broken(rooms, include)) {
      offenders.insert(include.file + ":" + std::to_string(include.line) + ": " + include.name +
                       ": " + *reason);
    }
  }
  EXPECT_THAT(offenders, testing::IsEmpty());
}

TEST(IncludeDirection, the_table_permits_nothing_that_no_line_uses) {
  const auto rooms = RoomsOfTheTable();
  std::map<std::string, std::set<std::string>> used;
  for (const auto& include : IncludesOfTheTree()) {
    used[FolderOf(include.file)].insert(FolderOf(include.name));
  }
  std::set<std::string> idle;
  for (const auto& [room, may_include] : rooms) {
    if (!used.contains(room)) idle.insert(room + " has no source");
    for (const auto& other : may_include) {
      if (!used[room].contains(other)) idle.insert(room + " does not include " + other);
    }
  }
  EXPECT_THAT(idle, testing::IsEmpty());
}

TEST(IncludeDirection, no_room_reaches_itself_through_others) {
  EXPECT_EQ(CycleIn(RoomsOfTheTable()), "");
}

// Whether compiling `file` reads a header that begins with `prefix`, through our headers too.
bool Reaches(const std::multimap<std::string, std::string>& names_by_file, const std::string& file,
             const std::string& prefix, std::set<std::string>& seen) {
  if (!seen.insert(file).second) return false;
  const auto [begin, end] = names_by_file.equal_range(file);
  return std::any_of(begin, end, [&](const auto& include) {
    return include.second.starts_with(prefix) ||
           Reaches(names_by_file, include.second, prefix, seen);
  });
}

TEST(IncludeDirection, one_file_of_each_program_compiles_beast_because_it_costs_thirteen_seconds) {
  std::multimap<std::string, std::string> names_by_file;
  for (const auto& include : IncludesOfTheTree()) {
    names_by_file.emplace(include.file, include.name);
  }
  std::set<std::string> files;
  for (const auto& [file, unused] : names_by_file) {
    std::set<std::string> seen;
    if (file.ends_with(".cpp") && Reaches(names_by_file, file, "boost/beast", seen)) {
      files.insert(file);
    }
  }
  EXPECT_THAT(files, testing::ElementsAre("agent/http/connection.cpp", "server/http/listener.cpp"));
}

TEST(IncludeDirection, the_rules_catch_what_they_are_for) {
  const auto rooms = ReadRooms(
      "# Title\n"
      "| room | what is in it | may include |\n"
      "|---|---|---|\n"
      "| [core/base](core/base) | texts | |\n"
      "| [core/row](core/row) | rows | core/base |\n"
      "| [agent](agent) | all | core/\\* |\n"
      "| [web](web) | no source of C++ | |\n");
  const auto reason = [&](const std::string& file, const std::string& name) {
    return Broken(rooms, {file, 1, name}).value_or("allowed");
  };
  EXPECT_EQ(reason("core/row/key.cpp", "core/base/sha256.h"), "allowed");
  EXPECT_EQ(reason("core/row/key.cpp", "core/row/cell.h"), "allowed");
  EXPECT_EQ(reason("core/base/fd.cpp", "core/row/key.h"), "core/base may not include core/row");
  EXPECT_EQ(reason("agent/push.cpp", "core/row/key.h"), "allowed");
  EXPECT_EQ(reason("agent/hub/push.cpp", "core/row/key.h"),
            "agent/hub has no row in ARCHITECTURE.md's table of rooms");
  EXPECT_EQ(reason("core/row/key.cpp", "pqxx/pqxx"), "only server/store/ may include pqxx/");
  EXPECT_EQ(CycleIn(rooms), "");
  EXPECT_EQ(CycleIn({{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}}), "a -> b -> c -> a");
  EXPECT_EQ(IncludedName("#  include <pqxx/pqxx>  // why"), "pqxx/pqxx");
  EXPECT_EQ(IncludedName("// #include <pqxx/pqxx>"), std::nullopt);
}

}  // namespace
}  // namespace tunehub::test
