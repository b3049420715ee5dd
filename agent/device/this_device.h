// Describes the device on which this host tunes, with the facts that affect its times: product,
// partition, power limit.
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

// Returns ascending, distinct numbers. Errors: bad_arguments, with the text and the reason.
core::Result<std::vector<int>> ReadCpuList(std::string_view text);
std::string CpuListText(const std::vector<int>& cpus);  // precondition: `cpus` is ascending

// Processors that this process may run on.
std::vector<int> UsableCpus();
// Pins this thread, and all threads and processes that this thread starts later. Errors:
// bad_arguments (a processor is not usable).
core::Status PinTo(const std::vector<int>& cpus);

struct DeviceInfo {
  std::string kind;  // "cpu", "amd", "nvidia"
  std::string name;  // "AMD EPYC 9654 96-Core Processor"; "": unknown
  std::string isa;   // "x86-64-v4", "gfx942"
  core::Target target;
  std::uint64_t memory_bytes = 0;  // memory that a process may use; 0: unknown
  // the GPU's number among the GPUs that the driver sees; -1: the CPU
  int gpu = -1;
  // only of a GPU: "580.159.04", "SM 1980 MHz, memory 3201 MHz"
  std::string driver = {}, clocks = {};
  // The device's name within the host: "0000:c1:00.0" for a GPU ("gpu:0" if the address is
  // unknown), or "cpu:0-7".
  std::string address = {};
  // Only of a GPU, and only if the host reports them.
  std::string pci_id = {};                            // "1002:74a1"
  std::string partition = {}, memory_partition = {};  // "SPX", "NPS1"
  double power_limit = 0;                             // watts; 0: unknown
};

// Returns the path of this process's program, to start it again. Returns "/proc/self/exe" if that
// file was replaced, because the daemon must not start the worker of another version after an
// upgrade. Without /proc, returns the path that started the process.
std::string OwnProgram();

// Errors: no_device.
core::Result<DeviceInfo> ThisCpuDevice();

// Returns the GPU number `index` in the kernel driver's list below `root`/sys/class/kfd. Uses no
// AMD library. Errors: no_device.
core::Result<DeviceInfo> AmdDevice(const std::filesystem::path& root, int index = 0);
// Returns the PCI address of a node of the kernel driver's list: "0000:c1:00.0"; "": unknown.
std::string PciAddressOf(const std::filesystem::path& node);

// Returns the GPU for tunehub's own kernels. A worker process asks the driver, so that a crash of
// the driver does not end this process. Errors: no_device, with the driver's message.
core::Result<DeviceInfo> GpuDevice(const Configuration& configuration, const std::string& program,
                                   int index);

// Kinds of --device. auto: the GPU if this build has kernels for it, else the CPU.
inline constexpr char kAutoDevice[] = "auto", kCpuDevice[] = "cpu", kGpuDevice[] = "gpu";

struct DeviceOption {
  std::string kind;  // auto, cpu or gpu
  int index = 0;     // which GPU
};
// "auto", "cpu", "gpu" or "gpu:3". Errors: bad_arguments.
core::Result<DeviceOption> ReadDeviceOption(const std::string& text);

struct ChosenDevice {
  DeviceInfo device;
  std::string no_gpu;  // why auto chose the CPU; "": auto did not choose the CPU
};

// If the user named a worker program, auto chooses the CPU. Errors: no_device.
core::Result<ChosenDevice> ChooseDevice(const Configuration& configuration,
                                        const std::string& program, const DeviceOption& option);

// Returns the worker for the device. `program`: the worker's program; "": this program.
WorkerOptions WorkerFor(const Configuration& configuration, const std::string& program,
                        const DeviceInfo& device);

// Reads the PCI id, both partitions and the power limit below `root`/sys/bus/pci/devices/ADDRESS.
// Leaves a member unchanged if its file is missing. If the PCI function of a partition is not
// listed, reads function 0, which is the whole GPU.
void ReadGpuFacts(const std::filesystem::path& root, DeviceInfo& device);

// Finds the product by PCI id, else by name; null if it is unknown, or if several share the name.
const core::Device* ProductOf(const DeviceInfo& device, const core::Devices& devices);

// Returns facts about a run's device as name=value: product, gpu, pci_id, address, gfx, cu_num,
// driver, partition, memory_partition, power_limit. Leaves out unknown facts.
std::vector<std::string> DeviceMembers(const DeviceInfo& device, const core::Devices& devices);

// Returns "MI325X (gfx942:304)". For an unknown product, returns Devices::TargetName, which lists
// all possible products.
std::string NameOf(const DeviceInfo& device, const core::Devices& devices);

}  // namespace tunehub::agent
