// Lets the tuner run while the device is idle and the hour is right. A thread of its own looks
// every quarter of a second; what it sees while a call runs ends that call at once.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "agent/daemon/probe.h"
#include "agent/device/worker_device.h"
#include "core/base/result.h"

namespace tunehub::agent {

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

class IdlePace : public Pace {
 public:
  // `give_up` is called, on the watching thread, when others' work appears. `stop`: whether the
  // process was asked to end.
  IdlePace(std::unique_ptr<Probe> probe, IdleOptions options, std::function<OwnWork()> own,
           std::function<void()> give_up, std::function<bool()> stop);
  ~IdlePace() override;
  IdlePace(const IdlePace&) = delete;
  IdlePace& operator=(const IdlePace&) = delete;

  core::Status Await() override;
  unsigned Disturbances() const override { return disturbances_; }
  // Why the tuner waits; "" while it may run.
  std::string Why() const;

 private:
  void Watch();
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
  bool was_busy_ = true, ended_ = false;
  std::thread thread_;
};

}  // namespace tunehub::agent
