// The table of the GPU drivers' functions against the libraries that this host has.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "kernels/gpu/device.h"
#include "kernels/gpu/driver.h"

namespace tunehub::kernels::gpu {
namespace {

// Loudly, since nothing was looked at.
#define TUNEHUB_SKIP_WITHOUT(handle, library) \
  if ((handle) == nullptr) GTEST_SKIP() << (library) << " is not here: NOTHING WAS CHECKED"

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
  const auto driver = OpenDriver("libno-such-driver.so.1");
  ASSERT_FALSE(driver.ok());
  EXPECT_EQ(driver.error().code, kNoLibrary);
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

TEST(KernelsGpuDriver, an_architectures_name_is_cut_at_its_features) {
  EXPECT_EQ(GfxOfArchName("gfx942:sramecc+:xnack-"), "gfx942");
  EXPECT_EQ(GfxOfArchName("gfx90a"), "gfx90a");
}

TEST(KernelsGpuDriver, a_cache_that_the_driver_does_not_tell_of_is_counted) {
  EXPECT_EQ(LastLevelCacheBytes("gfx942", 4U << 20), 256U << 20);
  EXPECT_EQ(LastLevelCacheBytes("gfx90a", 8U << 20), 8U << 20);
  EXPECT_EQ(LastLevelCacheBytes("sm_90", 60U << 20), 60U << 20);
}

}  // namespace
}  // namespace tunehub::kernels::gpu
