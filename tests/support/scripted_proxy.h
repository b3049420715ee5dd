// A proxy in front of a real server. It answers some requests itself, like a proxy with smaller
// limits or a proxy whose server is being replaced.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/file.h"

namespace tunehub::test {

class ScriptedProxy {
 public:
  explicit ScriptedProxy(unsigned short server);
  ~ScriptedProxy();
  ScriptedProxy(const ScriptedProxy&) = delete;
  ScriptedProxy& operator=(const ScriptedProxy&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Answers the next `times` requests whose first line contains `part`, with `status` ("404 Not
  // Found"), `type` and `body`.
  void Say(const std::string& part, int times, const std::string& status, const std::string& type,
           const std::string& body);
  // Answers with nginx's error page for `status`.
  void SayPage(const std::string& part, int times, const std::string& status);
  int Said(const std::string& part) const;  // how many of these requests it answered itself
  int passed() const { return passed_; }    // requests that reached the server

 private:
  struct Line {
    std::string answer;
    int left = 0, said = 0;
  };
  void Run();
  std::string AnswerTo(const std::string& request);

  const unsigned short server_;
  core::Fd listener_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, Line> script_;  // guarded by mutex_
  std::atomic<int> passed_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace tunehub::test
