#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>

#include "kernels/gpu/device.h"
#include "kernels/gpu/driver.h"
#include "kernels/gpu/modules.h"
#include "tests/support/result.h"

namespace tunehub::kernels::gpu {
namespace {

// Compares the table of the GPU drivers' functions with the libraries on this host.

// The message is loud because the test then checks nothing.
#define TUNEHUB_SKIP_WITHOUT(handle, library) \
  if ((handle) == nullptr) GTEST_SKIP() << (library) << " is not installed: NOTHING WAS CHECKED"

std::string Lacking(void* library, Api api) {
  std::string lacking;
  for (const auto& name : DriverNames(api)) {
    if (::dlsym(library, name.c_str()) == nullptr) lacking += name + " ";
  }
  return lacking;
}

TEST(KernelsGpuDriver, every_name_is_in_debians_hip_library) {
  void* const library = ::dlopen("libamdhip64.so.5", RTLD_LAZY);
  TUNEHUB_SKIP_WITHOUT(library, "libamdhip64.so.5");
  EXPECT_EQ(Lacking(library, Api::kHip), "");
}

TEST(KernelsGpuDriver, every_name_is_in_cudas_stub) {
  void* const library =
      ::dlopen("/usr/local/cuda/targets/x86_64-linux/lib/stubs/libcuda.so", RTLD_LAZY);
  TUNEHUB_SKIP_WITHOUT(library, "CUDA's stub of libcuda.so");
  EXPECT_EQ(Lacking(library, Api::kCuda), "");
}

TEST(KernelsGpuDriver, a_library_that_is_not_there_is_an_error_and_no_crash) {
  EXPECT_EQ(ErrorCode(OpenDriver("libno-such-driver.so.1")), kNoLibrary);
}

TEST(KernelsGpuDriver, what_a_code_means_is_said) {
  const Driver driver;
  EXPECT_TRUE(driver.Check(0, "launching").ok());
  const auto memory = driver.Check(2, "allocating 5 bytes");
  EXPECT_EQ(memory.error().code, kOutOfMemory);
  EXPECT_EQ(memory.error().detail, "allocating 5 bytes: the device's memory is full, error (2)");
  EXPECT_EQ(driver.Check(209, "loading tk_x").error().code, kWrongArch);
  EXPECT_EQ(driver.Check(222, "loading tk_x").error().code, kDriverTooOld);
  EXPECT_EQ(driver.Check(702, "running tk_x").error().code, kGpuFailed);
  EXPECT_EQ(driver.Check(12345, "running tk_x").error().detail, "running tk_x: error (12345)");
}

TEST(KernelsGpuDriver, an_architectures_name_is_cut_and_a_cache_that_is_not_told_of_counted) {
  EXPECT_EQ(GfxOfArchName("gfx942:sramecc+:xnack-"), "gfx942");
  EXPECT_EQ(GfxOfArchName("gfx90a"), "gfx90a");
  EXPECT_EQ(LastLevelCacheBytes("gfx942", 4U << 20), 256U << 20);
  EXPECT_EQ(LastLevelCacheBytes("gfx90a", 8U << 20), 8U << 20);
  EXPECT_EQ(LastLevelCacheBytes("sm_90", 60U << 20), 60U << 20);
}

// A fake driver records how a launch reaches HIP.

struct Given {
  int loads = 0, launches = 0;
  const void* image = nullptr;
  std::string function;
  unsigned grid[3] = {}, block[3] = {}, shared_bytes = 0;
  bool has_parameters = false, is_block = false;
  std::vector<std::byte> arguments;
};
Given given;

// Reads `extra` as CLR's hipModuleLaunchKernel does.
hipError_t Launched(hipFunction_t, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                    unsigned bz, unsigned shared_bytes, hipStream_t, void** parameters,
                    void** extra) {
  ++given.launches;
  const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  std::memcpy(given.grid, grid, sizeof grid);
  std::memcpy(given.block, block, sizeof block);
  given.shared_bytes = shared_bytes;
  given.has_parameters = parameters != nullptr;
  given.is_block = extra != nullptr && extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER &&
                   extra[2] == HIP_LAUNCH_PARAM_BUFFER_SIZE && extra[4] == HIP_LAUNCH_PARAM_END;
  if (!given.is_block) return hipErrorInvalidValue;
  const auto* const begin = static_cast<const std::byte*>(extra[1]);
  given.arguments.assign(begin, begin + *static_cast<const std::size_t*>(extra[3]));
  return hipSuccess;
}

Driver FakeHip() {
  given = {};
  Driver driver;
  driver.api = Api::kHip;
  driver.load_module = [](hipModule_t*, const void* image) {
    ++given.loads;
    given.image = image;
    return hipSuccess;
  };
  driver.unload_module = [](hipModule_t) { return hipSuccess; };
  driver.find_function = [](hipFunction_t*, hipModule_t, const char* name) {
    given.function = name;
    return std::string(name) == "tk_missing" ? hipErrorNotFound : hipSuccess;
  };
  driver.launch = Launched;
  return driver;
}

Launch SomeLaunch(std::string function) {
  static constexpr std::string_view kCode = "\177ELF";
  Launch launch;
  launch.code = kCode;
  launch.function = std::move(function);
  launch.grid[0] = 12;
  launch.grid[1] = 4;
  launch.grid[2] = 2;
  launch.block[0] = 256;
  launch.arguments = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  return launch;
}

TEST(KernelsGpuModules, hip_gets_the_arguments_as_one_block_of_their_size) {
  const Driver driver = FakeHip();
  Modules modules(driver);
  const Launch launch = SomeLaunch("tk_bf16");
  ASSERT_TRUE(modules.Run(launch, nullptr).ok());
  ASSERT_TRUE(modules.Run(launch, nullptr).ok());
  EXPECT_EQ(given.loads, 1) << "the driver loads a module once";
  EXPECT_EQ(given.launches, 2);
  EXPECT_EQ(given.image, launch.code.data());
  EXPECT_EQ(given.function, "tk_bf16");
  EXPECT_TRUE(given.is_block);
  EXPECT_FALSE(given.has_parameters) << "HIP refuses parameters together with `extra`";
  EXPECT_EQ(given.arguments, launch.arguments);
  EXPECT_EQ(given.grid[0], 12U) << "blocks, not threads";
  EXPECT_EQ(given.grid[1], 4U);
  EXPECT_EQ(given.grid[2], 2U);
  EXPECT_EQ(given.block[0], 256U);
}

TEST(KernelsGpuModules, a_function_that_the_object_lacks_is_an_error_that_names_it) {
  const Driver driver = FakeHip();
  Modules modules(driver);
  const auto status = modules.Run(SomeLaunch("tk_missing"), nullptr);
  EXPECT_EQ(ErrorCode(status), kGpuFailed);
  EXPECT_EQ(status.error().detail, "finding tk_missing: error (500)");
  EXPECT_EQ(given.launches, 0);
}

}  // namespace
}  // namespace tunehub::kernels::gpu
