// Whether others use the device: a deployment node serves its users first.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tunehub::agent {

// What of the load is our own.
struct OwnWork {
  pid_t agent = 0, worker = 0;  // 0: none runs
};

class Probe {
 public:
  virtual ~Probe() = default;
  // Why the device is busy with others' work; "" where it is not. Asked several times a second.
  virtual std::string Busy(const OwnWork& own) = 0;
};

// These processors of this host, all where none is named: the time that others spent on them since
// the last call, from `root`/proc/stat less our own from `root`/proc/PID/stat.
std::unique_ptr<Probe> CpuProbe(const std::filesystem::path& root, std::vector<int> cpus = {});

// An AMD GPU: processes that the kernel driver lists (`root`/sys/class/kfd/kfd/proc) beside our
// own; gpu_busy_percent while we run nothing ourselves; free memory of the device, which a server
// takes in advance. Of the GPU at `address` ("0000:c1:00.0") alone, or, where that is "", of all.
std::unique_ptr<Probe> AmdProbe(const std::filesystem::path& root, const std::string& address = "");

// An NVIDIA GPU, by its management library: the same three. A host without that library is never
// idle: it says why.
std::unique_ptr<Probe> NvidiaProbe(int index, const std::string& address);

}  // namespace tunehub::agent
