// Whether others use the device, since a deployment node serves its users first; and lets the tuner
// run while it is idle and the hour is right. A thread of its own looks every quarter of a second;
// what it sees while a call runs ends that call at once.
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

// The hours in which a node may tune: "01:00-05:00", local time, over midnight where the end is
// before the beginning.
struct Window {
  int begin = 0, end = 24 * 60;  // minutes of the day; the end is outside

  bool Contains(int minute_of_day) const;
};

// Errors: bad_window.
core::Result<Window> ParseWindow(std::string_view text);

// Of the local clock now.
int MinuteOfDay();

struct IdleOptions {
  std::optional<Window> window;
  bool always = false;  // do not look at the device's load
  std::chrono::milliseconds interval{250};
  // So long the device must have been idle before it is used (again): a server's users come in
  // bursts.
  std::chrono::milliseconds settle{5'000};
  std::function<int()> minute_of_day = MinuteOfDay;
};

class IdlePace {
 public:
  // `give_up` is called, on the watching thread, when others' work appears. `stop`: whether the
  // process was asked to end.
  IdlePace(std::unique_ptr<Probe> probe, IdleOptions options, std::function<OwnWork()> own,
           std::function<void()> give_up, std::function<bool()> stop);

  // Returns once the device may be used. Errors: stopped.
  core::Status Await();
  // How often others' work was seen so far: a call during which it grew is no measurement.
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
  std::string why_ = "waiting for the first look at the device";
  std::chrono::steady_clock::time_point idle_since_;
  bool was_busy_ = true;
  core::WokenThread thread_;  // the last: it ends before what it uses is gone
};

// A device that is used only while it is idle: waits while others work on it, gives it up while a
// call runs, and says of a sample that was taken beside them that it is none.
class PacedDevice : public TuningDevice {
 public:
  // Both must outlive it.
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
  IdlePace& pace_;
};

}  // namespace tunehub::agent
