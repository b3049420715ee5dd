#include "kernels/gpu/nvml.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>

namespace tunehub::kernels::gpu {
namespace {

// HIP and CUDA number attributes differently.
struct PciAttributes {
  int domain, bus, device;
};
constexpr PciAttributes kCuda = {50, 33, 34};
constexpr PciAttributes kHip = {hipDeviceAttributePciDomainID, hipDeviceAttributePciBusId,
                                hipDeviceAttributePciDeviceId};

}  // namespace

std::string PciAddress(const Driver& driver, int index) {
  hipDevice_t handle = 0;
  if (driver.device(&handle, index) != 0) return "";
  const PciAttributes& attributes = driver.api == Api::kCuda ? kCuda : kHip;
  std::array<int, 3> values{};  // a GPU is function 0 of its card
  const std::array<int, 3> wanted = {attributes.domain, attributes.bus, attributes.device};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto attribute = static_cast<hipDeviceAttribute_t>(wanted[i]);
    if (driver.device_attribute(&values[i], attribute, handle) != 0) return "";
  }
  return fmt::format("{:04x}:{:02x}:{:02x}.0", values[0], values[1], values[2]);
}

namespace {

using core::Error;

constexpr char kLibrary[] = "libnvidia-ml.so.1";
// From nvml.h: NVML_CLOCK_SM, NVML_CLOCK_MEM; nvmlUtilization_t {gpu, memory}; nvmlMemory_t {total,
// free, used}; nvmlProcessInfo_v2_t.
constexpr int kSmClock = 1, kMemoryClock = 2;
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};
constexpr unsigned kMostProcesses = 64;
// Same layout as nvmlPciInfo_t.
struct PciInfo {
  char old_address[16];
  unsigned domain, bus, device;
  unsigned device_and_vendor;  // 0x233510de
  unsigned subsystem;
  char address[32];
};
constexpr double kMilliwatts = 1000;  // per watt
constexpr int kGpuSensor = 0;         // NVML_TEMPERATURE_GPU

}  // namespace

core::Result<Nvml> Nvml::Open(int index, const std::string& address) {
  // Never closed, like the driver.
  void* const handle = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{"no_library", ::dlerror()};  // NOLINT(concurrency-mt-unsafe)
  Nvml nvml;
  int (*init)() = nullptr;
  std::string lacking;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (function == nullptr) lacking = name;
  };
  auto& f = nvml.functions_;
  find(init, "nvmlInit_v2");
  find(f.driver_version, "nvmlSystemGetDriverVersion");
  find(f.device, "nvmlDeviceGetHandleByIndex_v2");
  find(f.device_at, "nvmlDeviceGetHandleByPciBusId_v2");
  find(f.clock, "nvmlDeviceGetClockInfo");
  find(f.load, "nvmlDeviceGetUtilizationRates");
  find(f.memory, "nvmlDeviceGetMemoryInfo");
  find(f.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  if (!lacking.empty())
    return Error{"no_library", fmt::format("{} does not have {}", kLibrary, lacking)};
  find(f.pci, "nvmlDeviceGetPciInfo_v3");
  find(f.power_limit, "nvmlDeviceGetPowerManagementLimit");
  find(f.power, "nvmlDeviceGetPowerUsage");
  find(f.temperature, "nvmlDeviceGetTemperature");
  find(f.throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (const int code = init(); code != 0) {
    return Error{"no_device", fmt::format("{} does not start: {}", kLibrary, code)};
  }
  const bool found = address.empty() ? f.device(static_cast<unsigned>(index), &nvml.device_) == 0
                                     : f.device_at(address.c_str(), &nvml.device_) == 0;
  if (!found) {
    return Error{"no_device",
                 "no GPU " + (address.empty() ? fmt::format("number {}", index) : address)};
  }
  return nvml;
}

std::string Nvml::DriverVersion() const {
  std::array<char, 96> version{};
  return functions_.driver_version(version.data(), version.size()) == 0 ? version.data() : "";
}

unsigned Nvml::Clock(int kind) const {
  unsigned mhz = 0;
  return functions_.clock(device_, kind, &mhz) == 0 ? mhz : 0;
}

std::string Nvml::ClocksText() const {
  return fmt::format("SM {} MHz, memory {} MHz", Clock(kSmClock), Clock(kMemoryClock));
}

std::string Nvml::PciId() const {
  PciInfo info{};
  if (functions_.pci == nullptr || functions_.pci(device_, &info) != 0) return "";
  return fmt::format("{:04x}:{:04x}", info.device_and_vendor & 0xFFFF,
                     info.device_and_vendor >> 16);
}

double Nvml::PowerLimit() const {
  unsigned milliwatts = 0;
  const bool told =
      functions_.power_limit != nullptr && functions_.power_limit(device_, &milliwatts) == 0;
  return told ? milliwatts / kMilliwatts : 0;
}

ClockState Nvml::Clocks() const {
  const auto& f = functions_;
  ClockState state{double(Clock(kSmClock)), double(Clock(kMemoryClock))};
  unsigned milliwatts = 0, celsius = 0;
  unsigned long long reasons = 0;
  if (f.power != nullptr && f.power(device_, &milliwatts) == 0) {
    state.watts = milliwatts / kMilliwatts;
  }
  if (f.temperature != nullptr && f.temperature(device_, kGpuSensor, &celsius) == 0) {
    state.celsius = celsius;
  }
  if (f.throttle != nullptr && f.throttle(device_, &reasons) == 0) {
    state.throttle = static_cast<std::uint32_t>(reasons);
  }
  return state;
}

int Nvml::BusyPercent() const {
  std::array<unsigned, 2> percent{};
  return functions_.load(device_, percent.data()) == 0 ? static_cast<int>(percent[0]) : -1;
}

std::uint64_t Nvml::FreeBytes() const {
  std::array<unsigned long long, 3> bytes{};
  return functions_.memory(device_, bytes.data()) == 0 ? bytes[1] : ~std::uint64_t{0};
}

std::vector<int> Nvml::Processes() const {
  std::array<ProcessInfo, kMostProcesses> infos{};
  unsigned count = kMostProcesses;
  std::vector<int> pids;
  if (functions_.processes(device_, &count, infos.data()) != 0) return pids;
  for (unsigned i = 0; i < count; ++i) pids.push_back(static_cast<int>(infos[i].pid));
  return pids;
}

}  // namespace tunehub::kernels::gpu
