#pragma once

#include <string>
#include <vector>

#include "agent/tables/commands.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {

class ContributeTest : public testing::Test {
 protected:
  // Runs `contribute TREE WORDS`. The console then contains only this run's output.
  int Contribute(std::vector<std::string> words) {
    words.insert(words.begin(), {"contribute", tree_.path().string()});
    return RunCommand(RunContribute, std::move(words), console_);
  }

  TempFolder tree_, results_, out_;
  RecordingConsole console_;
};

}  // namespace tunehub::agent::test
