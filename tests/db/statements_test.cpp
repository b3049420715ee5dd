// The SQL by itself: every statement is one that PostgreSQL accepts, and the winner rule in SQL is
// that of core/row/standing.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "server/db/connection_pool.h"
#include "server/ingest/run_store.h"
#include "sql.h"
#include "tests/support/registry.h"
#include "tests/support/winner_rule.h"

namespace tunehub::test {
namespace {

// Those that a batch, a revert and a judging again have while they run.
void MakeTables(pqxx::work& work) {
  for (const auto& tables : {server::sql::stage_tables, server::sql::known_tables,
                             server::sql::choice_tables, server::sql::judge_tables}) {
    work.exec(std::string(tables));
  }
}

struct Statements : RegistryTest {
  Statements() { MakeTables(work); }

  server::ConnectionPool pool{registry.url, {}};
  std::unique_ptr<server::WatchedConnection> connection = pool.Open();
  pqxx::work work{*connection};
};

TEST_F(Statements, every_statement_prepares) {
  work.exec(
      std::string(server::sql::verify_tables));  // in the place of stored ones, of the same columns
  for (const auto& [name, text] : server::sql::kAll) {
    if (name.ends_with("_tables")) continue;  // which no PREPARE takes; run above
    std::string rest(text);
    for (int part = 0; rest.find_first_not_of(" \n") != std::string::npos; ++part) {
      const std::size_t end = std::min(rest.find(";\n"), rest.size());
      const std::string prepared = std::string(name) + "_" + std::to_string(part);
      pqxx::subtransaction part_work(work);  // one that fails takes no other along
      EXPECT_NO_THROW(part_work.exec("PREPARE " + prepared + " AS " + rest.substr(0, end)))
          << name << "\n"
          << text;
      rest.erase(0, end + 1);
    }
  }
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // null in the database
constexpr double kInfinite = std::numeric_limits<double>::infinity();

core::Hash128 SmallHash(unsigned value) {
  core::Hash128 hash;
  hash.bytes[0] = static_cast<unsigned char>(value * 37);
  return hash;
}

std::vector<core::Contender> RandomContenders(std::mt19937& random) {
  const std::vector<double> values = {1, 2, 2, 0, -0.0, kInfinite, kNone, kNone};
  const auto pick = [&] { return values[random() % values.size()]; };
  std::vector<core::Contender> contenders;
  for (unsigned candidate = 0; candidate <= random() % 5; ++candidate) {
    contenders.push_back({static_cast<core::Standing>(random() % 3), pick(), pick(),
                          SmallHash(candidate), static_cast<std::int64_t>(random() % 3),
                          SmallHash(static_cast<unsigned>(random() % 7)), 0,
                          static_cast<int>(random() % 3)});
  }
  std::shuffle(contenders.begin(), contenders.end(), random);
  return contenders;
}

std::string Number(double value) {
  if (std::isnan(value)) return "NULL";
  return std::isinf(value) ? "'Infinity'" : std::to_string(value);
}

void Stage(pqxx::work& work, const std::string& key,
           const std::vector<core::Contender>& contenders) {
  work.exec("INSERT INTO touched VALUES ('" + key + "', 0)");
  for (const core::Contender& it : contenders) {
    work.exec(
        "INSERT INTO candidate (key, candidate, run, run_time, us, error, measurement, provider, "
        "standing, rank)"
        " VALUES ('" +
        key + "', '" + it.candidate.Uuid() + "', '" + it.run.Uuid() + "', " +
        std::to_string(it.run_time) + ", " + Number(it.us) + ", " + Number(it.error) + ", 1, 0, " +
        std::to_string(static_cast<int>(it.standing)) + ", " + std::to_string(it.rank) + ")");
  }
}

TEST_F(Statements, the_winner_rule_in_sql_is_that_of_the_core) {
  std::mt19937 random(5);
  std::vector<std::vector<core::Contender>> keys;
  for (unsigned i = 0; i < 250; ++i) {
    keys.push_back(RandomContenders(random));
    Stage(work, core::HashOf(std::to_string(i)).Uuid(), keys.back());
  }
  work.exec(std::string(server::sql::choose_best));
  for (unsigned i = 0; i < keys.size(); ++i) {
    std::sort(keys[i].begin(), keys[i].end(), core::Beats);
    const auto why = WhyWon(keys[i][0], keys[i].size() > 1 ? &keys[i][1] : nullptr);
    const auto best = work.exec("SELECT candidate, why FROM best WHERE key = '" +
                                core::HashOf(std::to_string(i)).Uuid() + "'");
    ASSERT_EQ(best.size(), 1u);
    EXPECT_EQ(best[0][0].as<std::string>(), keys[i][0].candidate.Uuid()) << i;
    EXPECT_EQ(best[0][1].as<int>(), static_cast<int>(why)) << i;
  }
}

// A row of candidate 0 for one key.
void StageRow(pqxx::work& work, const std::string& key, std::int64_t id, core::Standing standing,
              double us) {
  work.exec_params(
      "INSERT INTO stage (id, key, candidate, us, family, family_version, provider, standing, "
      "cu_num, place, alone, is_default, searched, relative, gfx, ord, line) VALUES ($1, $2, $2, "
      "$4, "
      "1, 1, 0, $3, 304, 0, true, false, false, false, 'gfx942', '', 'line')",
      id, key, static_cast<int>(standing), us);
}

// Runs of "a" and "b" in turn but for the last two; one of "a" is an admin's.
std::vector<std::int64_t> RunsOfTwoOwners(Registry& registry, int count) {
  std::vector<std::int64_t> runs;
  for (int i = 0; i < count; ++i) {
    server::RunContent content;
    content.started = "2026-01-0" + std::to_string(1 + i / 2) + "T00:00:00Z";
    content.hash = core::HashOf(std::to_string(i));
    bool created = false;
    const server::Writer by{.owner = i % 2 == 0 || i > 3 ? "a" : "b", .admin = i == 2};
    runs.push_back(server::RunStore(registry.pool).Create(content, created, by).id);
  }
  return runs;
}

TEST_F(Statements, what_a_candidate_stands_by_in_sql_is_what_the_core_says) {
  // Two of a day: their hashes decide.
  const std::vector<std::int64_t> runs = RunsOfTwoOwners(registry, 6);
  std::mt19937 random(7);
  struct Rows {
    std::vector<std::int64_t> ids;
    std::vector<core::Contender> rows;
  };
  std::map<std::string, Rows> keys;
  const auto expect = [&](const char* of) {
    for (const auto& [key, all] : keys) {
      const core::Contender* const stands = StandsBy(all.rows);
      const auto found = work.exec_params("SELECT measurement FROM candidate WHERE key = $1", key);
      ASSERT_EQ(found.size(), 1u) << of << key;
      EXPECT_EQ(found[0][0].as<std::int64_t>(),
                all.ids[static_cast<std::size_t>(stands - all.rows.data())])
          << of << key;
    }
  };
  std::int64_t batch = 0;
  for (const std::int64_t run : runs) {
    const auto found = work.exec_params1(
        "SELECT hash, (extract(epoch FROM started) * 1000000)::bigint, owner, trusted FROM run "
        "WHERE id = $1",
        run);
    const bool trusted = found[3].as<bool>();
    const auto hash = found[0].as<std::string>();
    ++batch;
    for (int i = 0; i < 60; ++i) {
      const std::string key = core::HashOf(std::to_string(i)).Uuid();
      const auto standing = static_cast<core::Standing>(random() % 4);
      const std::int64_t id = (batch << 20) + i;
      const double us = static_cast<double>(1 + random() % 3);
      StageRow(work, key, id, standing, us);
      keys[key].ids.push_back(id);
      keys[key].rows.push_back({standing,
                                us,
                                kNone,
                                {},
                                found[1].as<std::int64_t>(),
                                core::ParseUuid(hash),
                                found[2].as<std::string>().front(),
                                trusted ? 0 : 1,
                                trusted,
                                batch});
    }
    const std::string batches =
        R"([{"batch":)" + std::to_string(batch) + R"(,"run":)" + std::to_string(run) + "}]";
    work.exec_params(std::string(server::sql::insert_measurements), batches);
    work.exec_params(std::string(server::sql::upsert_candidates), batches);
    work.exec(std::string(server::sql::touch_accused));
    work.exec(std::string(server::sql::rebuild_candidates));
    work.exec("TRUNCATE stage, touched");
    expect("as they came: ");
  }
  work.exec("INSERT INTO touched SELECT key, provider FROM candidate");
  work.exec(std::string(server::sql::rebuild_candidates));
  expect("built again: ");
}

TEST_F(Statements, a_key_without_candidates_has_no_best_and_no_reason) {
  Stage(work, core::HashOf("").Uuid(), {});
  work.exec(std::string(server::sql::choose_best));
  const auto best =
      work.exec1("SELECT candidate IS NULL AND measurement IS NULL AND why IS NULL FROM best");
  EXPECT_TRUE(best[0].as<bool>());
}

}  // namespace
}  // namespace tunehub::test
