// A state plus its difference to another state equals that other state.
#include <gtest/gtest.h>

#include <random>

#include "server/insight/trend.h"

namespace tunehub::server {
namespace {

constexpr std::int64_t kDayUs = std::int64_t{24} * 60 * 60 * 1'000'000;

server::PointModel Cell(const std::string& model, std::int64_t found, int cu_num = 304) {
  return {model, "gfx942", cu_num, 8, 100,       static_cast<double>(found) * 10,
          10,    found,    0,      0, 10 - found};
}

TEST(PointDelta, has_what_differs_alone) {
  const server::PointRows before{{Cell("a", 1), Cell("b", 2), Cell("c", 3)},
                                 {{1, "gfx942", 304, 5, 0, 0, 1}, {2, "gfx942", 304, 7, 0, 0, 1}}};
  const server::PointRows now{{Cell("a", 1), Cell("b", 4), Cell("d", 5)},
                              {{1, "gfx942", 304, 5, 0, 0, 1}}};
  const auto changes = ChangesOf(before, now);
  ASSERT_EQ(changes.models.size(), 3u);
  EXPECT_EQ(changes.models[0], Cell("b", 4));
  EXPECT_EQ(changes.models[1].model, "c");
  EXPECT_FALSE(changes.models[1].is_there());
  EXPECT_EQ(changes.models[2], Cell("d", 5));
  ASSERT_EQ(changes.families.size(), 1u);
  EXPECT_EQ(changes.families[0].family, 2);
  EXPECT_FALSE(changes.families[0].is_there());
  EXPECT_TRUE(ChangesOf(now, now).models.empty());
  EXPECT_TRUE(ChangesOf(now, now).families.empty());
}

TEST(PointDelta, carried_forward_gives_every_state) {
  std::mt19937 random(7);
  server::PointRows state, carried;
  for (int step = 0; step < 200; ++step) {
    server::PointRows next;
    for (const char* model : {"a", "b", "c", "d"}) {
      for (const int cu_num : {80, 304}) {
        if (random() % 3 != 0) next.models.push_back(Cell(model, 1 + random() % 3, cu_num));
      }
    }
    for (std::int16_t family = 1; family <= 4; ++family) {
      const auto tuned = static_cast<std::int64_t>(1 + random() % 2);
      if (random() % 3 != 0) next.families.push_back({family, "gfx942", 304, tuned, 0, 0, 1});
    }
    carried = Applied(carried, ChangesOf(state, next));
    ASSERT_EQ(carried.models, next.models) << step;
    ASSERT_EQ(carried.families, next.families) << step;
    state = next;
  }
}

PointHistory HistoryOf(const std::vector<std::pair<int, server::PointRows>>& days_ago,
                       std::int64_t now) {
  PointHistory history;
  server::PointRows before;
  for (const auto& [days, rows] : days_ago) {
    server::PointRecord record;
    record.id = static_cast<std::int64_t>(history.points.size()) + 1;
    record.at = now - days * kDayUs;
    history.points.push_back(
        {record, std::make_shared<const server::PointRows>(ChangesOf(before, rows))});
    before = rows;
  }
  return history;
}

TEST(Trend, begins_with_what_was_in_force_when_its_days_did) {
  const std::int64_t now = 1'000 * kDayUs;
  const auto history = HistoryOf({{60, {{Cell("a", 1)}, {}}},
                                  {40, {{Cell("a", 2), Cell("b", 2)}, {}}},
                                  {10, {{Cell("a", 2), Cell("b", 6)}, {}}}},
                                 now);
  const auto trend = TrendOf({"", {}, {"gfx942", 304}}, history, now - 30 * kDayUs);
  ASSERT_EQ(trend.size(), 2u);
  EXPECT_DOUBLE_EQ(trend[0].figures.covered, 0.2);
  EXPECT_DOUBLE_EQ(trend[1].figures.covered, 0.4);
  EXPECT_EQ(trend[1].figures.found, 8);
  EXPECT_EQ(TrendOf({"b", {}, {"gfx942", 304}}, history, now - 90 * kDayUs).size(), 2u);
  EXPECT_TRUE(TrendOf({"c", {}, {"gfx942", 304}}, history, 0).empty());
}

TEST(CellTrends, are_sampled_as_of_each_time) {
  const std::int64_t now = 1'000 * kDayUs;
  const auto history = HistoryOf(
      {{31, {{Cell("a", 1)}, {}}}, {28, {{Cell("a", 2)}, {}}}, {2, {{Cell("a", 3)}, {}}}}, now);
  const auto cells = CellTrendsOf(history, now);
  const auto& shares = cells.at({"a", "gfx942", 304}).shares;
  EXPECT_DOUBLE_EQ(*shares.front(), 0.1);
  EXPECT_DOUBLE_EQ(*shares[1], 0.2);
  EXPECT_DOUBLE_EQ(*shares.back(), 0.2);
  const auto young = CellTrendsOf(HistoryOf({{10, {{Cell("a", 1)}, {}}}}, now), now);
  EXPECT_FALSE(young.at({"a", "gfx942", 304}).shares.front());
  EXPECT_TRUE(young.at({"a", "gfx942", 304}).shares.back());
}

}  // namespace
}  // namespace tunehub::server
