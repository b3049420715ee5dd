// Estimates of a registry whose truth is known, held against a brute force of another make.
#include "core/analysis/estimates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "core/analysis/statistics.h"

namespace tunehub::analysis {
namespace {

TimedKey KeyAt(double m, double n, double k, double roofline, double tuned = kUnknown,
               double untuned = kUnknown, int cu_num = 304) {
  TimedKey key;
  key.place = {"M=" + std::to_string(static_cast<int>(m)) +
                   " N=" + std::to_string(static_cast<int>(n)) +
                   " K=" + std::to_string(static_cast<int>(k)),
               "bf16 ",
               m,
               n,
               k,
               {std::log2(m), std::log2(n), std::log2(k)}};
  key.cu_num = cu_num;
  key.roofline_us = roofline;
  key.tuned_us = tuned;
  key.default_us = untuned;
  return key;
}

TEST(Estimates, take_the_nearest_m_of_the_same_weights_first) {
  const Estimates estimates(
      {KeyAt(16, 1024, 512, 2, 5), KeyAt(64, 1024, 512, 4, 20), KeyAt(32, 2048, 512, 3, 99)}, 304);
  const auto found = estimates.Tuned(KeyAt(32, 1024, 512, 3));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->basis, Basis::kSameWeights);
  EXPECT_EQ(found->from->place.m, 16) << "as near as 64: the smaller";
  EXPECT_DOUBLE_EQ(found->us, 5.0 * 3 / 2);
}

TEST(Estimates, take_other_weights_then_and_nothing_that_is_far) {
  const Estimates estimates({KeyAt(16, 1024, 512, 2, 5)}, 304);
  const auto near = estimates.Tuned(KeyAt(16, 2048, 512, 4));
  ASSERT_TRUE(near);
  EXPECT_EQ(near->basis, Basis::kOtherWeights);
  EXPECT_DOUBLE_EQ(near->us, 10);
  EXPECT_TRUE(estimates.Tuned(KeyAt(16, 4096, 512, 8))) << "four times as large";
  EXPECT_FALSE(estimates.Tuned(KeyAt(16, 8192, 512, 16)));
  TimedKey other = KeyAt(16, 1024, 512, 2);
  other.place.rest = "fp8 ";
  EXPECT_FALSE(estimates.Tuned(other)) << "another type is no neighbour";
  EXPECT_FALSE(estimates.Tuned(KeyAt(16, 2048, 512, kUnknown))) << "no roofline to scale by";
}

TEST(Estimates, ask_the_sibling_and_then_the_roofline) {
  std::vector<TimedKey> keys;
  for (int i = 0; i < 6; ++i) {
    const double m = 1 << i;
    keys.push_back(KeyAt(m, 64, 64, 1 + i, (1 + i) * 2.0));                   // half the roofline
    keys.push_back(KeyAt(m, 64, 64, kUnknown, (1 + i) * 4.0, kUnknown, 80));  // twice as slow
  }
  keys.push_back(KeyAt(1, 8192, 8192, kUnknown, 100, kUnknown, 80));
  const Estimates estimates(keys, 304);
  const auto sibling = estimates.Tuned(KeyAt(1, 8192, 8192, 9));
  ASSERT_TRUE(sibling);
  EXPECT_EQ(sibling->basis, Basis::kSibling);
  EXPECT_EQ(sibling->from->cu_num, 80);
  EXPECT_EQ(sibling->keys, 6U);
  EXPECT_DOUBLE_EQ(sibling->us, 50);
  const auto roofline = estimates.Tuned(KeyAt(2, 8192, 8192, 9));
  ASSERT_TRUE(roofline);
  EXPECT_EQ(roofline->basis, Basis::kRoofline);
  EXPECT_DOUBLE_EQ(roofline->us, 18);
}

TEST(Estimates, invent_no_default) {
  const Estimates none({KeyAt(16, 1024, 512, 2, 5)}, 304);
  EXPECT_FALSE(none.has_defaults());
  const TimedKey asked = KeyAt(32, 1024, 512, 3);
  EXPECT_FALSE(none.Worth(asked, *none.Tuned(asked)));
  const Estimates some({KeyAt(16, 1024, 512, 2, 5, 10), KeyAt(8, 1024, 512, 2, 5)}, 304);
  const auto worth = some.Worth(asked, *some.Tuned(asked));
  ASSERT_TRUE(worth);
  EXPECT_DOUBLE_EQ(worth->us, 7.5) << "twice the estimated time, less it";
  EXPECT_EQ(worth->ratio_of->place.m, 16);
  const TimedKey baseline = KeyAt(32, 1024, 512, 3, kUnknown, 9);
  EXPECT_DOUBLE_EQ(some.Worth(baseline, *some.Tuned(baseline))->us, 1.5) << "its own, measured";
  EXPECT_EQ(some.Worth(baseline, *some.Tuned(baseline))->ratio_of, nullptr);
}

TEST(HeldOut, is_sure_only_by_enough_keys_that_are_near) {
  HeldOutMaker maker;
  for (int i = 0; i < 4; ++i) maker.Add(10, 10, 10);
  EXPECT_FALSE(maker.Done().is_sure()) << "four keys";
  maker.Add(20, 10, 20);
  EXPECT_TRUE(maker.Done().is_sure());
  EXPECT_EQ(maker.Done().error, 0);
  EXPECT_EQ(maker.Done().low, -0.5);
  HeldOutMaker wrong;
  for (int i = 0; i < 9; ++i) wrong.Add(13, 10, 13);
  EXPECT_FALSE(wrong.Done().is_sure()) << "30 %";
  HeldOutMaker nothing_gained;
  nothing_gained.Add(1, 0, 10);
  EXPECT_TRUE(std::isinf(nothing_gained.Done().error));
  EXPECT_EQ(HeldOutMaker().Done().keys, 0U);
}

// Random keys of two targets: times are the roofline times what depends on the size, and noise.
std::vector<TimedKey> RandomKeys(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> m(0, 9), weights(6, 9), percent(0, 99);
  std::normal_distribution<double> noise(0, 0.2);
  std::vector<TimedKey> keys;
  for (int i = 0; i < 160; ++i) {
    const int cu_num = percent(random) < 60 ? 304 : 228;
    TimedKey key = KeyAt(1 << m(random), 1 << weights(random), 1 << weights(random), 1, kUnknown,
                         kUnknown, cu_num);
    if (percent(random) < 20) key.place.rest = "fp8 ";
    key.roofline_us = 1 + key.place.m * key.place.n / 4096;
    const double tuned = key.roofline_us * (1.5 + noise(random) * noise(random));
    const double untuned = tuned * (1.3 + std::abs(noise(random)));
    const int kind = percent(random);
    if (kind < 85) key.tuned_us = tuned;
    if (kind > 40) key.default_us = untuned;
    const bool known = std::ranges::any_of(keys, [&](const TimedKey& other) {
      return other.cu_num == key.cu_num && other.place.IsSame(key.place);
    });
    if (!known) keys.push_back(key);
  }
  return keys;
}

// The same rules in the plainest words: nothing sorted beforehand, nothing indexed.
class BruteForce {
 public:
  explicit BruteForce(std::vector<TimedKey> keys) : keys_(std::move(keys)) {
    std::ranges::sort(keys_, [](const TimedKey& a, const TimedKey& b) {
      return std::tie(a.cu_num, a.place.rest, a.place.n, a.place.k, a.place.m) <
             std::tie(b.cu_num, b.place.rest, b.place.n, b.place.k, b.place.m);
    });
  }

  std::optional<double> Tuned(const TimedKey& asked, Basis basis) const {
    if (basis == Basis::kSibling) return Sibling(asked);
    if (basis == Basis::kRoofline) {
      std::vector<double> shares;
      for (const TimedKey& it : Others(asked))
        if (it.cu_num == asked.cu_num && it.is_tuned()) shares.push_back(it.share());
      if (shares.size() < 5) return std::nullopt;
      return asked.roofline_us / Median(shares);
    }
    std::optional<double> best;
    double least = 1e9;
    for (const TimedKey& it : Others(asked)) {
      const bool same = it.place.n == asked.place.n && it.place.k == asked.place.k;
      const double distance = Distance(it, asked);
      if (it.cu_num != asked.cu_num || !it.is_tuned() || it.place.rest != asked.place.rest ||
          same != (basis == Basis::kSameWeights) || distance > 2 || distance > least - 1e-9)
        continue;
      least = distance;
      best = it.tuned_us * asked.roofline_us / it.roofline_us;
    }
    return best;
  }

  std::optional<double> Default(const TimedKey& asked, double tuned) const {
    std::optional<double> best;
    double least = 1e9;
    for (const TimedKey& it : Others(asked)) {
      const double distance = Distance(it, asked);
      if (!it.is_tuned() || !it.has_default() || it.place.rest != asked.place.rest ||
          distance > least - 1e-9)
        continue;
      least = distance;
      best = tuned * it.default_us / it.tuned_us;
    }
    return best;
  }

  const std::vector<TimedKey>& keys() const { return keys_; }

 private:
  std::vector<TimedKey> Others(const TimedKey& asked) const {
    std::vector<TimedKey> others = keys_;
    std::erase_if(others, [&](const TimedKey& it) {
      return it.cu_num == asked.cu_num && it.place.IsSame(asked.place);
    });
    return others;
  }
  static double Distance(const TimedKey& a, const TimedKey& b) {
    return std::hypot(std::log2(a.place.m / b.place.m), std::log2(a.place.n / b.place.n),
                      std::log2(a.place.k / b.place.k));
  }
  std::optional<double> Sibling(const TimedKey& asked) const {
    std::vector<double> ratios;
    std::optional<double> there;
    for (const TimedKey& a : Others(asked)) {
      for (const TimedKey& b : Others(asked)) {
        if (a.cu_num == asked.cu_num && b.cu_num != asked.cu_num && a.place.IsSame(b.place) &&
            a.is_tuned() && b.is_tuned())
          ratios.push_back(a.tuned_us / b.tuned_us);
      }
      if (a.cu_num != asked.cu_num && a.place.IsSame(asked.place) && a.is_tuned())
        there = a.tuned_us;
    }
    if (!there || ratios.size() < 5) return std::nullopt;
    return *there * Median(ratios);
  }

  std::vector<TimedKey> keys_;
};

void ExpectError(const HeldOut& found, const std::vector<double>& errors, const std::string& what) {
  ASSERT_EQ(found.keys, errors.size()) << what;
  if (errors.empty()) return;
  EXPECT_NEAR(found.error, Median(errors), 1e-9) << what;
}

TEST(Estimates, and_their_held_out_errors_are_what_brute_force_says) {
  std::size_t held = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const BruteForce truth(RandomKeys(seed));
    const Estimates estimates(truth.keys(), 304);
    for (std::size_t i = 0; i < kBases; ++i) {
      const auto basis = static_cast<Basis>(i);
      const std::string what = std::to_string(seed) + " " + std::string(Name(basis));
      std::vector<double> times, worths, by_ratio;
      for (const TimedKey& key : truth.keys()) {
        const auto tuned = truth.Tuned(key, basis);
        const auto found = estimates.Tuned(key, basis);
        ASSERT_EQ(found.has_value(), tuned.has_value()) << what << " " << key.place.shape;
        if (!tuned) continue;
        ASSERT_NEAR(found->us, *tuned, 1e-9 * *tuned) << what << " " << key.place.shape;
        if (!key.is_tuned()) continue;
        if (key.cu_num == 304) times.push_back(std::abs(*tuned / key.tuned_us - 1));
        if (!key.has_default()) continue;
        const double brought = key.default_us - key.tuned_us;
        worths.push_back(std::abs((key.default_us - *tuned) / brought - 1));
        const auto untuned = truth.Default(key, *tuned);
        if (untuned) by_ratio.push_back(std::abs((*untuned - *tuned) / brought - 1));
      }
      ExpectError(estimates.TunedError(basis), times, what + " time");
      ExpectError(estimates.WorthError(basis, true), worths, what + " worth");
      ExpectError(estimates.WorthError(basis, false), by_ratio, what + " worth by ratio");
      held += worths.size();
    }
  }
  EXPECT_GT(held, 1000U) << "a registry in which nothing is known shows nothing";
}

}  // namespace
}  // namespace tunehub::analysis
