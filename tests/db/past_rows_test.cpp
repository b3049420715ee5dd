// Rows of old revisions. The index finds the same rows as the whole table, regardless of later
// writes.
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

constexpr std::size_t kMCell = 2;
const std::string kUpTo = "allow_empty=1&revision=";

std::string CellAt(const std::string& line, std::size_t cell) {
  std::istringstream in(line);
  std::string text;
  for (std::size_t i = 0; i <= cell; ++i) std::getline(in, text, ',');
  return text;
}

// The header, and the lines whose gfx begins with `gfx` and whose M is in `ms` (empty: any M).
std::string Only(const std::string& table, const std::set<std::string>& ms,
                 const std::string& gfx) {
  std::istringstream in(table);
  std::string line, kept;
  std::getline(in, kept);
  kept += "\n";
  while (std::getline(in, line)) {
    if (line.starts_with(gfx) && (ms.empty() || ms.contains(CellAt(line, kMCell))))
      kept += line + "\n";
  }
  return kept;
}

class PastWorld {
 public:
  explicit PastWorld(unsigned seed) : random_(seed) {}

  // Sends results or an import, or reverts a run.
  void Step() {
    const unsigned dice = Pick(8);
    if (dice < 4) {
      const auto answer = registry_.Send(RandomTable());
      if (!answer.refusal) runs_.push_back(RunOf(answer));
    } else if (dice < 6) {
      const std::string source = Pick(2) == 0 ? "one" : "other";
      registry_.Import(source, {{kTreeFile, RandomTable()}});
    } else if (!runs_.empty()) {
      const std::size_t run = Pick(static_cast<unsigned>(runs_.size()));
      ASSERT_TRUE(server::RevertRun(registry_.pool, runs_[run], {}).ok());
      runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(run));
    }
    const std::string table = registry_.Table("allow_empty=1");
    const auto [known, added] = tables_.emplace(registry_.Revision(), table);
    EXPECT_EQ(known->second, table) << "the table changed without a revision";
    if (added) jsons_[registry_.Revision()] = registry_.Table("allow_empty=1&format=json");
  }

  // Requests every revision from a new server: first some rows, then whole tables.
  void Check() {
    Registry later(registry_.url);
    for (const auto& [revision, table] : tables_) {
      const std::string number = std::to_string(revision);
      for (int i = 0; i < 4; ++i) {
        const std::string one = std::to_string(1 + Pick(12)), two = std::to_string(1 + Pick(12));
        EXPECT_EQ(later.Table(kUpTo + number + "&M=" + one + "&M=" + two),
                  Only(table, {one, two}, ""));
        EXPECT_EQ(later.Table(kUpTo + number + "&gfx=gfx90a&M=" + one),
                  Only(table, {one}, "gfx90a"));
        const std::string found = Only(table, {one}, "");
        EXPECT_EQ(later.Table("M=" + one + "&revision=" + number),
                  found.find('\n') + 1 == found.size() ? "no_rows" : found);
      }
    }
    EXPECT_EQ(later.tables.past_row_counters().misses, 0u) << "a whole table was built";
    for (const auto& [revision, table] : tables_) {
      const std::string number = std::to_string(revision);
      EXPECT_EQ(later.Table(kUpTo + number), table);
      EXPECT_EQ(later.Table(kUpTo + number + "&gfx=gfx942"), Only(table, {}, "gfx942"));
      EXPECT_EQ(later.Table(kUpTo + number + "&format=json"), jsons_[revision]);
    }
    EXPECT_EQ(later.Table("revision=" + std::to_string(registry_.Revision() + 1)),
              "unknown_revision");
  }

  std::size_t revisions() const { return tables_.size(); }
  int unserved() {
    return std::stoi(
        QueryText(registry_.url, "SELECT count(*) FROM tuned WHERE measurement IS NULL"));
  }
  std::string Wrong() {
    return QueryText(
        registry_.url,
        "SELECT count(*) FROM tuned WHERE (measurement IS NULL) <> (standing IS NULL)");
  }

 private:
  unsigned Pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  std::string RandomTable() {
    std::vector<Line> lines;
    for (unsigned i = 0; i < 1 + Pick(7); ++i) {
      Line line;
      line.m = static_cast<int>(1 + Pick(12));
      line.kernel = std::string(1, static_cast<char>('a' + Pick(4)));
      line.us = Pick(9) == 0 ? "inf" : std::to_string(10 + Pick(9));
      line.error = Pick(9) == 0 ? "0.9" : "0.0";
      if (Pick(2) == 0) line.gfx = "gfx90a";
      lines.push_back(line);
    }
    return Csv(lines);
  }

  std::mt19937 random_;
  Registry registry_;
  std::vector<std::int64_t> runs_;
  std::map<std::int64_t, std::string> tables_, jsons_;  // by revision, as the hub served them then
};

TEST(PastRows, found_by_an_index_are_those_of_the_whole_table_after_reverts_and_imports_again) {
  std::size_t revisions = 0;
  int unserved = 0;
  for (const unsigned seed : {1U, 2U, 3U}) {
    PastWorld world(seed);
    for (int i = 0; i < 24; ++i) {
      world.Step();
      if (HasFatalFailure()) return;
    }
    world.Check();
    EXPECT_EQ(world.Wrong(), "0") << seed;
    revisions += world.revisions();
    unserved += world.unserved();
    if (HasFailure()) return;
  }
  EXPECT_GT(revisions, 30u);
  EXPECT_GT(unserved, 0) << "no key has lost its row";
}

// The reader's snapshot lacks the shape key, so the reader looks into the database.
TEST(PastRows, of_keys_that_another_server_has_just_written_are_found) {
  Registry reader;
  reader.Send(Csv({{.m = 1}}));
  reader.snapshots.Refresh();
  Registry writer(reader.url);
  writer.Send(Csv({{.m = 2}}));
  writer.Send(Csv({{.m = 2, .us = "5"}}));
  const auto served = Must(reader.Get({{"M", "2"}, {"revision", "2"}}));
  EXPECT_EQ(*served.table->body, Csv({{.m = 2}}));
  EXPECT_EQ(reader.tables.past_row_counters().misses, 0u);
}

TEST(PastRows, of_the_newest_revision_come_from_memory) {
  Registry registry;
  registry.Send(Csv({{}}));
  registry.Send(Csv({{.us = "5"}}));
  registry.snapshots.Refresh();
  const core::Pin newest = registry.snapshots.Current()->revision;
  const auto ask = [&](const std::string& revision, const std::string& m) {
    return registry.Get({{"M", m}, {"revision", revision}});
  };
  Execute(registry.url, "ALTER TABLE revision RENAME TO hidden");
  for (const std::string& pin : {newest.Text(), std::string("2")}) {
    const auto served = Must(ask(pin, "16"));
    EXPECT_EQ(*served.table->body, Csv({{.us = "5"}}));
    EXPECT_EQ(served.revision, newest);
  }
  EXPECT_ANY_THROW(static_cast<void>(ask("1", "16")));
  Execute(registry.url, "ALTER TABLE hidden RENAME TO revision");
  EXPECT_EQ(*ask("1", "16")->table->body, Csv({{}}));
}

TEST(PastRows, that_are_not_there_are_not_looked_for_again) {
  Registry registry;
  registry.Send(Csv({{}}));
  registry.Send(Csv({{.us = "5"}}));
  EXPECT_EQ(registry.Table("revision=1&M=17"), "no_rows");
  Execute(registry.url, "ALTER TABLE tuned_history RENAME TO hidden");
  EXPECT_EQ(registry.Table("revision=1&M=17"), "no_rows");
  const core::Family& family = registry.family();
  const auto query = server::ParseTunedQuery(family, registry.definitions.targets,
                                             {{"M", "17"}, {"revision", "1"}});
  const auto fast = registry.tables.Find(family, *query, server::Encoding::kGzip);
  ASSERT_TRUE(fast && !fast->ok()) << "the reactor's thread also answers";
  EXPECT_EQ(fast->error().code, "no_rows");
}

// A family's new shape column may come before its older columns.
TEST(PastRows, of_a_revision_with_other_columns_are_found_by_these) {
  Registry registry;
  registry.Send(Csv({{.m = 16}, {.m = 32}}));
  registry.Send(Csv({{.m = 32, .us = "5"}}));
  Registry upgraded(
      registry.url, FamiliesWith("a8w8_blockscale", [](auto& json) {
        nlohmann::ordered_json column = {
            {"name", "dtype"}, {"role", "shape"}, {"type", "text"}, {"missing", "fp8"}};
        auto& columns = json["columns"];
        columns.insert(columns.begin() + 2, std::move(column));
      }));
  EXPECT_EQ(upgraded.Table("revision=1&M=32"), Csv({{.m = 32}}));
  EXPECT_EQ(upgraded.Table("revision=1&M=32&dtype=fp8"), Csv({{.m = 32}}));
  EXPECT_EQ(upgraded.Table("revision=1&M=32&dtype=int8"), "no_rows");
  EXPECT_EQ(upgraded.Table("revision=1&M=17"), "no_rows");
  EXPECT_EQ(upgraded.Table("revision=1&gfx=gfx942"), Csv({{.m = 16}, {.m = 32}}));
}

TEST(PastRowsRace, a_whole_table_that_many_ask_for_at_once_is_built_once) {
  Registry registry;
  registry.Send(Csv({{}, {.m = 32}}));
  registry.Send(Csv({{.us = "5"}}));
  Registry later(registry.url);
  later.snapshots.Refresh();
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {  // threads request the same rows in two formats
      const char* const format = i % 2 == 0 ? "json" : "csv";
      EXPECT_TRUE(later.Get({{"revision", "1"}, {"format", format}, {"gfx", "gfx942"}}).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(later.tables.past_row_counters().misses, 1u);
  EXPECT_EQ(later.tables.past_row_counters().entries, 1u);
}

}  // namespace
}  // namespace tunehub::test
