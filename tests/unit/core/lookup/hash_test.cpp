// The hash of AITER's compiled tables, over every shape that the real tables hold.
#include <gtest/gtest.h>

#include <set>

#include "core/lookup/key_reader.h"
#include "tests/support/aiter_merge.h"
#include "tests/support/shipped.h"

namespace tunehub::lookup {
namespace {

using Numbers = std::vector<std::int64_t>;

// How AITER combines the numbers, from its description.
std::uint64_t ByAiter(const std::string& gfx, const Numbers& numbers) {
  std::uint64_t h = std::hash<std::string>()(gfx);
  for (const std::int64_t x : numbers) {
    const std::uint64_t hx = std::hash<int>()(static_cast<int>(x));
    h = h ^ (hx + 0x9e3779b9ULL + (h * 64) + (h / 4));
  }
  return h;
}

TEST(DispatchHash, permuted_numbers_and_other_targets_differ) {
  std::set<std::uint64_t> hashes;
  for (const char* gfx : {"gfx942", "gfx950"}) {
    for (const int cu_num : {304, 256, 80}) {
      hashes.insert(HashOf(gfx, {cu_num, 1024, 2048, 4096}));
      hashes.insert(HashOf(gfx, {cu_num, 1024, 4096, 2048}));
      hashes.insert(HashOf(gfx, {cu_num, 2048, 1024, 4096}));
      hashes.insert(HashOf(gfx, {cu_num, 2048, 4096, 1024}));
      hashes.insert(HashOf(gfx, {cu_num, 4096, 1024, 2048}));
      hashes.insert(HashOf(gfx, {cu_num, 4096, 2048, 1024}));
    }
  }
  EXPECT_EQ(hashes.size(), 36U);
}

// The keys of every matrix product of the real tables, whatever its family, each once.
std::set<std::pair<std::string, Numbers>> RealKeys() {
  std::set<std::pair<std::string, Numbers>> keys;
  for (const auto& family : test::AiterFamilies()) {
    if (family->metric.formula != "gemm") continue;
    std::vector<std::string> texts, columns;
    for (const auto& file : test::AiterFilesOf(*family)) texts.push_back(test::ReadText(file));
    if (family->cu_num != core::kNoColumn) columns.push_back("cu_num");
    const core::Metric& metric = family->metric;
    for (const std::size_t column : {metric.batch, metric.m, metric.n, metric.k}) {
      if (column != core::kNoColumn) columns.push_back(family->columns[column].name);
    }
    for (const test::AiterRow& row : test::AiterRows(texts)) {
      Numbers numbers;
      for (const std::string& column : columns) numbers.push_back(std::stoll(row.At(column)));
      keys.emplace(row.At("gfx"), std::move(numbers));
    }
  }
  return keys;
}

TEST(DispatchHash, no_two_shapes_of_the_real_tables_share_a_hash) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  const auto keys = RealKeys();
  std::set<std::uint64_t> hashes, by_aiter;
  for (const auto& [gfx, numbers] : keys) {
    hashes.insert(HashOf(gfx, numbers));
    by_aiter.insert(ByAiter(gfx, numbers));
  }
  EXPECT_GT(keys.size(), 10'000U);
  EXPECT_EQ(hashes.size(), keys.size());
  EXPECT_LT(by_aiter.size(), keys.size()) << "why its formula is not ours";
  std::printf("%zu keys of matrix products, %zu hashes; by AITER's formula %zu\n", keys.size(),
              hashes.size(), by_aiter.size());
}

}  // namespace
}  // namespace tunehub::lookup
