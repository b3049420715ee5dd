// A TCP port before a PostgreSQL's socket that lets everything through but notifications: a
// connection that listens is there and hears nothing, as behind a firewall that forgot it.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "core/base/file.h"

namespace tunehub::test {

class DeafRelay {
 public:
  // `connection_string`: of a cluster's socket ("host=FOLDER port=... ...").
  explicit DeafRelay(const std::string& connection_string);
  ~DeafRelay();
  DeafRelay(const DeafRelay&) = delete;
  DeafRelay& operator=(const DeafRelay&) = delete;

  // The same database by way of this port.
  const std::string& connection_string() const { return connection_string_; }
  int port() const { return port_; }
  // Whoever connects from now on waits, as for a host that is silent.
  void StopAccepting() { accepting_ = false; }
  // Bytes to listening connections that did not get through.
  std::size_t swallowed() const { return swallowed_; }

 private:
  struct Link {
    core::Fd client, server;
    bool listens = false;   // it has said LISTEN
    bool answered = false;  // and heard that it does
  };

  void Run();
  void Accept();
  bool ForwardToServer(Link& link);
  bool ForwardToClient(Link& link);

  int port_ = 0;
  std::string socket_path_;
  core::Fd listener_;
  std::string connection_string_;
  std::vector<Link> links_;
  std::atomic<std::size_t> swallowed_{0};
  std::atomic<bool> stopping_{false}, accepting_{true};
  std::thread thread_;
};

}  // namespace tunehub::test
