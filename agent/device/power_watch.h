// Keeps timed work below a GPU's power limit. Each kernel lowers the clock at once, by its current:
// on an H200 of 1980 MHz a small product runs at 1900 MHz, a large one at 1600. The kernel's time
// includes this. But large products without a pause reach the power limit after some 70 ms, and the
// limit lowers the clock to 1450 MHz for as long as it acts. If the GPU rests for as long as it
// works, it stays at the first clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "kernels/gpu/nvml.h"

namespace tunehub::agent {

// The clocks, the power and the temperature of a GPU.
class ClockGauge {
 public:
  virtual ~ClockGauge() = default;
  virtual kernels::gpu::ClockState Read() = 0;
};

// Returns null if NVIDIA's management library does not know the GPU.
std::unique_ptr<ClockGauge> NvidiaGauge(int index, const std::string& address);
// Reads the hwmon files below `root`/sys/bus/pci/devices/ADDRESS. Null if there are no files. Never
// tested on AMD hardware.
std::unique_ptr<ClockGauge> AmdGauge(const std::string& root, const std::string& address);

class PowerWatch {
 public:
  // A clock: the microseconds since a fixed moment, and a pause of some microseconds.
  struct Time {
    std::function<double()> now;
    std::function<void(double)> rest;
  };
  static Time Real();

  // `gauge` may be null. `mhz` returns the mean frequency during the last timed work, `full_mhz` is
  // the GPU's highest; 0: unknown.
  PowerWatch(std::unique_ptr<ClockGauge> gauge, std::function<double()> mhz, double full_mhz,
             Time time)
      : gauge_(std::move(gauge)),
        mhz_(std::move(mhz)),
        full_mhz_(full_mhz),
        time_(std::move(time)) {}

  // Runs `timed`. If the earlier call lowered the clock much, the GPU first rests for as long as
  // that call took. If the clock is unknown, it rests if it has a gauge.
  core::Result<double> Keep(const std::function<core::Result<double>()>& timed);
  // With the lowest frequency of the work since the last Clocks(), if it is known.
  std::optional<kernels::gpu::ClockState> Clocks();

 private:
  std::unique_ptr<ClockGauge> gauge_;
  std::function<double()> mhz_;
  double full_mhz_;
  Time time_;
  bool heavy_ = gauge_ != nullptr;  // the work needs rests; an emulated GPU has no gauge
  double rested_at_us_ = 0;         // the moment when the GPU has rested enough
  double lowest_mhz_ = 0;           // since the last Clocks()
  std::optional<std::pair<double, kernels::gpu::ClockState>> clocks_;  // the last reading, and when
};

}  // namespace tunehub::agent
