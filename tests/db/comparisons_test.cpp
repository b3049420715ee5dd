// Comparisons of runs. A cached comparison of all shape keys also answers queries for some of them.
#include "server/insight/comparisons.h"

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/compare.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/seeds.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using server::CompareQuery;
using server::Comparisons;

// Two sides of two runs each. Each run has two families on three targets.
class ComparedWorld {
 public:
  explicit ComparedWorld(unsigned seed) : random_(seed) {
    int day = 1;
    for (std::vector<std::int64_t>* runs : {&base_, &head_, &base_, &head_}) {
      runs->push_back(registry.NewRun("2026-01-0" + std::to_string(day++) + "T00:00:00Z"));
      for (const char* family : {"a8w8_blockscale", "a8w8_blockscale_bpreshuffle"}) {
        const auto sent = registry.Send(RandomTable(), {.run = runs->back()}, family);
        EXPECT_EQ(Refusal(sent), "");
      }
    }
  }

  Comparisons New() { return {registry.definitions, registry.pool, registry.versions}; }

  CompareQuery All() {
    server::ComparedFamilies all;
    for (const auto& family : registry.definitions.families.all()) all.push_back(family.get());
    return {{base_, {}}, {head_, {}}, all, {}, {}, all};
  }
  CompareQuery Of(const std::vector<std::string>& families, const core::Target& target = {},
                  const analysis::CompareLimits& limits = {}) {
    CompareQuery query = All();
    query.families.clear();
    for (const std::string& name : families)
      query.families.push_back(registry.definitions.families.Find(name));
    query.target = target;
    query.limits = limits;
    return query;
  }

  Registry registry;

 private:
  // Kernels repeat, some rows have no time, and a side's two runs disagree on some rows.
  std::string RandomTable() {
    std::vector<Line> lines;
    for (int i = 0; i < 40; ++i) {
      Line line{.m = 16 * (1 + static_cast<int>(Pick(12))), .kernel = Pick(2) == 0 ? "a" : "b"};
      line.us = Pick(8) == 0 ? "0" : std::to_string(2 + Pick(12));
      if (Pick(3) == 0) line.gfx = "gfx950", line.cu_num = 256;
      if (Pick(3) == 0) line.cu_num = 80;
      lines.push_back(line);
    }
    return Csv(lines);
  }
  unsigned Pick(unsigned choices) { return static_cast<unsigned>(random_() % choices); }

  std::mt19937 random_;
  std::vector<std::int64_t> base_, head_;
};

std::string TextOf(const core::Result<Comparisons::Comparison>& answer) {
  if (!answer.ok()) return answer.error().code + ": " + answer.error().detail;
  return analysis::ToJson(**answer, {}).dump() + analysis::ToCsv(**answer);
}

TEST(Comparisons, of_some_keys_are_the_same_whether_or_not_all_were_compared_before) {
  for (unsigned seed = 1; seed <= Seeds(3); ++seed) {
    ComparedWorld world(seed);
    Comparisons asked_before = world.New();
    const auto all = Must(asked_before.Get(world.All()));
    for (const analysis::Change change : {analysis::Change::kSlower, analysis::Change::kUnstable})
      ASSERT_GT(all->Count(change), 0u);
    const std::vector<std::string> one = {"a8w8_blockscale"}, other = {"bf16"},
                                   both = {"a8w8_blockscale", "a8w8_blockscale_bpreshuffle"};
    const analysis::CompareLimits strict{.ignore_below_us = 0, .ratio = 1, .slack_us = 0},
        spread{.spread = 0.5};
    CompareQuery others_limits = world.All();
    others_limits.limits = strict;
    const CompareQuery queries[] = {
        world.Of(one),   world.Of(one, {"gfx942", 304}), world.Of(one, {"gfx950", 0}, strict),
        world.Of(both),  world.Of(both, {"", 80}),       world.Of(one, {}, spread),
        world.Of(other), world.Of(one, {"gfx90a", 0}),   others_limits,
    };
    for (std::size_t i = 0; i < std::size(queries); ++i) {
      Comparisons fresh = world.New();
      EXPECT_EQ(TextOf(asked_before.Get(queries[i])), TextOf(fresh.Get(queries[i])))
          << "query " << i << ", seed " << seed;
    }
  }
}

// Otherwise each change of Family on the dashboard would read 24,000 shape keys again, in 350 ms.
TEST(Comparisons, of_some_keys_read_no_row_again_where_all_were_compared_before) {
  ComparedWorld world(1);
  Comparisons asked_before = world.New();
  ASSERT_TRUE(asked_before.Get(world.All()).ok());
  const CompareQuery some = world.Of({"a8w8_blockscale"}, {"gfx942", 0}, {.ratio = 1.1});
  const std::string then = TextOf(world.New().Get(some));
  // A change in SQL does not notify the server.
  Execute(world.registry.url, "UPDATE measurement SET us = us + 1");
  EXPECT_NE(TextOf(world.New().Get(some)), then);
  EXPECT_EQ(TextOf(asked_before.Get(some)), then);
  // A query with another spread has other times, so the server must read the rows again.
  CompareQuery spread = some;
  spread.limits.spread = 0.5;
  EXPECT_EQ(TextOf(asked_before.Get(spread)), TextOf(world.New().Get(spread)));
}

}  // namespace
}  // namespace tunehub::test
