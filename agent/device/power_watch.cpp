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

constexpr double kRecoverUs = 60'000;  // the time from the power limit to the full clock
constexpr double kRestPerWork = 1;
// The power limit counts as active if a pulse is slower by this factor. The driver's counter is too
// slow: it still grows for half a second after the clock is back. The driver's clock reading lags
// by more than the time of a shape.
constexpr double kSlower = 1.01;
// A pulse must be faster by this factor to become the fastest pulse. Otherwise usual pulses would
// look slow compared with the fastest of many pulses.
constexpr double kFaster = 1.02;
// A kernel that the power limit slows this often, despite pauses, needs too much power.
constexpr int kMostRecoveries = 5;
// The time between two checks of the power limit, which takes effect within some 30 ms.
constexpr double kLookEveryUs = 10'000;
// The time between two readings. The driver updates its readings some ten times a second.
constexpr double kReadEveryUs = 100'000;
constexpr double kNanoseconds = 1000;  // nanoseconds in a microsecond

class NvmlGauge : public ClockGauge {
 public:
  explicit NvmlGauge(kernels::gpu::Nvml nvml) : nvml_(nvml) {}
  ClockState Read() override { return nvml_.Clocks(); }
  std::uint64_t CappedNanoseconds() override { return nvml_.CappedNanoseconds(); }

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
  std::uint64_t CappedNanoseconds() override {
    const double limit = Number("power1_cap") / kMicrowatts;
    const double now = clock_(), passed = now - std::exchange(read_, now);
    if (limit > 0 && Watts() > kNearLimit * limit) {
      capped_ += static_cast<std::uint64_t>(passed * kNanoseconds);
    }
    return capped_;
  }

 private:
  static constexpr double kMegahertz = 1e6, kMicrowatts = 1e6, kMillidegrees = 1000,
                          kNearLimit = 0.98;

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
  kernels::Clock clock_ = kernels::SteadyClock();
  double read_ = clock_();
  std::uint64_t capped_ = 0;
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

PowerWatch::PowerWatch(std::unique_ptr<ClockGauge> gauge,
                       std::function<core::Result<double>()> pulse, Time time)
    : gauge_(std::move(gauge)), pulse_(std::move(pulse)), time_(std::move(time)) {
  Begin();
}

void PowerWatch::Begin(double fastest_us) {
  recoveries_ = 0;
  fastest_us_ = fastest_us;
  if (gauge_ != nullptr) seen_ = gauge_->CappedNanoseconds();
}

core::Status PowerWatch::Refer() {
  if (gauge_ == nullptr || fastest_us_ > 0) return core::Ok();
  auto us = Feel();
  if (us.ok() && gauge_->CappedNanoseconds() != seen_) {
    time_.rest(kRecoverUs);
    us = Feel();
  }
  return us.ok() ? core::Ok() : core::Status(us.error());
}

core::Result<double> PowerWatch::Feel() {
  auto us = pulse_();
  if (us.ok() && (fastest_us_ == 0 || *us * kFaster < fastest_us_)) fastest_us_ = *us;
  return us;
}

core::Result<double> PowerWatch::FeelPulse() {
  return Keep([this] { return Feel(); });
}

core::Result<bool> PowerWatch::Slowed() {
  const double now = time_.now();
  if (now - looked_at_ < kLookEveryUs) return false;
  looked_at_ = now;
  const std::uint64_t before = std::exchange(seen_, gauge_->CappedNanoseconds());
  if (seen_ == before || fastest_us_ == 0) return false;
  const auto us = Feel();
  if (!us.ok()) return us.error();
  return *us > kSlower * fastest_us_;
}

core::Result<double> PowerWatch::Timed(const std::function<core::Result<double>()>& timed) {
  const double begin = time_.now();
  auto us = timed();
  worked_us_ = time_.now() - begin;
  return us;
}

core::Result<double> PowerWatch::Keep(const std::function<core::Result<double>()>& timed) {
  if (gauge_ == nullptr) return timed();
  if (recoveries_ > 0 && !capped()) time_.rest(kRestPerWork * worked_us_);
  auto us = Timed(timed);
  if (!us.ok() || capped()) return us;
  const auto slowed = Slowed();
  if (!slowed.ok()) return slowed.error();
  if (!*slowed) return us;
  ++recoveries_;
  time_.rest(kRecoverUs);
  return Timed(timed);
}

bool PowerWatch::capped() const {
  return recoveries_ > kMostRecoveries;
}

std::optional<ClockState> PowerWatch::Clocks() {
  if (gauge_ == nullptr) return std::nullopt;
  const double now = time_.now();
  if (!clocks_ || now - clocks_->first > kReadEveryUs) clocks_.emplace(now, gauge_->Read());
  return clocks_->second;
}

}  // namespace tunehub::agent
