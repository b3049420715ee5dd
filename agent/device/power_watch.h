// Keeps timed work below a GPU's power limit. A GPU that works without a pause reaches its power
// limit after some 70 ms. Then it lowers its clock, and a large matrix product takes up to 15 %
// longer. If the GPU pauses for half of the time, its clock stays the same.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "kernels/gpu/nvml.h"

namespace tunehub::agent {

// The clocks, the power and the temperature of a GPU.
class ClockGauge {
 public:
  virtual ~ClockGauge() = default;
  virtual kernels::gpu::ClockState Read() = 0;
  // Returns a counter that grows while the power limit slows the GPU.
  virtual std::uint64_t CappedNanoseconds() = 0;
};

// Returns null if NVIDIA's management library does not know the GPU.
std::unique_ptr<ClockGauge> NvidiaGauge(int index, const std::string& address);
// Reads the hwmon files below `root`/sys/bus/pci/devices/ADDRESS. These files do not report the
// time at the power limit. So the time with power near the limit counts instead. Null if the files
// do not exist. Never tested on AMD hardware.
std::unique_ptr<ClockGauge> AmdGauge(const std::string& root, const std::string& address);

class PowerWatch {
 public:
  // A clock: the microseconds since a fixed moment, and a pause of some microseconds.
  struct Time {
    std::function<double()> now;
    std::function<void(double)> rest;
  };
  static Time Real();

  // `gauge` may be null. Then this object watches nothing. `pulse` times a fixed piece of work of
  // the problem.
  PowerWatch(std::unique_ptr<ClockGauge> gauge, std::function<core::Result<double>()> pulse,
             Time time);

  // Begins a new problem, whose kernels may need less power. `fastest_us`: fastest_us() of earlier
  // runs of the problem; 0: there was no run.
  void Begin(double fastest_us = 0);
  // Times a pulse, unless the problem already has a pulse. If the power limit may already slow the
  // GPU, pauses and times another pulse.
  core::Status Refer();
  // Times a pulse by Keep().
  core::Result<double> FeelPulse();
  // The problem's fastest pulse, which counts as the pulse at full clock; 0: none yet.
  double fastest_us() const { return fastest_us_; }
  // Runs `timed`. If the power limit slows the GPU, pauses and repeats the call. From then until
  // Begin(), each call begins with a pause as long as the GPU's last work.
  core::Result<double> Keep(const std::function<core::Result<double>()>& timed);
  // True if the power limit slows the GPU despite the pauses. Then there are no more pauses.
  bool capped() const;
  std::optional<kernels::gpu::ClockState> Clocks();

 private:
  core::Result<double> Timed(const std::function<core::Result<double>()>& timed);
  core::Result<bool> Slowed();
  core::Result<double> Feel();

  std::unique_ptr<ClockGauge> gauge_;
  std::function<core::Result<double>()> pulse_;
  Time time_;
  std::uint64_t seen_ = 0;  // the counter's last value
  double looked_at_ = 0, fastest_us_ = 0;
  // by the GPU in the last call
  double worked_us_ = 0;
  int recoveries_ = 0;                                                 // since Begin()
  std::optional<std::pair<double, kernels::gpu::ClockState>> clocks_;  // the last reading, and when
};

}  // namespace tunehub::agent
