// PostgreSQL accepts every statement, and the winner rule in SQL is that of core/row/winner.h.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "server/db/connection_pool.h"
#include "sql.h"
#include "tests/support/registry.h"
#include "tests/support/winner_rule.h"

namespace tunehub::test {
namespace {

// Makes the temporary tables of a batch, a revert and a new judgement.
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
  // The temporary tables hide the stored ones and have the same columns.
  work.exec(std::string(server::sql::verify_tables));
  for (const auto& [name, text] : server::sql::kAll) {
    if (name.ends_with("_tables")) continue;  // PREPARE cannot create tables; MakeTables did
    std::string rest(text);
    for (int part = 0; rest.find_first_not_of(" \n") != std::string::npos; ++part) {
      const std::size_t end = std::min(rest.find(";\n"), rest.size());
      const std::string prepared = std::string(name) + "_" + std::to_string(part);
      pqxx::subtransaction part_work(work);  // a failure ends only this subtransaction
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

// Adds times that often tie, with or without an older run, sometimes at unsteady clocks.
void AddSamples(std::mt19937& random, core::Contender& of) {
  of.standing = core::Standing::kMeasured;
  of.us = 1.8 + 0.02 * static_cast<double>(random() % 12);
  const double width = random() % 2 == 0 ? 0 : 0.1;
  of.bounds = core::BoundsOf(of.us, random() % 6 > 0,
                             core::TimeBounds{of.us * (1 - width), of.us * (1 + width)});
  of.since_time = std::min<std::int64_t>(of.run_time, static_cast<std::int64_t>(random() % 3));
  of.since_run = SmallHash(static_cast<unsigned>(random() % 3));
  of.since_us = 1.8 + 0.02 * static_cast<double>(random() % 2);
  of.agreed = random() % 2 == 0;
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
    if (random() % 3 > 0) AddSamples(random, contenders.back());
  }
  std::shuffle(contenders.begin(), contenders.end(), random);
  return contenders;
}

std::string Number(double value) {
  if (std::isnan(value)) return "NULL";
  if (std::isinf(value)) return value > 0 ? "'Infinity'" : "'-Infinity'";
  return fmt::format("{}", value);
}

void Stage(pqxx::work& work, const std::string& key,
           const std::vector<core::Contender>& contenders) {
  work.exec("INSERT INTO touched VALUES ('" + key + "', 0)");
  for (const core::Contender& it : contenders) {
    work.exec(
        "INSERT INTO candidate (key, candidate, run, run_time, us, error, measurement, provider, "
        "standing, rank, low, high, since_time, since_run, since_us, agreed)"
        " VALUES ('" +
        key + "', '" + it.candidate.Uuid() + "', '" + it.run.Uuid() + "', " +
        std::to_string(it.run_time) + ", " + Number(it.us) + ", " + Number(it.error) + ", 1, 0, " +
        std::to_string(static_cast<int>(it.standing)) + ", " + std::to_string(it.rank) + ", " +
        Number(it.bounds.low) + ", " + Number(it.bounds.high) + ", " +
        std::to_string(it.since_time) + ", '" + it.since_run.Uuid() + "', " + Number(it.since_us) +
        ", " + (it.agreed ? "true" : "false") + ")");
  }
}

TEST_F(Statements, the_winner_rule_in_sql_is_that_of_the_core) {
  std::mt19937 random(5);
  std::vector<std::vector<core::Contender>> keys;
  for (unsigned i = 0; i < 600; ++i) {
    keys.push_back(RandomContenders(random));
    Stage(work, core::HashOf(std::to_string(i)).Uuid(), keys.back());
  }
  work.exec(std::string(server::sql::choose_best));
  for (unsigned i = 0; i < keys.size(); ++i) {
    const core::Winning winner = core::WinnerOf(keys[i]);
    const auto best = work.exec("SELECT candidate, why FROM best WHERE key = '" +
                                core::HashOf(std::to_string(i)).Uuid() + "'");
    ASSERT_EQ(best.size(), 1u);
    EXPECT_EQ(best[0][0].as<std::string>(), keys[i][winner.place].candidate.Uuid()) << i;
    EXPECT_EQ(best[0][1].as<int>(), static_cast<int>(winner.why)) << i;
  }
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
