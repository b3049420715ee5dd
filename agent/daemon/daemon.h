// The daemon claims jobs for this device, tunes them while the device is idle, pushes the results
// and reports to the hub.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/daemon/idle_pace.h"
#include "agent/daemon/instance.h"
#include "agent/daemon/job_tuner.h"
#include "agent/device/this_device.h"
#include "agent/hub/outbox.h"
#include "agent/search/tuning_bench.h"

namespace tunehub::agent {

struct DaemonOptions {
  std::vector<std::string> families;  // to claim; empty: any
  std::chrono::milliseconds poll{10'000};
  std::filesystem::path state;
  SearchOptions search;
  std::string arguments;
  RetryPolicy retry;  // for the last push of results before the daemon completes a job
  bool json = false;
  std::function<bool()> stop = [] { return false; };  // true after a signal
  std::function<HubWatch::Clock::time_point()> now = HubWatch::Clock::now;
  // Sleeps for a part of a pause.
  std::function<void(HubWatch::Clock::duration)> nap = [](HubWatch::Clock::duration time) {
    std::this_thread::sleep_for(time);
  };
};

// All parts must outlive the daemon.
struct DaemonParts {
  const Configuration& configuration;
  const DeviceInfo& info;
  const Spool& spool;
  HubClient& hub;             // the daemon's thread alone uses it
  JobQueue& queue;            // sends through `hub`
  JobQueue& heartbeat_queue;  // sends through another connection, for heartbeats
  JobTuner& tuner;
  StatusFile& status;
  std::ostream& out;
};

class Daemon {
 public:
  Daemon(DaemonParts parts, DaemonOptions options)
      : parts_(parts),
        options_(std::move(options)),
        outbox_(parts.spool, &parts.hub, OutboxOptions()),
        hub_(options_.now, [this](const std::string& text) { Log(text); }) {}

  // Runs until `stop` returns true. Errors: key_refused (the hub refused the key for a minute),
  // wrong_scope, no_device, disk_full, spool_full, file_unwritable.
  core::Status Run(IdlePace& pace);
  // True if work must end: a signal, a lost lease of the current job, or a refused key.
  bool MustStop() const;

 private:
  core::Status Step(IdlePace& pace);
  core::Status WorkOn(const Job& job, IdlePace& pace);
  core::Result<TuneTask> TaskOf(const Job& job) const;
  core::Status Settle(const Job& job, const TuneTask& task, const Summary& summary);
  core::Status Conclude(const Job& job, const TuneTask& task, const Summary& summary);
  core::Status Drain(const RetryPolicy& policy);
  core::Status Deliver();
  core::Status Insist(const std::function<core::Status()>& say);
  void Heard(const core::Status& status);
  void TellNews();
  void Log(const std::string& text, const Job* job = nullptr);
  void Say(const Job& job, const std::string& what) { Log(what, &job); }
  core::Status HandBack(const Job& job, const std::string& why);
  void Sleep(std::chrono::milliseconds pause) const;
  core::Status Rest(core::Status status) const;
  void Announce(const std::string& doing);

  DaemonParts parts_;
  DaemonOptions options_;
  Outbox outbox_;
  HubWatch hub_;
  core::Error gone_;                   // why the daemon ends; code "": it continues
  std::atomic<bool> given_up_{false};  // a copy for other threads
  Lease* lease_ = nullptr;             // the lease of the current job
  std::string doing_, too_large_, thrown_;
  std::vector<std::int64_t> handed_back_;  // jobs that this agent cannot do, the oldest first
  std::chrono::steady_clock::time_point announced_{};
};

// Two commands: run (runs the daemon) and status (prints its status).
int RunDaemon(int argc, char** argv, Console& console);
int RunStatus(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
