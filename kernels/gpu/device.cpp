#include "kernels/gpu/device.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace tunehub::kernels::gpu {
namespace {

using core::Error;

// HIP and CUDA number attributes differently.
struct Attributes {
  int processors, cache, major, minor, kilohertz;
};
constexpr Attributes kCudaAttributes = {16, 38, 75, 76, 13};
constexpr Attributes kHipAttributes = {
    hipDeviceAttributeMultiprocessorCount, hipDeviceAttributeL2CacheSize,
    hipDeviceAttributeComputeCapabilityMajor, hipDeviceAttributeComputeCapabilityMinor,
    hipDeviceAttributeClockRate};

// ROCm 6 moved the members of hipDeviceProp_t. Libraries differ in the layout that the plain name
// returns. So this code searches both offsets for the architecture's name.
constexpr std::size_t kArchNameAt[] = {396, 1160}, kPropertiesRoom = 8192;
static_assert(offsetof(hipDeviceProp_t, gcnArchName) == kArchNameAt[0]);
static_assert(sizeof(hipDeviceProp_t) < kPropertiesRoom);

// Chips with a cache for the whole device behind L2. The driver does not report that cache.
constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
struct MemorySideCache {
  std::string_view gfx;
  std::uint64_t bytes;
};
constexpr MemorySideCache kMemorySideCaches[] = {{"gfx942", 256 * kMib}, {"gfx950", 256 * kMib}};

constexpr char kCudaPrefix[] = "sm_";
constexpr int kNoContext = 201;  // CUDA_ERROR_INVALID_CONTEXT: the thread has no context

int Attribute(const Driver& driver, int attribute, int device) {
  int value = 0;
  const int code =
      driver.device_attribute(&value, static_cast<hipDeviceAttribute_t>(attribute), device);
  return code == 0 ? value : 0;
}

core::Result<std::string> GfxOf(const Driver& driver, int device) {
  if (driver.api == Api::kCuda) {
    return fmt::format("{}{}{}", kCudaPrefix, Attribute(driver, kCudaAttributes.major, device),
                       Attribute(driver, kCudaAttributes.minor, device));
  }
  alignas(hipDeviceProp_t) std::array<char, kPropertiesRoom> room{};
  const int code = driver.hip_properties(reinterpret_cast<hipDeviceProp_t*>(room.data()), device);
  if (auto status = driver.Check(code, "asking for the GPU's properties"); !status.ok()) {
    return status.error();
  }
  for (const std::size_t at : kArchNameAt) {
    const std::string_view name(room.data() + at, ::strnlen(room.data() + at, 256));
    if (name.starts_with("gfx")) return GfxOfArchName(name);
  }
  return Error{kNoDevice, "the driver does not tell the GPU's architecture"};
}

core::Result<hipDevice_t> HandleOf(const Driver& driver, int index) {
  if (index < 0 || index >= DeviceCount(driver)) {
    return Error{kNoDevice, fmt::format("the driver does not see GPU {}; it sees {} GPUs", index,
                                        DeviceCount(driver))};
  }
  hipDevice_t device = 0;
  auto status = driver.Check(driver.device(&device, index), "opening the GPU");
  if (!status.ok()) return status.error();
  return device;
}

}  // namespace

std::string GfxOfArchName(std::string_view name) {
  return std::string(name.substr(0, name.find(':')));
}

std::uint64_t LastLevelCacheBytes(std::string_view gfx, std::uint64_t l2_bytes) {
  for (const auto& cache : kMemorySideCaches) {
    if (cache.gfx == gfx) return std::max(cache.bytes, l2_bytes);
  }
  return l2_bytes;
}

int DeviceCount(const Driver& driver) {
  int count = 0;
  return driver.device_count(&count) == 0 ? count : 0;
}

core::Result<DeviceProperties> DescribeDevice(const Driver& driver, int index) {
  const auto device = HandleOf(driver, index);
  if (!device.ok()) return device.error();
  std::array<char, 256> name{};
  std::size_t memory = 0;
  int version = 0;
  const std::pair<int, const char*> codes[] = {
      {driver.device_name(name.data(), static_cast<int>(name.size()) - 1, *device),
       "naming the GPU"},
      {driver.device_memory(&memory, *device), "asking for the GPU's memory"},
      {driver.driver_version(&version), "asking for the driver's version"}};
  for (const auto& [code, doing] : codes) {
    if (auto status = driver.Check(code, doing); !status.ok()) return status.error();
  }
  const auto gfx = GfxOf(driver, *device);
  if (!gfx.ok()) return gfx.error();
  const auto& attributes = driver.api == Api::kCuda ? kCudaAttributes : kHipAttributes;
  DeviceProperties properties;
  properties.api = driver.api;
  properties.index = index;
  properties.name = name.data();
  properties.target = {*gfx, Attribute(driver, attributes.processors, *device)};
  properties.memory_bytes = memory;
  properties.cache_bytes = LastLevelCacheBytes(
      *gfx, static_cast<std::uint64_t>(Attribute(driver, attributes.cache, *device)));
  properties.full_mhz = Attribute(driver, attributes.kilohertz, *device) / 1000.0;
  properties.driver_version = version;
  return properties;
}

core::Result<DeviceProperties> UseDevice(const Driver& driver, int index) {
  const auto device = HandleOf(driver, index);
  if (!device.ok()) return device.error();
  hipCtx_t context = nullptr;
  auto status = driver.Check(driver.retain_context(&context, *device), "opening the GPU");
  if (status.ok()) status = driver.Check(driver.set_context(context), "opening the GPU");
  if (!status.ok()) return status.error();
  return DescribeDevice(driver, index);
}

DeviceProperties PropertiesOf(const core::Target& target) {
  DeviceProperties properties;
  properties.api = target.gfx.starts_with(kCudaPrefix) ? Api::kCuda : Api::kHip;
  properties.name = "the target";
  properties.target = target;
  return properties;
}

core::Result<int> CurrentDevice(const Driver& driver) {
  int index = 0;
  const int code = driver.current_device(&index);
  if (driver.api == Api::kCuda && code == kNoContext) {
    const auto used = UseDevice(driver, 0);
    if (!used.ok()) return used.error();
    return 0;
  }
  auto status = driver.Check(code, "asking which GPU is the current one");
  if (!status.ok()) return status.error();
  return index;
}

}  // namespace tunehub::kernels::gpu
