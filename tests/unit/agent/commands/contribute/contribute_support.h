// What the tests of `contribute` share: a tree, results, a folder for the files, and the command
// run on them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agent/commands/contribute/command_contribute.h"
#include "build_info.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {

class ContributeTest : public testing::Test {
 protected:
  // contribute TREE WORDS; the console has what this run said alone.
  int Contribute(std::vector<std::string> words) {
    console_.Clear();
    words.insert(words.begin(), {"contribute", tree_.path().string()});
    words.insert(words.end(), {"--configs", TUNEHUB_SOURCE_DIR "/configs"});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    return RunContribute(static_cast<int>(argv.size()), argv.data(), console_.console);
  }

  TempFolder tree_, results_, out_;
  RecordingConsole console_;
};

}  // namespace tunehub::agent::test
