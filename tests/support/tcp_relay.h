// A TCP port in front of a PostgreSQL's socket, to test TCP and a host that does not answer.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "core/base/file.h"

namespace tunehub::test {

class TcpRelay {
 public:
  // `connection_string`: of a cluster's socket ("host=FOLDER port=... ...").
  explicit TcpRelay(const std::string& connection_string);
  ~TcpRelay();
  TcpRelay(const TcpRelay&) = delete;
  TcpRelay& operator=(const TcpRelay&) = delete;

  // Connects to the same database through this port.
  const std::string& connection_string() const { return connection_string_; }
  // From now on new connections get no answer, as from a host that is down.
  void StopAccepting() { accepting_ = false; }

 private:
  struct Link {
    core::Fd client, server;
  };

  void Run();
  void Accept();

  int port_ = 0;
  std::string socket_path_;
  core::Fd listener_;
  std::string connection_string_;
  std::vector<Link> links_;
  std::atomic<bool> stopping_{false}, accepting_{true};
  std::thread thread_;
};

}  // namespace tunehub::test
