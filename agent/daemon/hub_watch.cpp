#include "agent/daemon/hub_watch.h"

#include <fmt/core.h>

#include "agent/daemon/job_queue.h"
#include "agent/hub/between.h"
#include "agent/hub/problem.h"

namespace tunehub::agent::daemon {

void HubWatch::Say(const std::string& trouble, Clock::time_point now) {
  if (wrong_.empty() || now - said_ >= kTroubleEvery) {
    say_(trouble);
    said_ = now;
  }
  wrong_ = trouble;
}

core::Status HubWatch::Note(const core::Status& status) {
  if (status.ok() || IsLost(status.error())) {  // that a job is another's is the hub's to say
    if (!wrong_.empty()) say_("the hub serves again");
    wrong_.clear();
    refused_ = false;
    return core::Ok();
  }
  const auto now = now_();
  const core::Error& error = status.error();
  if (error.code == kTooLargeBetween) return core::Ok();  // smaller ones reach the hub
  if (error.code != kKeyRefused) {
    Say(error.detail, now);
    return core::Ok();
  }
  const std::string patience = fmt::format("{} s", kKeyPatience.count());
  if (!refused_) {
    refused_ = true;
    refused_since_ = now;
    wrong_.clear();  // whatever it was before: this ends the daemon
  }
  if (now - refused_since_ < kKeyPatience) {
    Say(fmt::format("the key is refused: {}; this ends after {}", error.detail, patience), now);
    return core::Ok();
  }
  wrong_ = fmt::format("the key was refused for {}: {}", patience, error.detail);
  return core::Error{kKeyRefused, wrong_};
}

}  // namespace tunehub::agent::daemon
