#pragma once

#include <gtest/gtest.h>

#include "agent/transfer/commands.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {

class PullTest : public CommandTest {
 protected:
  PullTest() { options_.hub = "http://hub:8080"; }
  int Run() {
    console_.Clear();
    return Pull(options_, hub_, pauses_.pauses, console_.console,
                [this]() -> core::Result<Configuration> { return configuration_; });
  }

  PullOptions options_;
};

}  // namespace tunehub::agent::test
