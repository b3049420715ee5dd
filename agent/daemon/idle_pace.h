// Watches if other processes use the device. The tuner may run only within the window and while the
// device is idle, since a deployment node serves its users first. A thread checks every 250 ms. If
// it sees work of other processes during a call of the tuner, it ends that call at once.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/device/worker_device.h"
#include "core/base/result.h"
#include "core/base/threads.h"

namespace tunehub::agent {

// The tuner's own processes, which do not make the device busy.
struct OwnWork {
  pid_t agent = 0, worker = 0;  // 0: none runs
};

class Probe {
 public:
  virtual ~Probe() = default;
  // Returns why other processes keep the device busy; "": the device is idle. The caller calls it
  // several times a second.
  virtual std::string Busy(const OwnWork& own) = 0;
};

// The CPU is busy if other processes spent time on `cpus` (empty: on any CPU) since the last call.
// Their time is the time in `root`/proc/stat minus the time of OwnWork in `root`/proc/PID/stat.
std::unique_ptr<Probe> CpuProbe(const std::filesystem::path& root, std::vector<int> cpus = {});

// An AMD GPU is busy if one of these is true:
//   * `root`/sys/class/kfd/kfd/proc lists a process that is not ours.
//   * We run nothing, and gpu_busy_percent is above the limit.
//   * We run nothing, and little memory is free. (A server reserves memory at its start.)
// `address`: the GPU ("0000:c1:00.0"); "": all GPUs.
std::unique_ptr<Probe> AmdProbe(const std::filesystem::path& root, const std::string& address = "");

// An NVIDIA GPU is busy for the same three reasons. NVIDIA's management library (NVML) reports
// them. Without NVML the GPU counts as busy, and Busy says so.
std::unique_ptr<Probe> NvidiaProbe(int index, const std::string& address);

// The hours in which a node may tune: "01:00-05:00", local time. If the end is before the
// beginning, the end is on the next day.
struct Window {
  int begin = 0, end = 24 * 60;  // minutes of the day; the end is outside

  bool Contains(int minute_of_day) const;
};

// Errors: bad_window.
core::Result<Window> ParseWindow(std::string_view text);

// Returns the minute of the day in local time.
int MinuteOfDay();

struct IdleOptions {
  std::optional<Window> window;
  bool always = false;  // ignore the device's load
  std::chrono::milliseconds interval{250};
  // The tuner uses the device only after it was idle for this time, because a server's load is
  // bursty.
  std::chrono::milliseconds settle{5'000};
  std::function<int()> minute_of_day = MinuteOfDay;
};

class IdlePace {
 public:
  // The watching thread calls `give_up` when work of other processes appears. `stop`: true if this
  // process must end.
  IdlePace(std::unique_ptr<Probe> probe, IdleOptions options, std::function<OwnWork()> own,
           std::function<void()> give_up, std::function<bool()> stop);

  // Waits until the tuner may use the device. Errors: stopped.
  core::Status Await();
  // Counts how often the thread saw work of other processes. If the count grew during a
  // measurement, the measurement is invalid.
  unsigned Disturbances() const { return disturbances_; }
  // Why the tuner waits; "" while it may run.
  std::string Why() const;

 private:
  void Look();

  std::unique_ptr<Probe> probe_;
  IdleOptions options_;
  std::function<OwnWork()> own_;
  std::function<void()> give_up_;
  std::function<bool()> stop_;
  std::atomic<unsigned> disturbances_{0};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string why_ = "the agent has not yet checked if the device is idle";
  std::chrono::steady_clock::time_point idle_since_;
  bool was_busy_ = true;
  core::WokenThread thread_;  // last member: it ends before the members that it uses
};

// Uses a device only while it is idle. Waits while other processes use it. Ends a call when their
// work appears. Reports an error for a sample that they disturbed.
class PacedDevice : public TuningDevice {
 public:
  // Both arguments must outlive this object.
  PacedDevice(TuningDevice& device, IdlePace& pace) : device_(device), pace_(pace) {}

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
    return core::Error{kDisturbed, "other processes used the device during the sample"};
  }
  core::Result<Pulse> FeelPulse() override {
    return Uninterrupted<Pulse>([&] { return device_.FeelPulse(); });
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
  IdlePace& pace_;
};

}  // namespace tunehub::agent
