// Tells a user who sees nothing for a second what the program waits for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace tunehub::agent {

// Its end is the wait's end, which removes the line from a terminal.
class WaitNotice {
 public:
  // `err` null: tells nothing. `silence`: the time before the first line. The time between two
  // lines grows.
  explicit WaitNotice(std::FILE* err, std::chrono::milliseconds silence = std::chrono::seconds(1));
  void For(const std::string& line);

 private:
  void Run(const std::stop_token& end);

  std::FILE* const err_;
  std::chrono::milliseconds silence_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::string line_;     // guarded by mutex_
  std::jthread thread_;  // the last member, because it uses the others; runs if err_ is not null
};

}  // namespace tunehub::agent
