// The device that this host tunes on, and what a measurement there depends on beside its
// architecture: which product it is, how it is partitioned, how much power it may take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/device/worker_device.h"
#include "core/base/result.h"
#include "core/family/targets.h"
#include "core/row/target.h"

namespace tunehub::agent {

// Ascending, each once. Errors: bad_arguments, with the text and what is wrong with it.
core::Result<std::vector<int>> ReadCpuList(std::string_view text);
std::string CpuListText(const std::vector<int>& cpus);  // of ascending numbers

// Those that this process may run on.
std::vector<int> UsableCpus();
// From here on this thread, and the threads and processes that it starts, run on these alone.
// Errors: bad_arguments, where one of them is not usable.
core::Status PinTo(const std::vector<int>& cpus);

struct DeviceInfo {
  std::string kind;  // "cpu", "amd", "nvidia"
  std::string name;  // "AMD EPYC 9654 96-Core Processor"; "" where the system does not say
  std::string isa;   // "x86-64-v4", "gfx942"
  core::Target target;
  std::uint64_t memory_bytes = 0;        // that a process may use; 0: unknown
  int gpu = -1;                          // its number among those that the driver sees; -1: the CPU
  std::string driver = {}, clocks = {};  // of a GPU: "580.159.04", "SM 1980 MHz, memory 3201 MHz"
  // What names it in its host: "0000:c1:00.0" of a GPU ("gpu:0" where nobody says), "cpu:0-7".
  std::string address = {};
  // Of a GPU, where the host tells.
  std::string pci_id = {};                            // "1002:74a1"
  std::string partition = {}, memory_partition = {};  // "SPX", "NPS1"
  double power_limit = 0;                             // watts; 0: unknown
};

// Errors: no_device.
core::Result<DeviceInfo> ThisCpuDevice();

// The GPU of that number, from 0, that the kernel driver lists below `root`/sys/class/kfd, read
// without any of AMD's libraries. Errors: no_device.
core::Result<DeviceInfo> AmdDevice(const std::filesystem::path& root, int index = 0);
// Of a node of that list: "0000:c1:00.0"; "" where it does not say.
std::string PciAddressOf(const std::filesystem::path& node);

// The GPU that tunehub's own kernels run on, as a worker process tells: a driver that crashes takes
// nothing else along. Errors: no_device, with what the driver said.
core::Result<DeviceInfo> GpuDevice(const Configuration& configuration, const std::string& program,
                                   int index);

// What --device says: the GPU if there is one that this build has kernels for, else
// the CPU; or one of the two.
inline constexpr char kAutoDevice[] = "auto", kCpuDevice[] = "cpu", kGpuDevice[] = "gpu";

struct DeviceOption {
  std::string kind;  // one of the three
  int index = 0;     // which GPU
};
// "auto", "cpu", "gpu" or "gpu:3". Errors: bad_arguments.
core::Result<DeviceOption> ReadDeviceOption(const std::string& text);

struct ChosenDevice {
  DeviceInfo device;
  std::string no_gpu;  // kAutoDevice: why it is the CPU; "" else
};

// A worker of a user's own is taken for the CPU's unless the GPU is asked for.
// Errors: no_device.
core::Result<ChosenDevice> ChooseDevice(const Configuration& configuration,
                                        const std::string& program, const DeviceOption& option);

// The worker that runs candidates on the device. `program`: "" for this program's own.
WorkerOptions WorkerFor(const Configuration& configuration, const std::string& program,
                        const DeviceInfo& device);

// Reads the PCI id, the compute and the memory partition and the power limit below
// `root`/sys/bus/pci/devices/ADDRESS, and leaves alone what stands nowhere there. A partition has a
// PCI function of its own that may not be listed; its GPU is function 0.
void ReadGpuFacts(const std::filesystem::path& root, DeviceInfo& device);

// By its PCI id, or else its name; null: unknown, or a name that several products share.
const core::Device* ProductOf(const DeviceInfo& device, const core::Devices& devices);

// All that a run says of its device, as name=value: product, gpu, pci_id, gfx, cu_num, driver,
// partition, memory_partition, power_limit; what nobody knows is left out.
std::vector<std::string> DeviceMembers(const DeviceInfo& device, const core::Devices& devices);

// "MI325X (gfx942:304)"; where the product is unknown all that it may be, as Devices::TargetName.
std::string NameOf(const DeviceInfo& device, const core::Devices& devices);

}  // namespace tunehub::agent
