#include "core/analysis/worth.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tunehub::analysis {
namespace {

// One pair in two buckets of M: 1, and 3 and 4.
Coverage TwoBuckets(std::int64_t demand_of_first = 0, std::int64_t demand_of_second = 0) {
  Coverage coverage;
  coverage.buckets = {{1, 1}, {3, 4}};
  coverage.pairs = {{"1024", "512"}};
  coverage.cells = {{0, 0, {}}, {1, 0, {}}};
  coverage.cells[0].counts.Add(State::kMissing, demand_of_first);
  coverage.cells[1].counts.Add(State::kMissing, demand_of_second);
  coverage.cells[1].counts.Add(State::kExact, 0);
  return coverage;
}

NeededShape At(Need need, std::int64_t m, std::size_t bucket, double roofline,
               double tuned = kUnknown, double untuned = kUnknown) {
  NeededShape shape;
  shape.need = need;
  shape.m = m;
  shape.bucket = bucket;
  const auto size = static_cast<double>(m);
  shape.key.place = {"M=" + std::to_string(m), "", size, 1024, 512, {std::log2(size), 10, 9}};
  shape.key.cu_num = 304;
  shape.key.roofline_us = roofline;
  shape.key.tuned_us = tuned;
  shape.key.default_us = untuned;
  return shape;
}

// What was measured: eight keys of other weights and of these, the default always twice the tuned.
Estimates Known() {
  std::vector<TimedKey> keys;
  for (int i = 0; i < 8; ++i) {
    TimedKey key = At(Need::kSlow, 1 << i, 0, 2, 4, 8).key;
    if (i == 0) key.tuned_us = key.default_us = kUnknown;  // M = 1 is what is asked for
    keys.push_back(key);
  }
  return {std::move(keys), 304};
}

TEST(Worth, is_told_per_token_by_buckets_of_m) {
  const std::vector<NeededShape> shapes = {At(Need::kMissing, 1, 0, 2), At(Need::kMissing, 3, 1, 2),
                                           At(Need::kSlow, 4, 1, 2, 4, 8)};
  const Estimates known = Known();
  const auto groups = GroupByPair(shapes, TwoBuckets(), known);
  ASSERT_EQ(groups.size(), 1U);
  const WorthGroup& group = groups.front();
  EXPECT_EQ(group.shapes, (std::array<std::size_t, kNeeds>{2, 0, 0, 1}));
  EXPECT_TRUE(group.sure);
  EXPECT_DOUBLE_EQ(group.worth, 0.5 * 4 / 1 + 0.25 * 4 / 3) << "each 8 - 4 us a call";
  EXPECT_DOUBLE_EQ(group.tuned_us, 0.5 * 4 / 1 + 0.25 * 4 / 3);
  EXPECT_DOUBLE_EQ(group.brought, 0.25 * 4 / 4);
  EXPECT_DOUBLE_EQ(group.lost, 0.25 * 2 / 4);
  EXPECT_DOUBLE_EQ(group.furthest.key.share(), 0.5);
  EXPECT_EQ(group.without_basis, 0U);
}

TEST(Worth, is_weighted_by_what_was_missed) {
  const std::vector<NeededShape> shapes = {At(Need::kMissing, 1, 0, 2),
                                           At(Need::kMissing, 3, 1, 2)};
  const Estimates known = Known();
  const auto group = GroupByPair(shapes, TwoBuckets(1, 3), known).front();
  EXPECT_DOUBLE_EQ(group.worth, 0.25 * 4 / 1 + 0.375 * 4 / 3);
}

TEST(Worth, has_no_basis_where_nothing_was_measured) {
  std::vector<TimedKey> keys;
  for (int i = 1; i < 8; ++i) keys.push_back(At(Need::kSlow, 1 << i, 0, 2, 4).key);
  const Estimates known(std::move(keys), 304);
  const std::vector<NeededShape> shapes = {At(Need::kMissing, 1, 0, 2),
                                           At(Need::kUnmeasured, 3, 1, 2)};
  const auto group = GroupByPair(shapes, TwoBuckets(), known).front();
  EXPECT_EQ(group.worth_shapes, 0U);
  EXPECT_EQ(group.without_basis, 2U);
  EXPECT_DOUBLE_EQ(group.tuned_us, 0.5 * 4) << "the tuned time is estimated all the same";
  ASSERT_EQ(group.bases.size(), 1U);
  EXPECT_EQ(group.bases[0].tuned.keys, 7U);
  EXPECT_EQ(group.bases[0].worth.keys, 0U);
}

TEST(Worth, is_a_range_where_few_keys_were_held_out) {
  std::vector<TimedKey> keys;
  for (int i = 1; i < 4; ++i) keys.push_back(At(Need::kSlow, 1 << i, 0, 2, 4, 7.0 + i).key);
  const Estimates known(std::move(keys), 304);
  const auto group = GroupByPair({At(Need::kMissing, 1, 0, 2)}, TwoBuckets(), known).front();
  EXPECT_FALSE(group.sure);
  EXPECT_EQ(group.bases[0].worth.keys, 3U);
  EXPECT_LT(group.range.low, group.worth);
  EXPECT_GT(group.range.high, group.worth);
}

TEST(Worth, says_which_m_need_what) {
  const std::vector<NeededShape> shapes = {At(Need::kMissing, 1, 0, 2), At(Need::kSlow, 4, 1, 2, 4),
                                           At(Need::kMissing, 3, 1, 2)};
  const Estimates known = Known();
  const auto group = GroupByPair(shapes, TwoBuckets(), known).front();
  ASSERT_EQ(group.ranges.size(), 2U);
  EXPECT_EQ(group.ranges[0].from, 1);
  EXPECT_EQ(group.ranges[0].to, 3);
  EXPECT_EQ(group.ranges[0].shapes, 2U);
  EXPECT_EQ(group.ranges[1].need, Need::kSlow);
}

}  // namespace
}  // namespace tunehub::analysis
