// Devices, kernels by name and launches, on a fake driver.
#include <algorithm>
#include <thread>
#include <vector>

#include "core/lookup/table.h"
#include "kernels/gpu/kernel_set.h"
#include "kernels/nvidia/sm90_set.h"
#include "kernels/sets/gpu_sets.h"
#include "tests/dispatch/support.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

constexpr char kSmall[] = "tk_a8w8_blockscale_sm90_64x128x128_s8_c1x1_g8";
constexpr char kDefault[] = "tk_a8w8_blockscale_sm90_128x128x128_s5_c1x1_g8";

class DispatchLaunch : public testing::Test {
 protected:
  void SetUp() override {
    if (kernels::nvidia::AllCode().empty()) {
      GTEST_SKIP() << "this build has no clang++-22: NOTHING WAS CHECKED";
    }
    UseFakeDevice(0);
    Fake().fail_launch = 0;
    layer_ = OpenLayer(OpenText(kBlockscaleHeader + "sm_90,132,16,1280,5120,tunehub,8,8,8.6," +
                                    kSmall + ",0,0,0.0\n",
                                "a8w8_blockscale"),
                       nullptr, 0, {0, 1280, 5120, nullptr});
  }

  std::size_t Bytes(int m, const char* kernel, int split_k) const {
    std::size_t bytes = 0;
    EXPECT_EQ(Told(th_workspace_bytes(layer_.get(), m, kernel, split_k, &bytes)), "0");
    return bytes;
  }
  std::string Launch(int m, const char* kernel, int split_k) {
    return Told(th_launch(layer_.get(), m, kernel, split_k, &operands_, Address(5),
                          std::size_t{1} << 30, Address(6)));
  }
  static void* Address(std::uintptr_t number) { return reinterpret_cast<void*>(number << 20); }

  ApiLayer layer_;
  th_operands operands_ = {Address(1), Address(2), Address(3), Address(4), Address(7)};
};

TEST_F(DispatchLaunch, a_device_is_described_once_per_id) {
  th_device_info device{};
  ASSERT_EQ(Told(th_device(&device)), "0");
  EXPECT_EQ(device.id, 0);
  EXPECT_STREQ(device.name, "Fake 0");
  EXPECT_STREQ(device.gfx, "sm_90");
  EXPECT_EQ(device.cu_num, 132);
  UseFakeDevice(1);
  ASSERT_EQ(Told(th_device(&device)), "0");
  EXPECT_EQ(device.id, 1);
  EXPECT_STREQ(device.gfx, "sm_80");
  EXPECT_EQ(device.cu_num, 108);
  const int asked = Fake().names_asked;
  for (int i = 0; i < 10; ++i) {
    UseFakeDevice(i % 2);
    ASSERT_EQ(th_device(&device), TH_OK);
    EXPECT_EQ(device.id, i % 2);
  }
  EXPECT_EQ(Fake().names_asked, asked);
}

TEST_F(DispatchLaunch, a_thread_that_chose_no_device_has_the_first) {
  UseFakeDevice(1);  // of this thread
  th_device_info device{};
  std::thread([&] { EXPECT_EQ(Told(th_device(&device)), "0"); }).join();
  EXPECT_EQ(device.id, 0);
}

TEST_F(DispatchLaunch, the_row_and_the_default_can_both_be_launched) {
  th_answer row{}, standard{};
  ASSERT_EQ(th_find(layer_.get(), 9, &row), TH_OK);
  EXPECT_EQ(row.own_kernel, 1);
  EXPECT_STREQ(row.step, "gl0");
  EXPECT_EQ(Launch(9, row.kernel_name, row.split_k), "0");
  EXPECT_EQ(std::string(Fake().function), "tk_e4m3_block_64x128_s8_c1x1");
  EXPECT_EQ(Fake().a, Address(1));
  EXPECT_EQ(Fake().stream, Address(6));
  ASSERT_EQ(Told(th_default(layer_.get(), 9, &standard)), "0");
  EXPECT_EQ(standard.found, 0);
  EXPECT_STREQ(standard.kernel_name, kDefault);
  EXPECT_EQ(Launch(9, standard.kernel_name, standard.split_k), "0");
  EXPECT_EQ(std::string(Fake().function), "tk_e4m3_block_128x128_s5_c1x1");
}

// Otherwise a row that was found at a padded M might name a kernel that cannot run at the raw M.
TEST_F(DispatchLaunch, what_is_a_candidate_at_a_padded_m_is_one_at_the_raw_m) {
  const core::Lookup& lookup = ShippedFamily("a8w8_blockscale").lookup;
  const std::pair<const char*, int> targets[] = {{"sm_90", 132}, {"gfx942", 304}, {"gfx950", 256}};
  for (const auto& [gfx, cu_num] : targets) {
    const auto device = kernels::gpu::PropertiesOf({gfx, cu_num});
    const auto set = kernels::gpu::SetFor(device, kernels::GpuSets());
    if (!set.ok()) continue;  // this build lacks its compiler
    kernels::Problem problem;
    problem.family = "a8w8_blockscale";
    problem.a = problem.w = kernels::Format::kE4m3;
    problem.scaling = kernels::Scaling::kBlock128;
    problem = (*set)->InEncoding(problem, device);
    const auto candidates = [&](std::int64_t m) {
      problem.m = static_cast<int>(m);
      return (*set)->Candidates(problem, device);
    };
    for (const auto& [n, k] : {std::pair(1280, 5120), std::pair(6400, 3200)}) {
      problem.n = n;
      problem.k = k;
      for (int m = 1; m < 20'000; m += 1 + m / 9) {
        const auto raw = candidates(m);
        ASSERT_FALSE(raw.empty()) << gfx;
        for (const auto& attempt : lookup::AttemptsFor(lookup, m, n)) {
          for (const auto& it : candidates(attempt.m)) {
            EXPECT_NE(std::ranges::find(raw, it), raw.end())
                << gfx << " " << it.kernel_name << " " << it.split_k << " M=" << m;
          }
        }
      }
    }
  }
}

TEST_F(DispatchLaunch, a_code_object_is_loaded_once) {
  ASSERT_EQ(Launch(16, kSmall, 0), "0");
  const int modules = Fake().modules, launches = Fake().launches;
  for (int i = 0; i < 5; ++i) ASSERT_EQ(Launch(16, kSmall, 0), "0");
  EXPECT_EQ(Fake().modules, modules);
  EXPECT_EQ(Fake().launches, launches + 5);
}

TEST_F(DispatchLaunch, a_launch_is_planned_once_for_its_addresses) {
  ASSERT_EQ(Launch(16, kSmall, 0), "0");
  const int maps = Fake().maps;
  ASSERT_EQ(Launch(16, kSmall, 0), "0");
  EXPECT_EQ(Fake().maps, maps);
  EXPECT_EQ(Fake().a, Address(1));
  operands_.a = Address(9);
  ASSERT_EQ(Launch(16, kSmall, 0), "0");
  EXPECT_GT(Fake().maps, maps);
  EXPECT_EQ(Fake().a, Address(9));
  for (const auto& [m, split_k] : {std::pair(17, 0), std::pair(16, 2)}) {
    const int before = Fake().maps;
    ASSERT_EQ(Launch(m, kSmall, split_k), "0");
    EXPECT_GT(Fake().maps, before) << m << " " << split_k;
  }
  EXPECT_EQ(Fake().cluster, 2U);
}

TEST_F(DispatchLaunch, an_engine_that_never_repeats_an_address_does_not_fill_the_memory) {
  for (std::uintptr_t i = 0; i < 600; ++i) {
    operands_.a = Address(100 + i);
    ASSERT_EQ(Launch(16, kSmall, 0), "0");
    ASSERT_EQ(Fake().a, Address(100 + i));
  }
  const int maps = Fake().maps;
  ASSERT_EQ(Launch(16, kSmall, 0), "0");
  EXPECT_EQ(Fake().maps, maps) << "the library remembers the last map";
  operands_.a = Address(100);
  ASSERT_EQ(Launch(16, kSmall, 0), "0");
  EXPECT_GT(Fake().maps, maps) << "the library has forgotten the first map";
}

TEST_F(DispatchLaunch, a_kernel_that_is_none_is_named) {
  EXPECT_EQ(Launch(16, "a8w8_blockscale_1x128x128_256x16x64x256", 0),
            "8 unknown_kernel: 'a8w8_blockscale_1x128x128_256x16x64x256' with splitK 0 is not a "
            "kernel of tunehub (family a8w8_blockscale for sm_90 at M=16 N=1280 K=5120)");
  EXPECT_EQ(Launch(16, kSmall, 9).substr(0, 19), "8 unknown_kernel: '")
      << "the kernel has no such split";
  // At M = 16 a tile of 256 rows would mostly multiply zeros.
  EXPECT_EQ(Launch(16, "tk_a8w8_blockscale_sm90_256x128x128_s4_c1x1_g8", 0).substr(0, 18),
            "8 unknown_kernel: ");
  EXPECT_EQ(Told(th_launch(layer_.get(), 16, nullptr, 0, &operands_, nullptr, 0, nullptr)),
            "1 null_argument: kernel_name is a null pointer");
}

TEST_F(DispatchLaunch, AddressesAreLookedAtBeforeTheDriverIs) {
  const int launches = Fake().launches;
  operands_.w = nullptr;
  EXPECT_EQ(Launch(16, kSmall, 0), "1 null_argument: w is a null pointer");
  operands_.w = Address(3);
  operands_.a_scale = nullptr;
  EXPECT_EQ(Launch(16, kSmall, 0), "1 null_argument: a_scale is a null pointer");
  operands_.a_scale = Address(2);
  operands_.out = static_cast<char*>(Address(7)) + 2;
  EXPECT_EQ(Launch(16, kSmall, 0), "1 bad_argument: out must be aligned to 16 bytes");
  EXPECT_EQ(Fake().launches, launches);
}

TEST_F(DispatchLaunch, slices_of_k_are_the_blocks_of_one_cluster) {
  ASSERT_EQ(Launch(16, kSmall, 0), "0");
  EXPECT_EQ(Fake().blocks, 10U) << "1280 columns in tiles of 128";
  EXPECT_EQ(Fake().cluster, 1U);
  ASSERT_EQ(Launch(16, kSmall, 7), "0");
  EXPECT_EQ(Fake().blocks, 70U);
  EXPECT_EQ(Fake().cluster, 7U);
  EXPECT_EQ(Bytes(16, kSmall, 7), 0U) << "the slices meet in shared memory";
}

TEST_F(DispatchLaunch, a_workspace_that_is_too_small_is_refused) {
  const auto device = kernels::gpu::PropertiesOf({"gfx942", 304});
  const auto set = kernels::gpu::SetFor(device, kernels::GpuSets());
  if (!set.ok()) GTEST_SKIP() << "this build has no kernels for gfx942: NOTHING WAS CHECKED";
  kernels::Problem problem;
  problem.family = "a8w8_blockscale";
  problem.m = 16;
  problem.n = 1280;
  problem.k = 5120;
  problem.a = problem.w = kernels::Format::kE4m3;
  problem.scaling = kernels::Scaling::kBlock128;
  const auto all = (*set)->Candidates((*set)->InEncoding(problem, device), device);
  const auto split = std::ranges::find_if(all, [](const auto& it) { return it.split_k > 1; });
  ASSERT_NE(split, all.end());
  const ApiLayer layer = OpenLayer(OpenText(kBlockscaleHeader, "a8w8_blockscale"), "gfx942", 304,
                                   {0, 1280, 5120, nullptr});
  const char* const kernel = split->kernel_name.c_str();
  std::size_t bytes = 0;
  ASSERT_EQ(Told(th_workspace_bytes(layer.get(), 16, kernel, split->split_k, &bytes)), "0");
  const auto told = [&](std::size_t given, void* workspace) {
    return Told(
        th_launch(layer.get(), 16, kernel, split->split_k, &operands_, workspace, given, nullptr));
  };
  EXPECT_EQ(told(bytes - 1, Address(5)),
            "9 workspace_too_small: the workspace has " + std::to_string(bytes - 1) +
                " bytes, but the launch needs " + std::to_string(bytes));
  EXPECT_EQ(told(bytes, nullptr), "1 null_argument: workspace is a null pointer");
  EXPECT_EQ(told(bytes, Address(5)).substr(0, 15), "7 wrong_device:")
      << "the workspace is large enough, but on another device";
}

TEST_F(DispatchLaunch, another_current_device_is_refused) {
  UseFakeDevice(1);
  EXPECT_EQ(Launch(16, kSmall, 0),
            "7 wrong_device: the layer is for sm_90 with 132 compute units, but the current GPU is "
            "sm_80 with 108 compute units");
  UseFakeDevice(0);
  EXPECT_EQ(Launch(16, kSmall, 0), "0");
}

TEST_F(DispatchLaunch, what_the_driver_says_is_handed_on) {
  Fake().fail_launch = 700;
  EXPECT_EQ(Launch(16, kSmall, 0),
            "11 gpu_failed: launching tk_e4m3_block_64x128_s8_c1x1: the kernel accessed memory "
            "that does not belong to it, CUDA_ERROR_ILLEGAL_ADDRESS (700)");
  Fake().fail_launch = 2;
  EXPECT_EQ(Launch(16, kSmall, 0).substr(0, 17), "10 out_of_memory:");
}

TEST_F(DispatchLaunch, a_target_without_kernels_is_still_looked_up) {
  const auto table = OpenText(kBlockscaleHeader + "gfx90a,104,16,1280,5120,ck,8,0,8.6,k,0,0,0.0\n",
                              "a8w8_blockscale");
  const auto layer = OpenLayer(table, "gfx906", 60, {0, 1280, 5120, nullptr});
  th_answer answer{};
  EXPECT_EQ(th_find(layer.get(), 16, &answer), TH_OK);
  const std::string told = Told(th_default(layer.get(), 16, &answer));
  EXPECT_EQ(told.substr(0, 70),
            "7 wrong_arch: the target is gfx906, for which this build has no kernel")
      << told;
}

TEST_F(DispatchLaunch, a_shape_without_kernels_is_still_looked_up) {
  const auto layer = OpenLayer(OpenText(kBlockscaleHeader, "a8w8_blockscale"), "sm_90", 132,
                               {0, 1280, 5121, nullptr});
  th_answer answer{};
  EXPECT_EQ(th_find(layer.get(), 16, &answer), TH_OK);
  EXPECT_EQ(Told(th_default(layer.get(), 16, &answer)),
            "8 unknown_kernel: tunehub has no kernel (family a8w8_blockscale for sm_90 at M=16 "
            "N=1280 K=5121)");
  th_table* table = nullptr;
  ASSERT_EQ(th_open(nullptr, "a8w8_bpreshuffle", nullptr, &table), TH_OK);
  const ApiTable owned(table);
  const auto other = OpenLayer(owned, "sm_90", 132, {0, 1280, 5120, "q_dtype_w=torch.int8"});
  EXPECT_EQ(Told(th_default(other.get(), 16, &answer)),
            "8 unsupported_family: tunehub has no kernel for a8w8_bpreshuffle");
}

TEST_F(DispatchLaunch, race_of_many_threads_that_launch) {
  const int launches = Fake().launches;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int m = 1; m <= 16; ++m) EXPECT_EQ(Launch(m, kSmall, 0), "0");
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(Fake().launches, launches + 64);
}

}  // namespace
}  // namespace tunehub::test
