// Figures of an overview's cell other than its coverage.
#include "server/insight/overview.h"

#include "server/insight/analyses.h"
#include "tests/support/comes.h"
#include "tests/support/registry.h"
#include "tests/support/shipped.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

constexpr std::int64_t kTp = 8;

struct OverviewWorld {
  Registry registry;
  server::Analyses analyses{registry.definitions, registry.pool, registry.snapshots,
                            registry.versions};
  server::DispatchTables tables{registry.definitions, registry.snapshots};
  server::Overview overview{registry.definitions, registry.pool, registry.snapshots, tables,
                            analyses.speedups};

  OverviewWorld() {
    registry.definitions.models = ConfigsOfTwoModels() / "models";
    registry.definitions.engine_reads = ShippedEngineReads();
  }

  void Send(const std::vector<Line>& lines, const Post& post = {}) {
    std::string csv = Csv(lines);
    for (std::size_t at; (at = csv.find(",1536,7168,")) != std::string::npos;)
      csv.replace(at, 11, ",2112,7168,");  // DeepSeek-V3's projections to q and kv
    EXPECT_EQ(Refusal(registry.Send(csv, post)), "");
    registry.snapshots.Refresh();
  }

  server::OverviewCell Cell(const std::string& model) {
    const auto table = overview.Get(kTp);
    for (const auto& it : table->models) {
      if (it.name == model) return it.cells.at(0);
    }
    ADD_FAILURE() << "no model " << model;
    return {};
  }

  bool SoonHasNewest() {
    return Comes([&] { return overview.HasNewest(kTp); });
  }
};

TEST(Overview, demand_is_a_weight_of_its_own_beside_the_share_of_a_cell) {
  OverviewWorld world;
  world.Send({{.m = 16}, {.m = 64}, {.m = 1024}});
  EXPECT_FALSE(world.Cell("deepseek-v3").share.covered_by_demand());
  EXPECT_FALSE(world.Cell("qwen3-8b").asks()) << "vLLM reads no table of AITER's for bf16";
  EXPECT_TRUE(world.Cell("Qwen/Qwen3-8B-FP8").asks());
  Execute(world.registry.url,
          "INSERT INTO demand (id, family, gfx, cu_num, shape, count) "
          "SELECT gen_random_uuid(), id, 'gfx942', 304, "
          "'{\"M\":\"16\",\"N\":\"2112\",\"K\":\"7168\"}', 100 "
          "FROM family WHERE name = 'a8w8_blockscale'");
  world.Send({{.m = 128}});
  const auto weighted = world.Cell("deepseek-v3");
  EXPECT_EQ(weighted.share.totals().demand, 100);
  EXPECT_GT(*weighted.share.covered_by_demand(), weighted.share.covered());
}

TEST(Overview, counts_the_keys_of_a_model_that_are_slower_than_a_week_ago) {
  OverviewWorld world;
  world.Send({{.m = 16}, {.m = 32}, {.m = 64}});
  EXPECT_EQ(world.Cell("deepseek-v3").slower, 0u);
  Execute(world.registry.url, "UPDATE revision SET created = created - interval '8 days'");
  world.Send({{.m = 16, .us = "30.0"}, {.m = 32, .us = "10.2"}});  // the second change is noise
  EXPECT_EQ(world.Cell("deepseek-v3").slower, 1u);
  EXPECT_EQ(world.Cell("qwen3-8b").slower, 0u);
}

TEST(Overview, is_made_before_anybody_asks) {
  OverviewWorld world;
  world.Send({{.m = 16}});
  server::OverviewAhead ahead(world.overview);
  ahead.Start();
  EXPECT_TRUE(world.SoonHasNewest());
  world.Send({{.m = 32}});
  EXPECT_FALSE(world.overview.HasNewest(kTp));
  ahead.Wake();
  EXPECT_TRUE(world.SoonHasNewest());
  EXPECT_EQ(world.overview.Get(kTp)->revision.number, 2);
}

}  // namespace
}  // namespace tunehub::test
