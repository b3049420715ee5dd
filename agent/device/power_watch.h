// Keeps timed work below a GPU's power limit. A GPU that works without a pause reaches its limit
// after some 70 ms and lowers its clock, so that a large product takes up to 15 % longer. If it
// rests for half of the time, its clock stays.
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
  // Grows while the power limit slows the GPU.
  virtual std::uint64_t CappedNanoseconds() = 0;
};

// Null if NVIDIA's management library does not know the GPU.
std::unique_ptr<ClockGauge> NvidiaGauge(int index, const std::string& address);
// Reads the hwmon files below `root`/sys/bus/pci/devices/ADDRESS. They do not report the time at
// the limit, so power near the limit counts. Null if there are no files. Never tested on AMD
// hardware.
std::unique_ptr<ClockGauge> AmdGauge(const std::string& root, const std::string& address);

class PowerWatch {
 public:
  // The microseconds since a fixed moment, and a pause of a number of microseconds.
  struct Time {
    std::function<double()> now;
    std::function<void(double)> rest;
  };
  static Time Real();

  // `gauge` may be null: then nothing is watched. `pulse` times a fixed piece of work of the
  // problem.
  PowerWatch(std::unique_ptr<ClockGauge> gauge, std::function<core::Result<double>()> pulse,
             Time time);

  // A new problem, whose kernels may need less power. `fastest_us`: fastest_us() of the problem's
  // earlier runs; 0: there was none.
  void Begin(double fastest_us = 0);
  // Times a pulse, unless the problem has one. If the limit may already slow the GPU, rests and
  // times another.
  core::Status Refer();
  // A pulse, timed by Keep().
  core::Result<double> FeelPulse();
  // The problem's fastest pulse, taken as the full clock; 0: none yet.
  double fastest_us() const { return fastest_us_; }
  // Runs `timed`. If the limit slows the GPU, rests and repeats the call; then, and before all
  // later calls until Begin(), the GPU rests for as long as it worked.
  core::Result<double> Keep(const std::function<core::Result<double>()>& timed);
  // True if the limit slows the GPU despite the rests. The GPU then rests no longer.
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
  double worked_us_ = 0;                                               // by the last call
  int recoveries_ = 0;                                                 // since Begin()
  std::optional<std::pair<double, kernels::gpu::ClockState>> clocks_;  // the last reading, and when
};

}  // namespace tunehub::agent
