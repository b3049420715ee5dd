// The tree includes only what rooms.txt permits. The project can replace a foreign library only
// while few files include it.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/rooms/rooms.h"

namespace tunehub::test {
namespace {

struct Foreign {
  std::string prefix;                // the start of the included name
  std::vector<std::string> allowed;  // folders or files that may include it
};

const std::vector<Foreign> kForeign = {
    {"cpprest/", {"server/http/"}},
    {"pplx/", {"server/http/"}},
    {"libpq-fe.h", {"server/db/"}},
    // Within a subject, only stores may include it: see OutOfLayer.
    {"pqxx/",
     {"server/db/", "server/snapshots/", "server/keys/", "server/tables/", "server/queue/",
      "server/ingest/", "server/insight/", "server/ops/"}},
    {"boost/", {"server/http/", "agent/hub/connection.", "agent/hub/address."}},
    {"hip/", {"kernels/gpu/"}},
    {"CLI/", {"core/base/command_line."}},
    {"openssl/ssl.h", {"server/tls/", "agent/hub/connection.", "agent/hub/address."}},
};

bool BeginsWithOneOf(const std::string& path, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return path.starts_with(prefix); });
}

std::optional<std::string> Broken(const Rooms& rooms, const Include& include) {
  const std::string from = FolderOf(include.file), to = FolderOf(include.name);
  if (!rooms.contains(from)) return from + " has no line in rooms.txt";
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

// In a subject of the server, such as server/queue, a file's name tells its layer. Routes use HTTP
// and JSON, stores use SQL. The domain files between these layers use none of them.
const std::set<std::string> kSubjects = {"server/snapshots", "server/keys",   "server/tables",
                                         "server/queue",     "server/ingest", "server/insight",
                                         "server/ops"};
// These files use HTTP, too: admission, sign-in and limits check requests, and the export makes
// requests.
const std::set<std::string> kOfRequests = {"server/keys/admission.h", "server/keys/sign_in.h",
                                           "server/ops/limits.h", "server/ops/static_export.h"};

bool NameHas(const std::string& path, const std::string& word) {
  const std::string name = "_" + path.substr(path.rfind('/') + 1);
  return name.find("_" + word + ".") != std::string::npos ||
         name.find("_" + word + "_") != std::string::npos;
}

std::string OutOfLayer(const Include& include) {
  const std::string& to = include.name;
  if (!kSubjects.contains(FolderOf(include.file))) return "";
  const bool store = NameHas(include.file, "store"), routes = NameHas(include.file, "routes");
  const bool sql = to == "sql.h" || to.starts_with("pqxx/") || to == "server/db/transaction.h" ||
                   to == "server/db/write_once.h";
  if (sql && !store) return "only a store uses SQL";
  if (to.starts_with("server/http/") && !routes && !kOfRequests.contains(include.file))
    return "only routes use HTTP";
  if (NameHas(to, "routes") && !routes) return "only routes include routes";
  if (!store) return "";
  if (to.starts_with("server/answers/")) return "a store includes nothing of server/answers";
  const bool below = NameHas(to, "store") || NameHas(to, "records") || NameHas(to, "rules");
  return kSubjects.contains(FolderOf(to)) && !below ? "a store includes no domain file" : "";
}

TEST(IncludeDirection, a_subjects_routes_know_its_nouns_and_those_its_store) {
  std::set<std::string> offenders;
  for (const auto& include : IncludesOfTheTree()) {
    const std::string reason = OutOfLayer(include);
    if (!reason.empty()) offenders.insert(include.file + ": " + include.name + ": " + reason);
  }
  EXPECT_THAT(offenders, testing::IsEmpty());
  EXPECT_EQ(OutOfLayer({"server/queue/jobs.cpp", 1, "sql.h"}), "only a store uses SQL");
  EXPECT_EQ(OutOfLayer({"server/queue/lease_store.cpp", 1, "pqxx/pqxx"}), "");
  EXPECT_EQ(OutOfLayer({"server/queue/lease_store.cpp", 1, "server/queue/planner.h"}),
            "a store includes no domain file");
  EXPECT_EQ(OutOfLayer({"server/queue/demand.cpp", 1, "server/http/message.h"}),
            "only routes use HTTP");
  EXPECT_EQ(OutOfLayer({"server/queue/routes.cpp", 1, "server/http/message.h"}), "");
}

// Returns whether compiling `file` reads a header that begins with `prefix`, also through our
// headers.
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
  EXPECT_THAT(files, testing::ElementsAre("agent/hub/connection.cpp", "server/http/listener.cpp"));
}

TEST(IncludeDirection, the_rules_catch_what_they_are_for) {
  std::istringstream lines(
      "# A title | of the file\n"
      "core/base  texts |\n"
      "\n"
      "core/row  rows: cells, keys | core/base\n"
      "agent  all | core/base core/row\n");
  const auto rooms = ReadRooms(lines);
  EXPECT_EQ(rooms.size(), 3U);
  const auto reason = [&](const std::string& file, const std::string& name) {
    return Broken(rooms, {file, 1, name}).value_or("allowed");
  };
  EXPECT_EQ(reason("core/row/key.cpp", "core/base/hash.h"), "allowed");
  EXPECT_EQ(reason("core/row/key.cpp", "core/row/cell.h"), "allowed");
  EXPECT_EQ(reason("core/base/fd.cpp", "core/row/key.h"), "core/base may not include core/row");
  EXPECT_EQ(reason("agent/push.cpp", "core/row/key.h"), "allowed");
  EXPECT_EQ(reason("agent/hub/push.cpp", "core/row/key.h"), "agent/hub has no line in rooms.txt");
  EXPECT_EQ(reason("core/row/key.cpp", "libpq-fe.h"), "only server/db/ may include libpq-fe.h");
  EXPECT_EQ(reason("core/row/key.cpp", "pqxx/pqxx"), "only server/db/ may include pqxx/");
  EXPECT_EQ(CycleIn(rooms), "");
  EXPECT_EQ(CycleIn({{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}}), "a -> b -> c -> a");
  EXPECT_EQ(IncludedName("#  include <pqxx/pqxx>  // why"), "pqxx/pqxx");
  EXPECT_EQ(IncludedName("// #include <pqxx/pqxx>"), std::nullopt);
}

}  // namespace
}  // namespace tunehub::test
