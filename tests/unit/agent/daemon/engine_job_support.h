// Shared by the tests of engines' jobs: an idle device, a spool, an observer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/daemon/script_job_tuner.h"
#include "agent/hub/spool.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {

struct NeverBusy : Probe {
  std::string Busy(const OwnWork&) override { return ""; }
};

struct Watcher : Observer {
  void Begin(std::size_t, std::size_t, const std::string&, std::size_t) override {}
  void Screened(const Measurement&) override {}
  void Finished(const DoneShape& done) override { finished.push_back(done); }
  void Note(const std::string&) override {}
  std::vector<DoneShape> finished;
};

inline IdleOptions Always() {
  IdleOptions options;
  options.always = true;
  options.interval = std::chrono::milliseconds(2);
  return options;
}

class EngineJobTest : public testing::Test {
 protected:
  Summary Tune(EngineJobTuner& tuner, std::vector<Columns> shapes) {
    TuneTask task;
    task.shapes = std::move(shapes);
    task.search.stop = [] { return false; };
    const auto summary = tuner.Tune(task, pace_, outbox_, watcher_);
    EXPECT_TRUE(summary.ok()) << summary.error().detail;
    return summary.ok() ? *summary : Summary();
  }

  const agent::test::TempFolder folder_;
  const Spool spool_ = *Spool::Open(folder_.path() / "spool");
  Outbox outbox_{spool_, nullptr, {}};
  Watcher watcher_;
  IdlePace pace_{std::make_unique<NeverBusy>(), Always(), [] { return OwnWork(); }, [] {},
                 [] { return false; }};
};

}  // namespace tunehub::agent::test
