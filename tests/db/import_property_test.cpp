// Imports of two sources, results and reverts in random order. The registry must serve and report
// the same as a model that stores every row of every import.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "server/ingest/run_store.h"
#include "server/ingest/staged_rows.h"
#include "tests/support/registry.h"
#include "tests/support/seeds.h"
#include "tests/support/sql.h"
#include "tests/support/verify.h"
#include "tests/support/winner_rule.h"

namespace tunehub::test {
namespace {

constexpr int kEvents = 16;

struct RowId {
  std::string order;
  server::Provider provider;
  core::Hash128 candidate;
  auto operator<=>(const RowId&) const = default;
};

// A run with all of its rows.
struct FullRun {
  std::int64_t id = 0, time = 0;
  core::Hash128 hash;
  std::string source;
  std::int64_t received = 0;  // the id of its batch
  std::map<RowId, core::Row> rows;
  bool reverted = false;
};

std::map<RowId, core::Row> FullRows(const std::string& csv, bool imported) {
  std::map<RowId, core::Row> rows;
  for (const auto& kept : RowsOfBatch(ShippedFamily("a8w8_blockscale"), csv, imported))
    rows[{kept.row.order, kept.provider, kept.row.candidate}] = kept.row;
  return rows;
}

// The model: each import keeps all of its rows.
class FullStorage {
 public:
  void Add(Registry& registry, std::int64_t id, std::string source, const std::string& csv) {
    const std::string text =
        QueryText(registry.url,
                  "SELECT hash || ' ' || (extract(epoch FROM started) * 1000000)::bigint || "
                  "' ' || (SELECT min(id) FROM batch WHERE run = r.id) FROM run r WHERE id = " +
                      std::to_string(id));
    std::istringstream fields(text);
    std::string hash;
    FullRun run;
    run.id = id;
    run.source = std::move(source);
    fields >> hash >> run.time >> run.received;
    run.hash = core::ParseUuid(hash);
    run.rows = FullRows(csv, !run.source.empty());
    runs.push_back(std::move(run));
  }

  std::vector<const FullRun*> ImportsOf(const std::string& source) const {
    std::vector<const FullRun*> imports;
    for (const FullRun& run : runs) {
      if (run.source == source && !run.reverted) imports.push_back(&run);
    }
    return imports;
  }

  std::string Winners() const { return WinnersOf(Stands()); }

  // Each candidate's competing row, with the run that decides its order.
  std::multiset<std::string> Candidates() const {
    std::multiset<std::string> lines;
    for (const auto& [key, candidates] : Stands()) {
      for (const auto& [candidate, entry] : candidates) {
        lines.insert(entry.line + " of " + entry.contender.run.Uuid());
      }
    }
    return lines;
  }

  // The number of rows that no earlier import of the run's source contained.
  std::int64_t Stored(const FullRun& run) const {
    std::int64_t stored = 0;
    for (const auto& [id, row] : run.rows) {
      const bool known =
          std::any_of(runs.begin(), runs.end(), [&, &id = id, &row = row](const FullRun& it) {
            return !run.source.empty() && it.source == run.source && it.id < run.id &&
                   Has(it, id, row);
          });
      if (!known) ++stored;
    }
    return stored;
  }

  std::vector<FullRun> runs;

 private:
  using AllRows = ByCandidate<std::vector<HeldRow>>;

  ByCandidate<HeldRow> Stands() const {
    AllRows keys;
    for (const FullRun& run : runs) {
      if (!run.source.empty() || run.reverted) continue;
      for (const auto& [id, row] : run.rows) Enter(keys, id, row, run);
    }
    for (const char* source : {"tree", "fork"}) EnterSource(keys, source);
    return StandsBy(keys);
  }

  static bool Has(const FullRun& run, const RowId& id, const core::Row& row) {
    const auto found = run.rows.find(id);
    return found != run.rows.end() && found->second.line == row.line;
  }

  static void Enter(AllRows& keys, const RowId& id, const core::Row& row, const FullRun& place) {
    keys[{id.order, id.provider}][id.candidate].push_back(
        Held(row, {row.standing, row.us, row.error, row.candidate, place.time, place.hash, 0, 1,
                   false, place.received}));
  }

  // A repeated row keeps the place of the import that first contained it.
  void EnterSource(AllRows& keys, const std::string& source) const {
    const auto imports = ImportsOf(source);
    if (imports.empty()) return;
    for (const auto& [id, row] : imports.back()->rows) {
      std::size_t place = imports.size() - 1;
      while (place > 0 && Has(*imports[place - 1], id, row)) --place;
      Enter(keys, id, row, *imports[place]);
    }
  }
};

class Sequence {
 public:
  explicit Sequence(unsigned seed) : random_(seed) {}

  void Step() {
    const auto dice = random_() % 10;
    if (dice < 5) return Import(random_() % 3 == 0 ? "fork" : "tree");
    if (dice < 7 || model_.runs.empty()) return Results();
    Revert();
  }

  void Check() {
    ASSERT_EQ(registry_.Winners(), model_.Winners()) << told_;
    ASSERT_EQ(Candidates(), model_.Candidates()) << told_;
    std::int64_t stored = 0;
    for (const FullRun& run : model_.runs) {
      const auto record = server::RunStore(registry_.pool).Find(run.id);
      ASSERT_EQ(record->rows, static_cast<std::int64_t>(run.rows.size())) << run.id << "\n"
                                                                          << told_;
      ASSERT_EQ(record->stored, model_.Stored(run)) << run.id << "\n" << told_;
      stored += record->stored;
      ASSERT_EQ(LinesOf(run.id), LinesOf(run)) << run.id << "\n" << told_;
    }
    ASSERT_EQ(registry_.Count("measurement"), stored) << told_;
  }

  // A server that followed all changes must serve the same tables as a new server.
  void CheckTables() {
    ASSERT_EQ(WhatDoesNotHold(registry_.pool), "") << told_;
    Registry fresh(registry_.url);
    for (const char* query : {"allow_empty=1", "provider=tunehub&allow_empty=1"}) {
      ASSERT_EQ(registry_.Table(query), fresh.Table(query)) << told_;
    }
    for (const char* source : {"tree", "fork"}) {
      const auto imports = model_.ImportsOf(source);
      std::string alone = "unknown_source";
      if (!imports.empty()) {
        Registry other;
        other.Import("alone", {{kTreeFile, csvs_.at(imports.back()->id)}});
        alone = other.Table("allow_empty=1");
      } else if (sources_.contains(source)) {
        alone = kBlockscaleHeader;
      }
      ASSERT_EQ(registry_.Table("allow_empty=1&source=" + std::string(source)), alone) << told_;
    }
  }

 private:
  template <typename T>
  T Pick(const std::vector<T>& from) {
    return from[random_() % from.size()];
  }

  Line RandomLine() {
    return {.m = Pick<int>({16, 32}),
            .kernel = Pick<std::string>({"a", "b", "c", "tk_own"}),
            .us = Pick<std::string>({"10", "10", "20", "30", "0", "inf", "nan", "-1"}),
            .error = Pick<std::string>({"0.0", "0.0", "0.1", "0.9"})};
  }

  // Returns the source's last tree or an earlier tree, with or without changes.
  std::string NextTree(const std::string& source) {
    std::vector<std::vector<Line>>& trees = trees_[source];
    std::vector<Line> lines = trees.empty() ? std::vector<Line>{} : trees.back();
    if (!trees.empty() && random_() % 4 == 0) lines = Pick(trees);
    for (auto changes = trees.empty() ? 5 : random_() % 3; changes > 0; --changes) {
      if (!lines.empty() && random_() % 2 == 0) {
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(random_() % lines.size()));
      }
      lines.push_back(RandomLine());
    }
    if (lines.empty()) lines.push_back(RandomLine());
    if (random_() % 3 == 0) std::shuffle(lines.begin(), lines.end(), random_);
    trees.push_back(lines);
    return Csv(lines);
  }

  void Import(const std::string& source) {
    const std::string csv = NextTree(source);
    const auto receipt = Receipt(registry_.Import(source, {{kTreeFile, csv}}));
    Came(receipt["run"].get<std::int64_t>(), source, csv);
  }

  void Results() {
    server::RunContent content;
    content.hash = core::HashOf("run " + std::to_string(model_.runs.size()));
    if (random_() % 3 == 0) content.started = "2026-01-01T00:00:00Z";  // older than every import
    bool created = false;
    const auto run = server::RunStore(registry_.pool).Create(content, created)->id;
    std::vector<Line> lines;
    for (auto rows = 1 + random_() % 3; rows > 0; --rows) lines.push_back(RandomLine());
    ASSERT_EQ(Refusal(registry_.Send(Csv(lines), {.run = run})), "");
    Came(run, "", Csv(lines));
  }

  void Revert() {
    FullRun& run = model_.runs[random_() % model_.runs.size()];
    if (run.reverted) return;
    told_ += "revert " + std::to_string(run.id) + "\n";
    ASSERT_TRUE(server::RevertRun(registry_.pool, run.id, {}).ok());
    run.reverted = true;
  }

  void Came(std::int64_t run, const std::string& source, const std::string& csv) {
    told_ += (source.empty() ? "results" : "import of " + source) + ", run " + std::to_string(run) +
             "\n" + csv;
    model_.Add(registry_, run, source, csv);
    csvs_[run] = csv;
    sources_.insert(source);
  }

  std::multiset<std::string> Candidates() {
    std::istringstream text(QueryText(
        registry_.url,
        "SELECT coalesce(string_agg(m.line || ' of ' || c.run, E'\\n'), '') FROM candidate c "
        "JOIN measurement m ON m.key = c.key AND m.id = c.measurement"));
    std::multiset<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.insert(line);
    return lines;
  }

  std::multiset<std::string> LinesOf(std::int64_t run) {
    std::multiset<std::string> lines;
    const auto family = registry_.definitions.ids.at("a8w8_blockscale");
    server::MeasurementStore(registry_.pool).VisitRunTimes({family}, {run}, [&](const auto& row) {
      lines.emplace(row.line);
      return true;
    });
    return lines;
  }
  static std::multiset<std::string> LinesOf(const FullRun& run) {
    std::multiset<std::string> lines;
    for (const auto& [id, row] : run.rows) lines.insert(row.line);
    return lines;
  }

  std::mt19937 random_;
  Registry registry_;
  FullStorage model_;
  std::map<std::string, std::vector<std::vector<Line>>> trees_;
  std::map<std::int64_t, std::string> csvs_;
  std::set<std::string> sources_;
  std::string told_;  // the events so far, for messages
};

TEST(ImportProperty, what_is_served_is_what_full_storage_would_serve) {
  for (unsigned seed = 1; seed <= Seeds(4); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Sequence sequence(seed);
    for (int event = 0; event < kEvents; ++event) {
      sequence.Step();
      if (testing::Test::HasFatalFailure()) return;
      sequence.Check();
      if (testing::Test::HasFatalFailure()) return;
    }
    sequence.CheckTables();
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tunehub::test
