// Random writes over several days. The tests recount each stored point from the history, with the
// versions of models and families that the point names.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include "server/db/schema.h"
#include "server/insight/trend.h"
#include "server/insight/trends.h"
#include "tests/support/registry.h"
#include "tests/support/shipped.h"
#include "tests/support/sql.h"
#include "tests/support/temp_dir.h"
#include "tests/support/verify.h"

namespace tunehub::test {
namespace {

// Gives the rows DeepSeek-V3's shapes, so that the model's coverage changes.
std::string Asked(std::string csv) {
  for (std::size_t at; (at = csv.find(",1536,7168,")) != std::string::npos;)
    csv.replace(at, 11, ",2112,7168,");
  return csv;
}

struct PointWorld {
  explicit PointWorld(std::string url = RegistryDatabase(),
                      const core::Families& families = ShippedFamilies())
      : registry(std::move(url), families) {
    registry.definitions.models = folder.path();
    for (const char* name : {"deepseek-v3", "qwen3-8b"}) CopyModel(name);
    registry.snapshots.Refresh();
  }

  void CopyModel(const std::string& name) {
    const auto from = ShippedFamilyFolder().parent_path() / "models" / (name + ".json");
    std::filesystem::copy_file(from, folder.path() / (name + ".json"));
  }

  // Refreshes the snapshots and returns the id of the answer's run.
  std::int64_t Sent(const server::WriteAnswer& answer) {
    registry.snapshots.Refresh();
    return RunOf(answer);
  }
  std::int64_t Send(const std::vector<Line>& lines, const Post& post = {}) {
    return Sent(registry.Send(Asked(Csv(lines)), post));
  }
  std::int64_t Import(const std::vector<Line>& lines) {
    return Sent(registry.Import("tree", {{kTreeFile, Asked(Csv(lines))}}));
  }

  // Sends a tuned candidate and the default.
  void Measure(int m, double us, double default_us) {
    const auto row = [&](const char* kernel, double time, bool is_default) {
      return fmt::format(
          R"({{"gfx":"gfx942","cu_num":304,"M":{},"N":2112,"K":7168,"libtype":"ck","kernelId":1,)"
          R"("splitK":0,"us":{},"kernelName":"{}","is_default":{}}})",
          m, time, kernel, is_default);
    };
    Sent(registry.SendJson(fmt::format(R"({{"rows":[{},{}]}})", row("tuned", us, false),
                                       row("untuned", default_us, true))));
  }

  void ADayLater() {
    Execute(registry.url,
            "UPDATE revision SET created = created - interval '1 day';"
            "UPDATE run SET received = received - interval '1 day'");
  }

  int MakeDue() {
    registry.snapshots.Refresh();
    int made = 0;
    while (trends.keeper().MakeNext()) ++made;
    return made;
  }

  // Recounts the point from the history, by the point's own definitions.
  server::PointRows Recounted(const server::PointRecord& point) {
    const auto basis = [&](const char* column) {
      return QueryText(registry.url,
                       fmt::format("SELECT {}::text FROM point p "
                                   "JOIN point_basis b ON b.id = p.basis "
                                   "JOIN models_version m ON m.version = b.models_version "
                                   "WHERE p.id = {}",
                                   column, point.id));
    };
    const auto versions = nlohmann::json::parse(basis("b.family_versions"));
    std::vector<std::pair<std::string, std::string>> texts;
    for (const auto& family : server::Schema(registry.pool).Families()) {
      const auto version = versions.find(std::to_string(family.id));
      if (version == versions.end()) continue;
      texts.emplace_back(
          family.name + ".json",
          server::Schema(registry.pool).FamilyDefinition(family.id, version->get<int>()));
    }
    std::vector<core::TextFolder::Text> views(texts.begin(), texts.end());
    server::Definitions then{*core::Families::Load(core::TextFolder("stored", views)),
                             registry.definitions.targets, registry.definitions.ids};
    server::RegistryStates states(then, registry.pool, registry.versions, nullptr);
    server::PointMaker maker(then, registry.pool);
    const auto state = states.At(point.revision);
    EXPECT_TRUE(state.ok());
    return maker.Make(server::ParseModelFiles(basis("m.definition")), *state);
  }

  void ExpectPointsHold() {
    server::PointHistories histories(registry.pool);
    const auto history = histories.Get();
    server::PointRows state;
    for (const auto& it : history->points) {
      state = server::Applied(state, *it.changes);
      const auto again = Recounted(it.record);
      EXPECT_FALSE(state.models.empty());
      EXPECT_TRUE(state.models == again.models) << "revision " << it.record.revision.number;
      EXPECT_TRUE(state.families == again.families) << "revision " << it.record.revision.number;
    }
  }

  std::set<std::int64_t> PointRevisions() {
    std::set<std::int64_t> revisions;
    for (const auto& it : server::PointStore(registry.pool).List())
      revisions.insert(it.revision.number);
    return revisions;
  }

  TempDir folder;
  Registry registry;
  server::DispatchTables tables{registry.definitions, registry.snapshots};
  server::Trends trends{registry.definitions, registry.pool, registry.snapshots, registry.versions,
                        tables};
};

TEST(Points, are_of_imports_reverts_and_the_last_revision_of_each_day_that_ended) {
  PointWorld world;
  world.Send({{.m = 16}});
  world.Send({{.m = 32}});
  EXPECT_EQ(world.MakeDue(), 0);  // today has not ended
  const auto run = world.Import({{.m = 64}});
  EXPECT_EQ(world.MakeDue(), 1);
  world.ADayLater();
  EXPECT_EQ(world.MakeDue(), 0);  // the day's last revision is the import's
  world.Send({{.m = 128}});
  ASSERT_TRUE(server::RevertRun(world.registry.pool, run, {}).ok());
  EXPECT_EQ(world.MakeDue(), 1);
  world.Send({{.m = 256}});
  EXPECT_EQ(world.MakeDue(), 0);
  world.ADayLater();
  EXPECT_EQ(world.MakeDue(), 1);
  EXPECT_EQ(world.PointRevisions(), (std::set<std::int64_t>{3, 5, 6}));
  EXPECT_EQ(world.registry.Count("point WHERE filled_in"), 0)
      << "the server made each point on its day";
  world.ExpectPointsHold();
  EXPECT_EQ(WhatDoesNotHold(world.registry.pool), "");
}

TEST(Points, count_times_whose_ratio_no_double_holds) {
  PointWorld world;
  world.Import({{.m = 64}});
  world.Measure(16, 5.0, 20.0);
  Execute(world.registry.url,
          "UPDATE measurement SET us = CASE WHEN is_default THEN 1e100 ELSE 1e-300 END");
  EXPECT_EQ(world.MakeDue(), 1);
  world.ADayLater();
  EXPECT_EQ(world.MakeDue(), 1);
}

TEST(Points, hold_after_random_writes_and_other_models_and_families) {
  std::mt19937 random(19);
  const std::string url = RegistryDatabase();
  std::vector<std::int64_t> runs;
  const auto act = [&](PointWorld& world) {
    std::vector<Line> lines;
    for (unsigned i = 0; i < 1 + random() % 5; ++i) {
      lines.push_back({.m = 16 << (random() % 6),
                       .kernel = random() % 2 == 0 ? "a" : "b",
                       .us = std::to_string(5 + random() % 20) + ".0",
                       .cu_num = random() % 4 == 0 ? 80 : 304});
    }
    switch (random() % 6) {
      case 0:
        runs.push_back(world.Import(lines));
        break;
      case 1:
        if (!runs.empty()) {
          const auto run = runs[random() % runs.size()];
          std::ignore = server::RevertRun(world.registry.pool, run, {});  // again: an error
        }
        break;
      case 2:
        world.Measure(16 << (random() % 6), static_cast<double>(5 + random() % 10),
                      static_cast<double>(10 + random() % 30));
        break;
      case 3:
        world.ADayLater();
        break;
      case 4:
        if (random() % 2 == 0) world.MakeDue();  // otherwise later turns make the points
        break;
      default:
        runs.push_back(world.Send(lines));
    }
  };
  {
    PointWorld world(url);
    for (int i = 0; i < 30; ++i) act(world);
    world.CopyModel("qwen3-32b");
    for (int i = 0; i < 20; ++i) act(world);
    world.MakeDue();
  }
  // One more column, which older rows lack.
  const auto families = FamiliesWith("a8w8_blockscale", [](auto& json) {
    json["columns"].push_back(
        {{"name", "note"}, {"role", "derived"}, {"type", "text"}, {"missing", ""}});
  });
  PointWorld world(url, families);
  world.CopyModel("qwen3-32b");
  EXPECT_EQ(world.registry.Count("family_version WHERE version = 2"), 1);
  for (int i = 0; i < 8; ++i) {
    world.ADayLater();
    world.Measure(16 << (random() % 6), 4.0, 8.0 + i);
    world.MakeDue();
  }
  EXPECT_GT(world.PointRevisions().size(), 10u);
  EXPECT_GE(world.registry.Count("models_version"), 2);
  EXPECT_GE(world.registry.Count("point_basis"), 3);
  EXPECT_GT(world.registry.Count("point_family WHERE measured > 0"), 3);
  EXPECT_GT(world.registry.Count("point WHERE filled_in"), 0) << "some points were filled in later";
  world.ExpectPointsHold();
  EXPECT_EQ(WhatDoesNotHold(world.registry.pool), "");
}

TEST(Points, servers_that_race_make_one) {
  PointWorld one;
  PointWorld other(one.registry.url), third(one.registry.url);
  for (int m = 16; m <= 512; m *= 2) {
    one.Import({{.m = m}});
    std::vector<std::thread> servers;
    for (PointWorld* it : {&one, &other, &third}) servers.emplace_back([it] { it->MakeDue(); });
    for (std::thread& it : servers) it.join();
  }
  for (PointWorld* it : {&one, &other, &third}) it->MakeDue();
  EXPECT_EQ(one.PointRevisions(), (std::set<std::int64_t>{1, 2, 3, 4, 5, 6}));
  one.ExpectPointsHold();
}

TEST(Points, have_what_has_changed_alone) {
  PointWorld world;
  std::vector<Line> many;
  for (int m = 1; m <= 400; ++m) {
    for (const int cu_num : {304, 228, 80, 64}) many.push_back({.m = m, .cu_num = cu_num});
  }
  world.Import(many);
  world.MakeDue();
  const auto all = world.registry.Count("point_model");
  EXPECT_GT(all, 7);
  // Among the models' shapes, only one target's rows change.
  many.push_back({.m = 1024, .us = "100.0"});
  world.Import(many);
  EXPECT_EQ(world.MakeDue(), 1);
  EXPECT_EQ(world.registry.Count("point_model WHERE point = 2"), 1);
  EXPECT_EQ(world.registry.Count("point_family WHERE point = 2"), 1)
      << QueryText(world.registry.url, "SELECT string_agg(f::text, ' ') FROM point_family f");
  world.ExpectPointsHold();
}

TEST(Points, an_older_server_makes_none) {
  const auto changed = FamiliesWith("a8w8_blockscale", [](auto& json) { json["title"] = "x"; });
  PointWorld older;
  older.Import({{.m = 16}});
  PointWorld newer(older.registry.url, changed);
  EXPECT_EQ(older.MakeDue(), 0);
  EXPECT_EQ(newer.MakeDue(), 1);
  // A server with older models makes no points either.
  newer.CopyModel("qwen3-32b");
  newer.Import({{.m = 32}});
  EXPECT_EQ(newer.MakeDue(), 1);
  PointWorld of_old_models(older.registry.url, changed);
  newer.Import({{.m = 64}});
  EXPECT_EQ(of_old_models.MakeDue(), 0);
  EXPECT_EQ(newer.MakeDue(), 1);
}

TEST(Trends, are_the_points_of_a_subject_with_what_is_now) {
  PointWorld world;
  world.Import({{.m = 16}});
  world.MakeDue();
  Execute(world.registry.url, "UPDATE revision SET created = created - interval '40 days'");
  world.Measure(64, 5.0, 20.0);
  world.ADayLater();
  world.MakeDue();
  world.Measure(128, 5.0, 10.0);
  const server::TrendSubject model{"deepseek-v3", {}, {"gfx942", 304}};
  const auto trend = world.trends.Get(model, 30);
  ASSERT_EQ(trend.points.size(), 2u);  // the first is older than 30 days
  EXPECT_LT(trend.points[0].figures.covered, trend.points[1].figures.covered);
  EXPECT_LT(trend.points[1].figures.covered, trend.now.covered);
  EXPECT_EQ(trend.now.tp, 8);
  EXPECT_EQ(trend.events.imports.size(), 0u);
  EXPECT_EQ(world.trends.Get(model, 90).events.imports.size(), 1u);
  const server::TrendSubject product{"", {}, {"gfx942", 304}};
  const auto all = world.trends.Get(product, 30);
  EXPECT_EQ(all.now.models, 3);  // two model files, one with a checkpoint
  EXPECT_EQ(all.now.tuned, 3);
  EXPECT_EQ(all.now.measured, 2);
  EXPECT_NEAR(std::exp(all.now.log_speedups / 2), std::sqrt(8), 1e-6);
  EXPECT_EQ(all.points[0].figures.tuned, 1);
  const auto cells = server::CellTrends(*world.trends.Cells());
  const auto& cell = cells.at({"deepseek-v3", "gfx942", 304});
  ASSERT_TRUE(cell.shares.front());
  EXPECT_NEAR(*cell.shares.front(), trend.points[0].figures.covered, 1e-12);
  EXPECT_EQ(world.trends.Get({"", {}, {"gfx950", 256}}, 30).points.size(), 0u);
}

TEST(Trends, name_the_first_run_with_another_toolchain) {
  PointWorld world;
  int runs = 0;
  const auto say = [&](const std::string& json) {
    const auto run = world.registry.NewRun(fmt::format("2026-01-0{}T00:00:00Z", ++runs));
    Execute(world.registry.url,
            fmt::format("UPDATE run SET provenance = '{}' WHERE id = {}", json, run));
    return run;
  };
  say(R"({"gfx":"gfx942","rocm":"7.0"})");
  say(R"({"gfx":"gfx942","rocm":"7.0"})");
  const auto bump = say(R"({"gfx":"gfx942","rocm":"7.1"})");
  say(R"({"gfx":"gfx942","rocm":"7.1"})");
  say(R"({"gfx":"gfx950","rocm":"7.2"})");
  const auto trend = world.trends.Get({"", {}, {"gfx942", 304}}, 30);
  ASSERT_EQ(trend.events.toolchains.size(), 1u);
  EXPECT_EQ(trend.events.toolchains[0].run, bump);
  EXPECT_EQ(trend.events.toolchains[0].version, "7.1");
}

}  // namespace
}  // namespace tunehub::test
