#include "kernels/amd/catalog.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/amd/objects.h"
#include "kernels/amd/tile_order.h"
#include "tests/amd/emu/instances.h"

namespace tunehub::kernels::amd {
namespace {

Problem Bf16(int m, int n, int k) {
  return {.family = "bf16", .m = m, .n = n, .k = k, .moe = {}};
}

TEST(AmdCatalog, a_name_is_its_config_both_ways_or_none) {
  EXPECT_EQ(KernelName("bf16", Instances("bf16", Arch::kGfx942).front().config),
            "tk_bf16_256x128x128x64_m32_w2x2_s1_swz_e2_g8");
  std::set<std::string> names;
  for (const auto family : Families()) {
    for (const auto& [id, config] : Instances(family, Arch::kGfx950)) {
      const auto name = KernelName(family, config);
      EXPECT_TRUE(names.insert(name).second) << name << " twice";
      EXPECT_EQ(ParseKernelName(name), (NamedAmdConfig{std::string(family), config}));
    }
  }
  EXPECT_GE(names.size(), 50U);
  for (const char* name :
       {"", "tk_", "tk_bf16", "bf16_256x128x128x64_m32_w2x2_s1_swz_e2_g8",
        "tk_bf16_256x128x128x064_m32_w2x2_s1_swz_e2_g8",
        "tk_bf16_256x128x128_m32_w2x2_s1_swz_e2_g8", "tk_bf16_256x128x128x64_m32_w2_s1_swz_e2_g8",
        "tk_bf16_256x128x128x64_m32_w2x2_s1_xor_e2_g8",
        "tk_bf16_256x128x128x64_m32_w2x2_s1_swz_e2_g8 ",
        "tk_bf16_256x128x128x64_m32_w2x2_s1_swz_g8_e2",
        // A kernel of the CPU.
        "tk_a8w8_2x96x512x512_r6x2_nm_tn"}) {
    EXPECT_EQ(ParseKernelName(name), std::nullopt) << name;
  }
}

TEST(AmdCatalog, the_emulator_has_every_function_and_no_other) {
  for (const auto& module : Modules()) {
    std::set<std::pair<Arch, std::string>> expected, found;
    for (const Arch arch : kArchs) {
      if (module.element == Element::kFp8 && arch == Arch::kGfx90a) continue;
      for (const auto& [id, config] : Instances(module.family, arch)) {
        expected.emplace(arch, FunctionOf(module, config));
      }
    }
    for (const auto& function : emu::FunctionsOf(module.file)) {
      if (function.name != ReductionOf(module)) found.emplace(function.arch, function.name);
    }
    EXPECT_EQ(found, expected) << module.file;
  }
}

TEST(AmdCatalog, what_a_chip_cannot_multiply_has_no_candidates) {
  auto problem = Bf16(64, 128, 1024);
  EXPECT_FALSE(Candidates(problem, Arch::kGfx90a, 104).empty());
  problem.family = "a8w8_blockscale";
  problem.a = problem.w = Format::kE4m3;
  problem.scaling = Scaling::kBlock128;
  EXPECT_TRUE(Candidates(problem, Arch::kGfx90a, 104).empty());
  EXPECT_TRUE(Candidates(problem, Arch::kGfx942, 304).empty())
      << "this architecture multiplies e4m3fnuz";
  EXPECT_FALSE(Candidates(problem, Arch::kGfx950, 256).empty());
  EXPECT_FALSE(Candidates(InEncodingOf(Arch::kGfx942, problem), Arch::kGfx942, 304).empty());
  EXPECT_TRUE(Candidates(Bf16(64, 128, 1023), Arch::kGfx942, 304).empty())
      << "the rows are not aligned";
  EXPECT_TRUE(Candidates(Bf16(64, 126, 1024), Arch::kGfx942, 304).empty());
  problem.family = "fmoe";
  EXPECT_TRUE(Candidates(problem, Arch::kGfx950, 256).empty());
}

TEST(AmdCatalog, every_candidate_has_its_instance_and_splits_only_what_is_too_small_for_the_chip) {
  const auto small = Bf16(16, 512, 8192), large = Bf16(8192, 8192, 8192);
  bool any_split = false;
  for (const auto& problem : {small, large}) {
    for (const auto& candidate : Candidates(problem, Arch::kGfx942, 304)) {
      EXPECT_TRUE(InstanceOf(problem, Arch::kGfx942, candidate).ok()) << candidate.kernel_name;
      any_split = any_split || candidate.split_k > 0;
      if (problem == large) {
        EXPECT_EQ(candidate.split_k, 0);
      }
    }
  }
  EXPECT_TRUE(any_split);
}

TEST(AmdCatalog, a_candidate_of_elsewhere_is_refused) {
  const auto problem = Bf16(16, 512, 8192);
  auto candidate = Candidates(problem, Arch::kGfx942, 304).front();
  const auto code = [&](const Candidate& each, Arch arch = Arch::kGfx942) {
    const auto instance = InstanceOf(problem, arch, each);
    return instance ? "" : instance.error().code;
  };
  EXPECT_EQ(code(candidate), "");
  candidate.split_k = 3;
  EXPECT_EQ(code(candidate), "kernel_not_valid");
  candidate.split_k = 0;
  candidate.kernel_id = 1;
  EXPECT_EQ(code(candidate), "unknown_kernel");
  const auto last = Instances("bf16", Arch::kGfx950).back();
  const Candidate only_gfx950 = {KernelName("bf16", last.config), last.id, 0};
  EXPECT_EQ(code(only_gfx950, Arch::kGfx950), "");
  EXPECT_EQ(code(only_gfx950), "unknown_kernel");
  EXPECT_EQ(code({"tk_bf16_2x96x512x512_r6x2_nm_tn", 0, 0}), "unknown_kernel");
}

TEST(AmdArch, is_read_from_the_drivers_name_and_knows_its_dies) {
  EXPECT_EQ(ArchOf("gfx942:sramecc+:xnack-"), Arch::kGfx942);
  EXPECT_EQ(ArchOf("gfx90a"), Arch::kGfx90a);
  EXPECT_EQ(ArchOf("gfx1100"), std::nullopt);
  EXPECT_EQ(ArchOf("gfx94"), std::nullopt);
  EXPECT_EQ(XcdsOf(Arch::kGfx942, 304), 8);  // MI300X
  EXPECT_EQ(XcdsOf(Arch::kGfx942, 228), 6);  // MI300A
  EXPECT_EQ(XcdsOf(Arch::kGfx942, 38), 1);   // a partition of one die
  EXPECT_EQ(XcdsOf(Arch::kGfx942, 80), 4);   // MI308X
  EXPECT_EQ(XcdsOf(Arch::kGfx950, 256), 8);  // MI355X
  EXPECT_EQ(XcdsOf(Arch::kGfx90a, 104), 1);
  EXPECT_EQ(XcdsOf(Arch::kGfx942, 37), 1) << "unknown";
}

TEST(AmdObjects, what_does_not_exist_is_empty) {
  EXPECT_TRUE(ObjectOf("fmoe", Arch::kGfx942).empty());
  EXPECT_TRUE(ObjectOf("a8w8_fp8", Arch::kGfx90a).empty());
}

TEST(AmdTileOrder, gives_every_tile_to_one_block) {
  for (const int xcds : {1, 4, 8}) {
    for (const int group_m : {1, 3, 8}) {
      for (const auto& [tiles_m, tiles_n] :
           std::vector<std::pair<int, int>>{{1, 1}, {1, 7}, {7, 1}, {5, 9}, {8, 16}, {17, 3}}) {
        std::set<std::pair<int, int>> seen;
        for (int id = 0; id < tiles_m * tiles_n; ++id) {
          const Tile tile = TileOf(id, tiles_m, tiles_n, group_m, xcds);
          EXPECT_TRUE(tile.m >= 0 && tile.m < tiles_m && tile.n >= 0 && tile.n < tiles_n);
          EXPECT_TRUE(seen.emplace(tile.m, tile.n).second)
              << tile.m << ", " << tile.n << " twice: " << xcds << ", " << group_m;
        }
      }
    }
  }
}

TEST(AmdTileOrder, gives_a_die_a_run_of_neighbours_in_bands_of_group_m_rows) {
  // The GPU gives blocks to its dies in turns. The blocks of one die should be neighbours.
  for (int die = 0; die < 8; ++die) {
    for (int id = die + 8; id < 59; id += 8) {
      EXPECT_EQ(DealtToDies(id, 59, 8), DealtToDies(id - 8, 59, 8) + 1);
    }
  }
  const auto at = [](int id) {
    const Tile tile = TileOf(id, 5, 3, 2, 1);
    return std::pair(tile.m, tile.n);
  };
  using Tiles = std::vector<std::pair<int, int>>;
  const Tiles expected = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 0}, {3, 0},
                          {2, 1}, {3, 1}, {2, 2}, {3, 2}, {4, 0}, {4, 1}, {4, 2}};
  Tiles found;
  for (int id = 0; id < 15; ++id) found.push_back(at(id));
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace tunehub::kernels::amd
