// The differences of two revisions equal a comparison of the two whole tables, shape key by shape
// key.
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "core/table/table_writer.h"
#include "server/ingest/revert_store.h"
#include "server/insight/analyses.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/seeds.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

constexpr std::size_t kMColumn = 2, kUsColumn = 8;

struct DifferenceWorld {
  Registry registry;
  server::Analyses analyses{registry.definitions, registry.pool, registry.snapshots,
                            registry.versions};
  const core::Family& family = registry.family();

  std::int64_t Send(const std::vector<Line>& lines) { return RunOf(registry.Send(Csv(lines))); }

  core::Pin End(const std::string& text) {
    return Must(analyses.differences.EndOf("from", text)).revision;
  }

  server::DifferenceAnswer Between(const std::string& from, const std::string& to) {
    registry.snapshots.Refresh();
    return analyses.differences.Get({{{&family, End(from), {}}}, {}, "", 0, End(to)});
  }

  server::DifferenceAnswer Since(const core::Pin& revision, const core::Target& target = {}) {
    registry.snapshots.Refresh();
    return analyses.differences.Get({{{&family, End(revision.Text()), {}}}, target, "", 0});
  }

  std::string Text(std::int64_t revision, const server::DifferenceChoice& choice = {}) {
    return TextOf(Since({revision, ""}), choice);
  }

  // Each difference as "M difference before after", in the requested order: "16 slower 10 20".
  static std::string TextOf(const server::DifferenceAnswer& found,
                            const server::DifferenceChoice& choice = {}) {
    std::string text, scratch;
    for (const auto& it : server::Listed(found.differences, choice)) {
      const auto us = [](std::optional<double> time) {
        return time ? std::to_string(std::lround(*time)) : std::string("-");
      };
      text += (text.empty() ? "" : "; ") +
              std::string(core::SplitLine(it.key->row->line, scratch)[kMColumn]) + " " +
              std::string(analysis::Name(it.key->difference)) + " " + us(it.key->before_us()) +
              " " + us(it.key->after_us());
    }
    return text;
  }
};

TEST(Differences, name_what_became_of_each_key) {
  DifferenceWorld world;
  const auto first =
      world.Send({{.m = 16}, {.m = 32}, {.m = 48}, {.m = 64}, {.m = 80, .us = "3.0"}, {.m = 96}});
  const std::int64_t then = world.registry.Revision();
  world.Send({{.m = 16, .us = "30.0"},  // the winner's new time
              {.m = 32, .kernel = "b", .us = "4.0"},
              {.m = 48, .us = "10.2"},  // below the noise
              {.m = 80, .us = "3.9"},   // too short to compare
              {.m = 112}});
  EXPECT_EQ(world.Text(then),
            "16 slower 10 30; 32 faster 10 4; 80 below_floor 3 4; 112 not_measured_before - 10");
  const auto found = world.Since({then, ""});
  const auto totals = server::TotalsOf(found.differences, {});
  EXPECT_EQ(world.Text(then, {analysis::Difference::kWithinNoise}), "48 within_noise 10 10");
  EXPECT_DOUBLE_EQ(totals.lost_us[static_cast<std::size_t>(analysis::Difference::kSlower)], 20);
  EXPECT_DOUBLE_EQ(totals.lost_us[static_cast<std::size_t>(analysis::Difference::kFaster)], -6);
  ASSERT_EQ(totals.revisions.size(), 1u);
  EXPECT_EQ(totals.revisions.begin()->second.keys, 4u);
  // Shape keys that only the reverted run measured now have no row.
  ASSERT_TRUE(server::RevertRun(world.registry.pool, first, {}).ok());
  EXPECT_EQ(world.Text(then, {analysis::Difference::kNotMeasuredAfter}),
            "64 not_measured_after 10 -; 96 not_measured_after 10 -");
  EXPECT_EQ(world.Text(world.registry.Revision()), "");
}

TEST(Differences, a_repetition_of_the_same_kernel_is_not_slower) {
  DifferenceWorld world;
  const auto run = [&](const std::string& rocm) {
    const std::int64_t id =
        world.registry.NewRun(rocm == "7.0" ? "2026-01-01T00:00:00Z" : "2026-01-02T00:00:00Z");
    Execute(world.registry.url, "UPDATE run SET provenance = '{\"rocm\":\"" + rocm +
                                    "\"}' WHERE id = " + std::to_string(id));
    return id;
  };
  world.registry.Send(Csv({{.m = 16}, {.m = 32}}), {.run = run("7.0")});
  const std::int64_t then = world.registry.Revision();
  const std::int64_t later = run("7.1");
  world.registry.Send(Csv({{.m = 16, .us = "30.0"}}), {.run = later});
  EXPECT_EQ(world.Text(then), "16 slower 10 30");
  Execute(world.registry.url, "UPDATE run SET provenance = '{\"rocm\":\"7.0\"}'");
  world.registry.Send(Csv({{.m = 32, .us = "40.0"}}), {.run = later});
  EXPECT_EQ(world.Text(then), "");
}

TEST(Differences, are_weighed_by_demand_sorted_and_narrowed) {
  DifferenceWorld world;
  world.Send({{.m = 16}, {.m = 32}, {.m = 48}, {.m = 16, .cu_num = 80}});
  const std::int64_t then = world.registry.Revision();
  world.Send({{.m = 16, .us = "20.0"},
              {.m = 32, .us = "90.0"},
              {.m = 48, .kernel = "b", .us = "5.0"},
              {.m = 16, .us = "15.0", .cu_num = 80}});
  EXPECT_EQ(world.Text(then), "32 slower 10 90; 16 slower 10 20; 16 slower 10 15; 48 faster 10 5");
  EXPECT_EQ(world.Text(then, {{}, server::DifferenceSort::kAfter, false}),
            "48 faster 10 5; 16 slower 10 15; 16 slower 10 20; 32 slower 10 90");
  EXPECT_EQ(world.Since({then, ""}, {"gfx942", 80}).differences.size(), 1u);
  EXPECT_EQ(world.Since({then, ""}, {"gfx950", 0}).differences.size(), 0u);
  // 100 requests that lose 10 us each weigh more than one request that loses 80 us.
  Execute(world.registry.url,
          "INSERT INTO demand (id, family, gfx, cu_num, shape, count) "
          "SELECT gen_random_uuid(), id, 'gfx942', 304, "
          "'{\"M\":\"16\",\"N\":\"1536\",\"K\":\"7168\"}', 100 "
          "FROM family WHERE name = 'a8w8_blockscale'");
  EXPECT_EQ(world.Text(then, {analysis::Difference::kSlower}),
            "16 slower 10 20; 32 slower 10 90; 16 slower 10 15");
}

TEST(Differences, a_lock_file_names_families_revisions_and_targets) {
  const server::Definitions definitions{ShippedFamilies(), ShippedTargets(), {}};
  const auto read = [&](const std::string& text) { return server::ReadLock(definitions, text); };
  const std::string token = R"("token":"0f3a5c2e9b7d4186a1c0e8f2d4b69753")";
  const auto lock = Must(read(
      R"({"hub":"x","tables":[{"family":"a8w8","query":"gfx=gfx942&cu_num=304","revision":7,)" +
      token + R"(,"sha256":"","file":"a.csv"},{"family":"fmoe",)" +
      R"("query":"gpu_archs=gfx942;gfx950","revision":3,)" + token +
      R"(},{"reader":"vllm","query":"","revision":3},)" +
      R"({"family":"none","query":"","revision":3,)" + token + "}]}"));
  ASSERT_EQ(lock.tables.size(), 2u);
  EXPECT_EQ(lock.tables[0].revision.Text(), "7-0f3a5c2e9b7d4186a1c0e8f2d4b69753");
  ASSERT_EQ(lock.tables[0].targets.size(), 1u);
  EXPECT_EQ(lock.tables[0].targets[0].cu_num, 304);
  ASSERT_EQ(lock.tables[1].targets.size(), 2u);
  EXPECT_EQ(lock.tables[1].targets[1].gfx, "gfx950");
  EXPECT_EQ(lock.left_out.size(), 2u);
  for (const std::string text :
       {"", "[]", "{}", R"({"tables":[]})", R"({"tables":[{"family":"a8w8"}]})",
        R"({"tables":[{"family":"a8w8","revision":-1}]})", R"({"tables":[{"revision":1}]})",
        R"({"tables":[{"family":"a8w8","revision":1}]})",
        R"({"tables":[{"family":"a8w8","revision":1,"token":""}]})",
        R"({"tables":[{"family":"a8w8","revision":1,"token":"x"}]})"}) {
    EXPECT_EQ(ErrorCode(read(text)), "bad_lock") << text;
  }
  EXPECT_NE(read(R"({"tables":[{"family":"a8w8","revision":-1,)" + token + "}]}")
                .error()
                .detail.find("/tables/0/revision"),
            std::string::npos);
}

TEST(Differences, seven_days_ago_of_a_younger_registry_is_its_first_revision) {
  DifferenceWorld world;
  EXPECT_EQ(world.End("7d").number, 0);
  world.Send({{}});
  world.Send({{.us = "5.0"}});
  world.Send({{.us = "4.0"}});
  const auto young = Must(world.analyses.differences.EndOf("from", "7d"));
  EXPECT_TRUE(young.is_first);
  EXPECT_EQ(young.revision.number, 1);
  Execute(world.registry.url,
          "UPDATE revision SET created = now() - (10 - number) * interval '1 day'");
  const auto week = Must(world.analyses.differences.EndOf("from", "7d"));
  EXPECT_FALSE(week.is_first);
  EXPECT_EQ(week.revision.number, 3);
  EXPECT_EQ(world.End("9d").number, 1);
  EXPECT_EQ(world.End("9999-01-01").number, 3);
  EXPECT_EQ(world.End("2000-01-01T00:00:00Z").number, 1);
}

TEST(Differences, each_end_is_now_a_date_a_revision_or_a_run) {
  DifferenceWorld world;
  const auto new_run = [&](int day) {
    return world.registry.NewRun("2026-01-0" + std::to_string(day) + "T00:00:00Z");
  };
  const auto send = [&](std::int64_t run, const std::vector<Line>& lines) {
    world.registry.Send(Csv(lines), {.run = run});
  };
  const std::int64_t first = new_run(1), run = new_run(2), last = new_run(3);
  send(first, {{.m = 16}, {.m = 32}});
  send(run, {{.m = 16, .us = "20.0"}});
  send(last, {{.m = 32, .us = "30.0"}});
  send(run, {{.m = 48}});
  send(last, {{.m = 16, .us = "5.0"}});
  const std::string of_run = std::to_string(run);
  EXPECT_EQ(world.End("before-run:" + of_run).number, 1);
  EXPECT_EQ(world.End("run:" + of_run).number, 4);
  const auto text = [&](const std::string& from, const std::string& to) {
    return world.TextOf(world.Between(from, to));
  };
  EXPECT_EQ(text("before-run:" + of_run, "run:" + of_run),
            "32 slower 10 30; 16 slower 10 20; 48 not_measured_before - 10");
  EXPECT_EQ(text("1", "2"), "16 slower 10 20");
  EXPECT_EQ(text("2", "now"), "32 slower 10 30; 16 faster 20 5; 48 not_measured_before - 10");
  EXPECT_EQ(text("2", world.End("2").Text()), "");
  EXPECT_EQ(text("4", "3"), "48 not_measured_after 10 -") << "back in time";
  EXPECT_EQ(text("now", "4"), "16 slower 5 20");
  // A run that changed no served row has one state.
  const std::int64_t idle = new_run(4);
  EXPECT_EQ(text("before-run:" + std::to_string(idle), "run:" + std::to_string(idle)), "");
  const auto error = [&](const std::string& end) {
    return ErrorCode(world.analyses.differences.EndOf("to", end));
  };
  for (const char* const end :
       {"", "yesterday", "0d", "367d", "7", "run:", "run:0", "run:x", "before-1", "2026-13-01"})
    EXPECT_EQ(error(end), std::string(end) == "7" ? "unknown_revision" : "bad_parameter") << end;
  EXPECT_EQ(error("run:99"), "unknown_run");
  EXPECT_EQ(error("1-0f3a5c2e9b7d4186a1c0e8f2d4b69753"), "revision_gone");
}

// The time of each "gfx M" in a whole table; NaN if unmeasured.
using TableTimes = std::map<std::string, double>;

TableTimes TimesIn(const std::string& table) {
  TableTimes times;
  std::istringstream in(table);
  std::string line, scratch;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const core::Cells cells = core::SplitLine(line, scratch);
    const double us = std::strtod(std::string(cells[kUsColumn]).c_str(), nullptr);
    times[std::string(cells[0]) + " " + std::string(cells[kMColumn])] =
        us > 0 && std::isfinite(us) ? us : std::nan("");
  }
  return times;
}

// Compares by brute force, over all shape keys of the two tables.
std::map<std::string, std::string> Compared(const TableTimes& before, const TableTimes& after) {
  std::map<std::string, std::string> differences;
  std::set<std::string> keys;
  for (const auto& [key, us] : before) keys.insert(key);
  for (const auto& [key, us] : after) keys.insert(key);
  for (const std::string& key : keys) {
    if (!after.contains(key)) {
      differences[key] = "not_measured_after";
    } else if (!before.contains(key)) {
      differences[key] = "not_measured_before";
    } else {
      const double was = before.at(key), is = after.at(key);
      if ((std::isnan(was) && std::isnan(is)) || was == is) continue;
      if (std::isnan(was))
        differences[key] = "not_measured_before";
      else if (std::isnan(is))
        differences[key] = "not_measured_after";
      else if (was < 4)
        differences[key] = "below_floor";
      else if (was > 1.005 * is + 0.5)
        differences[key] = "faster";
      else if (is > 1.005 * was + 0.5)
        differences[key] = "slower";
    }
  }
  return differences;
}

// The listed kinds of differences, by "gfx M".
std::map<std::string, std::string> KindsOf(const server::DifferenceAnswer& answer) {
  std::map<std::string, std::string> kinds;
  std::string scratch;
  for (const auto& it : server::Listed(answer.differences, {})) {
    const core::Cells cells = core::SplitLine(it.key->row->line, scratch);
    kinds[it.key->row->gfx + " " + std::string(cells[kMColumn])] =
        analysis::Name(it.key->difference);
  }
  return kinds;
}

TEST(DifferenceProperty, are_those_of_the_two_whole_tables_whatever_came_between) {
  std::map<std::string, int> seen;
  for (unsigned seed = 11; seed < 11 + Seeds(1); ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
    DifferenceWorld world;
    std::vector<std::int64_t> runs;
    std::map<std::int64_t, TableTimes> tables;
    for (int step = 0; step < 24; ++step) {
      if (pick(4) == 0 && !runs.empty()) {
        const std::size_t run = pick(static_cast<unsigned>(runs.size()));
        ASSERT_TRUE(server::RevertRun(world.registry.pool, runs[run], {}, false, true).ok());
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(run));
      } else {
        std::vector<Line> lines;
        for (unsigned i = 0; i < 1 + pick(6); ++i) {
          lines.push_back({.m = static_cast<int>(1 + pick(10)),
                           .kernel = std::string(1, static_cast<char>('a' + pick(3))),
                           .us = pick(7) == 0 ? "inf" : std::to_string(2 + pick(12)),
                           .gfx = pick(2) == 0 ? "gfx90a" : "gfx942"});
        }
        const auto answer = world.registry.Send(Csv(lines));
        if (!answer.refusal) runs.push_back(RunOf(answer));
      }
      const TableTimes now = TimesIn(world.registry.Table("allow_empty=1"));
      for (const auto& [revision, then] : tables) {
        const auto found = KindsOf(world.Since({revision, ""}));
        for (const auto& [key, kind] : found) ++seen[kind];
        ASSERT_EQ(found, Compared(then, now)) << "seed " << seed << ", since " << revision;
      }
      tables[world.registry.Revision()] = now;
    }
    for (const auto& [from, before] : tables) {
      for (const auto& [to, after] : tables) {
        const auto found = KindsOf(world.Between(std::to_string(from), std::to_string(to)));
        ASSERT_EQ(found, Compared(before, after)) << "seed " << seed << ", " << from << ", " << to;
      }
    }
  }
  for (const char* kind :
       {"slower", "faster", "not_measured_before", "not_measured_after", "below_floor"}) {
    EXPECT_GT(seen[kind], 0) << kind;
  }
}

}  // namespace
}  // namespace tunehub::test
