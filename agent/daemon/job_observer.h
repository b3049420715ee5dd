// What the daemon tells of a job: to the log, to the status file, to the hub with the heartbeat.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "agent/daemon/lease.h"
#include "agent/daemon/status_file.h"
#include "agent/tuning/progress.h"

namespace tunehub::agent::daemon {

class JobObserver : public tuning::Observer {
 public:
  // `look` is called between two steps, on the tuner's thread: what else must be told.
  JobObserver(const Job& job, Lease& lease, StatusFile& status, std::ostream& out, bool json,
              std::function<void()> look);

  void Begin(std::size_t index, std::size_t total, const std::string& shape,
             std::size_t candidates) override;
  void Screened(const tuning::Measurement& measurement) override;
  void Finished(const tuning::DoneShape& done) override;
  void Note(const std::string& text) override { progress_.Note(text); }

 private:
  const Job& job_;
  Lease& lease_;
  StatusFile& status_;
  std::ostream& out_;
  bool json_;
  std::function<void()> look_;
  tuning::Progress progress_;
  std::size_t done_ = 0;
};

}  // namespace tunehub::agent::daemon
