// What the daemon tells of a job: to the log, to the status file, to the hub with the heartbeat.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "agent/daemon/job_queue.h"
#include "agent/daemon/status.h"
#include "agent/search/tune_report.h"

namespace tunehub::agent {

class JobObserver : public Observer {
 public:
  // `look` is called between two steps, on the tuner's thread: what else must be told.
  JobObserver(const Job& job, Lease& lease, StatusFile& status, std::ostream& out, bool json,
              std::function<void()> look);

  void Begin(std::size_t index, std::size_t total, const std::string& shape,
             std::size_t candidates) override;
  void Screened(const Measurement& measurement) override;
  void Finished(const DoneShape& done) override;
  void Note(const std::string& text) override { progress_.Note(text); }

 private:
  const Job& job_;
  Lease& lease_;
  StatusFile& status_;
  std::ostream& out_;
  bool json_;
  std::function<void()> look_;
  Progress progress_;
  std::size_t done_ = 0;
};

}  // namespace tunehub::agent
