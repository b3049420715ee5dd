// A scripted hub on real sockets, with TLS if it has an identity. It sends the given bytes.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "tests/support/certificates.h"

struct ssl_ctx_st;

namespace tunehub::test {

struct ScriptedAnswer {
  std::string text;
  enum class Then {
    kStay,    // waits for the next request on the same connection
    kClose,   // closes the connection
    kSilent,  // keeps the connection open and sends nothing
  } then = Then::kStay;
};

// Bytes that are not an HTTP request count as one complete request.
bool IsWholeRequest(const std::string& request);
// A listening socket on loopback; sets its port.
core::Fd ListenOnLoopback(int& port);

class SocketHub {
 public:
  // Sends its answers in order, one per request, over any number of connections.
  explicit SocketHub(std::deque<ScriptedAnswer> answers, std::optional<Identity> identity = {});
  ~SocketHub();
  SocketHub(const SocketHub&) = delete;
  SocketHub& operator=(const SocketHub&) = delete;

  int port() const { return port_; }
  std::string origin() const { return "127.0.0.1:" + std::to_string(port_); }
  // Ends the hub and returns its requests.
  std::vector<std::string> Requests();
  int connections() const { return connections_; }

  static ScriptedAnswer Closing(const std::string& head, const std::string& body);
  static ScriptedAnswer Keeping(const std::string& head, const std::string& body);

 private:
  class Peer;
  void Serve();
  void Converse(Peer& peer);

  std::deque<ScriptedAnswer> answers_;
  std::shared_ptr<ssl_ctx_st> tls_;
  std::vector<std::string> requests_;
  std::vector<core::Fd> silent_;
  core::Fd listener_;
  int port_ = 0, connections_ = 0;
  std::thread thread_;
};

}  // namespace tunehub::test
