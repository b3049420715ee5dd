#include "agent/device/power_watch.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "core/row/cell.h"
#include "kernels/timer.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;
using kernels::gpu::ClockState;

// Work that lowers the clock below this share of the highest would reach the power limit.
constexpr double kHeavy = 0.9;
// The driver renews its readings some ten times a second.
constexpr double kReadEveryUs = 100'000;

class NvmlGauge : public ClockGauge {
 public:
  explicit NvmlGauge(kernels::gpu::Nvml nvml) : nvml_(nvml) {}
  ClockState Read() override { return nvml_.Clocks(); }

 private:
  kernels::gpu::Nvml nvml_;
};

class HwmonGauge : public ClockGauge {
 public:
  explicit HwmonGauge(fs::path folder) : folder_(std::move(folder)) {}

  ClockState Read() override {
    return {Number("freq1_input") / kMegahertz, Number("freq2_input") / kMegahertz,
            Number("temp1_input") / kMillidegrees, Watts(), 0};
  }

 private:
  static constexpr double kMegahertz = 1e6, kMicrowatts = 1e6, kMillidegrees = 1000;

  double Number(const char* file) const {
    std::string word;
    std::ifstream(folder_ / file) >> word;
    return core::ParseNumber(word).value_or(0);
  }
  double Watts() const {
    const double average = Number("power1_average");
    return (average > 0 ? average : Number("power1_input")) / kMicrowatts;
  }

  fs::path folder_;
};

}  // namespace

std::unique_ptr<ClockGauge> NvidiaGauge(int index, const std::string& address) {
  auto nvml = kernels::gpu::Nvml::Open(index, address);
  if (!nvml.ok()) return nullptr;
  return std::make_unique<NvmlGauge>(*std::move(nvml));
}

std::unique_ptr<ClockGauge> AmdGauge(const std::string& root, const std::string& address) {
  std::error_code error;
  const fs::path folder = fs::path(root) / "sys/bus/pci/devices" / address / "hwmon";
  for (const auto& monitor : fs::directory_iterator(folder, error)) {
    return std::make_unique<HwmonGauge>(monitor.path());
  }
  return nullptr;
}

PowerWatch::Time PowerWatch::Real() {
  return {kernels::SteadyClock(), [](double us) {
            std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(us));
          }};
}

core::Result<double> PowerWatch::Keep(const std::function<core::Result<double>()>& timed) {
  const double rest = rested_at_us_ - time_.now();
  if (heavy_ && rest > 0) time_.rest(rest);
  const double begin = time_.now();
  auto us = timed();
  const double end = time_.now();
  rested_at_us_ = end + (end - begin);
  if (const double mhz = mhz_(); mhz > 0) {
    heavy_ = full_mhz_ == 0 || mhz < kHeavy * full_mhz_;
    lowest_mhz_ = lowest_mhz_ > 0 ? std::min(lowest_mhz_, mhz) : mhz;
  }
  return us;
}

std::optional<ClockState> PowerWatch::Clocks() {
  if (gauge_ == nullptr) return std::nullopt;
  const double now = time_.now();
  if (!clocks_ || now - clocks_->first > kReadEveryUs) clocks_.emplace(now, gauge_->Read());
  auto clocks = clocks_->second;
  if (lowest_mhz_ > 0) clocks.sm_mhz = std::exchange(lowest_mhz_, 0);
  return clocks;
}

}  // namespace tunehub::agent
