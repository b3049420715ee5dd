// Shared by the agent's tests: a hub with scripted answers, and a console that records.
#pragma once

#include <gmock/gmock.h>

#include <deque>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/hub/hub_client.h"
#include "build_info.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::agent::test {

using TempFolder = tunehub::test::TempDir;
using testing::HasSubstr;
using tunehub::test::kBlockscaleHeader;
using tunehub::test::ReadText;

struct Ran {
  int code = 0;
  std::string out, err;
};

struct RecordingConsole {
  std::ostringstream out, err;
  Console console{out, err};

  Ran Ended(int code) const { return {code, out.str(), err.str()}; }
  void Clear() {
    out.str("");
    err.str("");
  }
};

inline Configuration RealConfiguration() {
  return Must(LoadConfiguration(TUNEHUB_SOURCE_DIR "/configs"));
}

// Runs a command as main does, with the repository's configuration.
using CommandMain = int (*)(int, char**, Console&);
inline int RunCommand(CommandMain command, std::vector<std::string> words,
                      RecordingConsole& recorded) {
  recorded.Clear();
  words.insert(words.end(), {"--configs", TUNEHUB_SOURCE_DIR "/configs"});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return command(static_cast<int>(argv.size()), argv.data(), recorded.console);
}
inline Ran RunCommand(CommandMain command, std::vector<std::string> words) {
  RecordingConsole recorded;
  const int code = RunCommand(command, std::move(words), recorded);
  return recorded.Ended(code);
}

template <typename Options>
Ran RunCommand(int (*command)(const Configuration&, const Options&, Console&),
               const Options& options) {
  RecordingConsole recorded;
  const int code = command(RealConfiguration(), options, recorded.console);
  return recorded.Ended(code);
}

// Gives its answers in order and records requests. Status 0 means no answer. A JSON error without a
// content type is sent as application/problem+json.
class FakeHub : public HubClient {
 public:
  core::Result<Answer> Send(const Request& request) override {
    requests.push_back(request);
    if (on_request) on_request(request);
    if (answers.empty()) return core::Error{"hub_unreachable", "the script has no more answers"};
    Answer answer = answers.front();
    answers.pop_front();
    if (answer.status == 0) return core::Error{"hub_unreachable", "connection refused"};
    if (answer.status >= 400 && answer.body.starts_with('{')) {
      answer.headers.emplace("content-type", "application/problem+json");
    }
    return answer;
  }

  std::deque<Answer> answers;
  std::vector<Request> requests;
  std::function<void(const Request&)> on_request;
};

inline std::string HeaderOf(const Request& request, const std::string& name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return value;
  }
  return "";
}

// Records pauses instead of waiting. The random fraction is always `share`.
struct RecordedPauses {
  std::vector<std::chrono::milliseconds> slept;
  double share = 0;
  Pauses pauses{[this](std::chrono::milliseconds pause) { slept.push_back(pause); },
                [this] { return share; }};
};

class CommandTest : public testing::Test {
 protected:
  TempFolder folder_;
  FakeHub hub_;
  RecordedPauses pauses_;
  RecordingConsole console_;
  Configuration configuration_ = RealConfiguration();
};

// A row of a8w8_blockscale.
inline std::string BlockscaleRow(int m, const std::string& us,
                                 const std::string& kernel = "kernel_a") {
  return "gfx942,304," + std::to_string(m) + ",1280,8192,ck,7,0," + us + "," + kernel +
         ",1.5,2.5,0.0\n";
}

}  // namespace tunehub::agent::test
