// A device that is used only while its owner may use it: waits while others work on it, gives it up
// while a call runs, and says of a sample that was taken beside them that it is none.
#pragma once

#include "agent/tuning/device/device.h"
#include "agent/tuning/device/worker_device.h"

namespace tunehub::agent::tuning {

class Pace {
 public:
  virtual ~Pace() = default;
  // Returns once the device may be used. Errors: stopped.
  virtual core::Status Await() = 0;
  // How often others' work was seen so far: a call during which it grew is no measurement.
  virtual unsigned Disturbances() const = 0;
};

class PacedDevice : public TuningDevice {
 public:
  // Both must outlive it.
  PacedDevice(TuningDevice& device, Pace& pace) : device_(device), pace_(pace) {}

  core::Result<Offer> Prepare(const std::string& family, const Columns& shape) override {
    return Uninterrupted<Offer>([&] { return device_.Prepare(family, shape); });
  }
  core::Result<Verdict> Verify(std::size_t candidate) override {
    return Uninterrupted<Verdict>([&] { return device_.Verify(candidate); });
  }
  core::Result<double> Sample(std::size_t candidate, int calls, Cache cache) override {
    const unsigned before = pace_.Disturbances();
    auto us = Uninterrupted<double>([&] { return device_.Sample(candidate, calls, cache); });
    const bool stopped = !us.ok() && us.error().code == kStopped;
    if (stopped || pace_.Disturbances() == before) return us;
    return core::Error{kDisturbed, "others worked beside the sample"};
  }
  core::Result<double> Pulse() override {
    return Uninterrupted<double>([&] { return device_.Pulse(); });
  }

 private:
  template <typename T, typename Call>
  core::Result<T> Uninterrupted(const Call& call) {
    for (;;) {
      if (auto status = pace_.Await(); !status.ok()) return status.error();
      core::Result<T> result = call();
      if (result.ok() || result.error().code != kInterrupted) return result;
    }
  }

  TuningDevice& device_;
  Pace& pace_;
};

}  // namespace tunehub::agent::tuning
