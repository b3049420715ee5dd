// What tuners by others' scripts have in common: a script is ended when others need the device, and
// begun anew once it is idle.
#pragma once

#include <unistd.h>

#include <atomic>
#include <string>
#include <utility>

#include "agent/aiter/tuners/aiter_results.h"
#include "agent/daemon/job_tuner.h"

namespace tunehub::agent::daemon {

class ScriptJobTuner : public JobTuner {
 public:
  void GiveUp() override {}  // a run looks at the pace itself, every tenth of a second
  // The scripts are this process's children, which is how a probe knows them.
  OwnWork own() const override { return {::getpid(), runs_ ? ::getpid() : 0}; }

 protected:
  // `start` runs the script under an Observer of its kind; its answer has a report. `given_up`:
  // what is said where others needed the device.
  template <typename Observer, typename Start>
  auto RunWhileIdle(const Start& start, const tuning::TuneTask& task, IdlePace& pace,
                    tuning::Observer& observer, const std::string& given_up)
      -> decltype(start(std::declval<const Observer&>())) {
    unsigned before = 0;
    const auto disturbed = [&] { return pace.Disturbances() != before; };
    Observer watch;
    watch.note = [&](const std::string& text) { observer.Note(text); };
    watch.stop = [&] { return disturbed() || task.search.stop(); };
    for (;;) {
      do {  // counted before the wait: who comes just after it is seen as well
        before = pace.Disturbances();
        if (auto status = pace.Await(); !status.ok()) return status.error();
      } while (disturbed());
      runs_ = true;
      auto run = start(std::as_const(watch));
      runs_ = false;
      const bool ended =
          run.ok() && run->report.outcome == tuners::AiterOutcome::kStopped && disturbed();
      if (!ended || task.search.stop()) return run;
      observer.Note(given_up);
    }
  }

 private:
  std::atomic<bool> runs_{false};
};

}  // namespace tunehub::agent::daemon
