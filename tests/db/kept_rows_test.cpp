// Cached analyses release rows that the hub no longer serves. So replaced rows do not fill memory.
#include <memory>
#include <vector>

#include "server/insight/analyses.h"
#include "server/insight/coverage.h"
#include "server/insight/overview.h"
#include "server/insight/trends.h"
#include "tests/support/registry.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

constexpr std::int64_t kUsual = 8, kOther = 1;  // degrees of TP

struct KeptRows : testing::Test {
  KeptRows() { registry.definitions.models = ConfigsOfTwoModels() / "models"; }

  void Send(const std::string& kernel, const std::string& us) {
    std::vector<Line> lines;
    for (int m : {16, 32, 48}) lines.push_back({.m = m, .kernel = kernel, .us = us});
    EXPECT_EQ(Refusal(registry.Send(Csv(lines))), "");
    registry.snapshots.Refresh();
  }

  const std::vector<std::shared_ptr<const server::TunedRow>>& Rows() {
    return registry.snapshots.Current(family)->rows;
  }

  server::DifferenceAnswer Since(std::int64_t revision) {
    return analyses.differences.Get({{{&family, {revision, ""}, {}}}, {}, "", 0});
  }

  // Calls each analysis that reads whole tables once.
  void AskAll() {
    overview.Get(kUsual);
    overview.Get(kOther);
    coverage.OfKnown(kUsual, nullptr, {});
    trends.Get({"", {}, {"gfx942", 304}}, 7);
    while (trends.keeper().MakeNext()) {
    }
    analyses.speedups.Get({{&family}, {}, "", 0, ""});
    Since(0);
    Since(1);
  }

  Registry registry;
  server::Analyses analyses{registry.definitions, registry.pool, registry.snapshots,
                            registry.versions};
  const core::Family& family = registry.family();
  server::DispatchTables tables{registry.definitions, registry.snapshots};
  server::CoverageService coverage{registry.definitions, registry.pool, tables};
  server::Overview overview{registry.definitions, registry.pool, registry.snapshots, tables,
                            analyses.speedups};
  server::Trends trends{registry.definitions, registry.pool, registry.snapshots, registry.versions,
                        tables};
};

// The overview at another TP, trends and older differences could each keep a whole old table.
TEST_F(KeptRows, replaced_rows_are_gone_once_the_start_page_and_what_changed_are_asked_again) {
  Send("a", "10.0");
  AskAll();
  Send("b", "5.0");
  AskAll();
  const std::vector<std::weak_ptr<const server::TunedRow>> replaced(Rows().begin(), Rows().end());
  ASSERT_EQ(replaced.size(), 3u);
  Send("c", "2.0");
  overview.Get(kUsual);  // the server does this by itself
  Since(1);
  for (const auto& row : replaced) EXPECT_TRUE(row.expired());
}

// Counting every table of the registry for every model takes a second of CPU time.
TEST_F(KeptRows, the_models_of_one_table_are_counted_without_the_other_tables_and_once) {
  for (const char* name : {"a8w8_blockscale", "a8w8_blockscale_bpreshuffle"}) {
    ASSERT_EQ(Refusal(registry.Send(Csv({{}, {.gfx = "gfx950", .cu_num = 256}}), {}, name)), "");
  }
  registry.snapshots.Refresh();
  for (int i = 0; i < 2; ++i) {
    const auto found = coverage.OfKnown(kUsual, &family, {"gfx942", 304});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].target, (core::Target{"gfx942", 304}));
    EXPECT_EQ(coverage.counted(), 1u);
  }
  EXPECT_EQ(coverage.OfKnown(kUsual, nullptr, {"gfx942", 0}).size(), 2u);
  EXPECT_EQ(coverage.counted(), 2u);
  Send("b", "5.0");
  EXPECT_EQ(coverage.OfKnown(kUsual, &family, {}).size(), 2u);
  EXPECT_EQ(coverage.counted(), 4u) << "only the changed table was counted again";
}

TEST_F(KeptRows, what_changed_shares_the_rows_that_are_served) {
  Send("a", "10.0");
  Send("b", "5.0");
  const auto found = Since(1);
  ASSERT_EQ(found.differences.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found.differences[i].key->row, Rows()[i]);
  EXPECT_EQ(found.held.front()->row_bytes, 0u);
}

// The server has not read the last commit yet, so differences come from the database.
TEST_F(KeptRows, what_changed_has_rows_of_its_own_where_memory_is_older) {
  Send("a", "10.0");
  Send("b", "5.0");
  ASSERT_EQ(Refusal(registry.Send(Csv({{.m = 16, .kernel = "c", .us = "3.0"}}))), "");
  const auto found = Since(1);
  ASSERT_EQ(found.differences.size(), 3u);
  const server::DifferenceSide now = found.differences[0].key->After(family);
  EXPECT_EQ(now.kernel, "c");
  EXPECT_EQ(now.us, 3.0);
  EXPECT_NE(found.differences[0].key->row, Rows()[0]);
  EXPECT_EQ(found.differences[1].key->row, Rows()[1]);
  EXPECT_GT(found.held.front()->row_bytes, 0u);
}

TEST_F(KeptRows, a_digest_of_rows_tells_what_a_lookup_of_a_gfx_would_find) {
  const auto digests = [&] { return server::RowDigests(*registry.snapshots.Current(family)); };
  const auto empty = digests();
  EXPECT_EQ(empty.Of("gfx942"), empty.Of("gfx950"));
  Send("a", "10.0");
  const auto first = digests();
  EXPECT_NE(first.Of("gfx942"), empty.Of("gfx942"));
  EXPECT_EQ(first.Of("gfx950"), empty.Of("gfx950"));
  registry.Send(Csv({{.m = 16, .gfx = "gfx950", .cu_num = 256}}));
  registry.snapshots.Refresh();
  EXPECT_EQ(digests().Of("gfx942"), first.Of("gfx942"));
  EXPECT_NE(digests().Of("gfx950"), first.Of("gfx950"));
  Send("b", "5.0");
  EXPECT_NE(digests().Of("gfx942"), first.Of("gfx942"));
  // A new server reads the same rows.
  Registry again(registry.url);
  again.snapshots.Refresh();
  const auto& same = again.family();
  EXPECT_EQ(server::RowDigests(*again.snapshots.Current(same)).Of("gfx942"),
            digests().Of("gfx942"));
}

TEST_F(KeptRows, a_digest_tells_a_baseline_a_standing_and_whose_a_row_is) {
  Send("a", "10.0");
  const auto& snapshot = *registry.snapshots.Current(family);
  const core::Hash128 first = server::RowDigests(snapshot).Of("gfx942");
  for (int change : {0, 1, 2}) {
    server::FamilySnapshot changed = snapshot;
    auto row = std::make_shared<server::TunedRow>(*changed.rows[1]);
    if (change == 0) row->baseline = true;
    if (change == 1) row->standing = core::Standing::kUnmeasured;
    if (change == 2) row->trusted = !row->trusted;
    changed.rows[1] = row;
    EXPECT_NE(server::RowDigests(changed).Of("gfx942"), first);
  }
}

}  // namespace
}  // namespace tunehub::test
