#include "agent/daemon/job_observer.h"

#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "agent/search/tune_report.h"

namespace tunehub::agent {

JobObserver::JobObserver(const Job& job, Lease& lease, StatusFile& status, std::ostream& out,
                         bool json, std::function<void()> look)
    : job_(job),
      lease_(lease),
      status_(status),
      out_(out),
      json_(json),
      look_(std::move(look)),
      progress_(json ? nullptr : &out, {.terminal = ::isatty(STDERR_FILENO) == 1}) {
  lease_.SetProgress(0, job.shapes.size());
}

void JobObserver::Begin(std::size_t index, std::size_t total, const std::string& shape,
                        std::size_t candidates) {
  status_.Set({{"doing", "tuning"},
               {"job", job_.id},
               {"family", job_.family},
               {"shape", shape},
               {"done", done_},
               {"total", total}});
  look_();
  progress_.Begin(index, total, shape, candidates);
}

void JobObserver::Screened(const Measurement& measurement) {
  look_();
  progress_.Screened(measurement);
}

void JobObserver::Finished(const DoneShape& done) {
  // A job to measure has each shape several times; how many, only the times say.
  done_ = std::min(done_ + 1, job_.shapes.size());
  lease_.SetProgress(done_, job_.shapes.size());
  if (json_) {
    auto json = ToJson(done);
    json["job"] = job_.id;
    out_ << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }
  look_();
  progress_.Finished(done);
}

}  // namespace tunehub::agent
