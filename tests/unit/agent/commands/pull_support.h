// What the tests of `pull` share: the command run on a hub of a script.
#pragma once

#include <gtest/gtest.h>

#include "agent/commands/hub/command_pull.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {

class PullTest : public testing::Test {
 protected:
  PullTest() { options_.hub = "http://hub:8080"; }
  int Run() {
    console_.out.str("");
    console_.err.str("");
    return Pull(options_, hub_, pauses_.pauses, console_.console,
                [this]() -> core::Result<Configuration> { return configuration_; });
  }

  TempFolder folder_;
  FakeHub hub_;
  RecordedPauses pauses_;
  RecordingConsole console_;
  PullOptions options_;
  Configuration configuration_ = RealConfiguration();
};

}  // namespace tunehub::agent::test
