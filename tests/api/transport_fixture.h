// A listener in this process on a free port. Each test lowers its limits. TEST_P(TransportTest,
// ...) runs on a plain socket and with TLS.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "server/http/listener.h"
#include "server/tls/identity.h"
#include "tests/support/comes.h"
#include "tests/support/hub_identity.h"
#include "tests/support/raw_http.h"
#include "tests/support/result.h"

namespace tunehub::http {

// Handlers wait at the gate, so that a test decides when they end.
class Gate {
 public:
  void Wait() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void AwaitWaiting(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= count; });
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool open_ = false;
};

enum class Over { kSocket, kTls };

class TransportFixture : public testing::Test {
 protected:
  explicit TransportFixture(Over over) {
    if (over == Over::kTls) Secure(test::SharedIdentity());
    options_.host = "127.0.0.1";
    options_.reactors = 2;
    options_.workers.fill(3);            // one client may use two of these
    options_.limits.client_share = 100;  // because all clients have the same address
    options_.limits.header_bytes = 4096;
    options_.limits.body_bytes = 64 * 1024;
    options_.limits.bodies_in_flight_bytes = std::size_t{256} << 20;
    options_.limits.answers_in_flight_bytes = std::size_t{128} << 20;
    options_.limits.connections = 8192;
    callbacks_.fast = [](const Request& request) -> std::optional<Response> {
      if (!request.path.starts_with("/fast")) return std::nullopt;
      return TextResponse(200, "text/plain", "fast " + request.path);
    };
    callbacks_.handle = [this](const Request& request) {
      if (request.path == "/wait") gate_.Wait();
      return TextResponse(200, "text/plain",
                          request.method + " " + request.path + " " + request.body);
    };
  }
  ~TransportFixture() override { gate_.Open(); }

  // Makes the listener use TLS.
  void Secure(const test::HubIdentity& identity) {
    options_.tls = Must(tls::TlsIdentity::Load({identity.certificate(), identity.key()}));
    client_ = identity.Client();
  }
  // For a RawHttp; null: no TLS.
  ssl_ctx_st* tls() const { return client_.get(); }

  void Start() {
    listener_ = std::make_unique<Listener>(options_, callbacks_);
    const auto started = listener_->Start();
    ASSERT_TRUE(started) << started.error().detail;
  }
  unsigned short port() const { return listener_->port(); }

  // Sends these bytes on a new connection. Returns the first answer as "status body".
  std::string Answer(const std::string& bytes) const {
    test::RawHttp client(port(), tls());
    const auto answer = client.Exchange(bytes);
    return answer ? std::to_string(answer->status) + " " + answer->body : "no answer";
  }
  int StatusOf(const std::string& bytes) const {
    test::RawHttp client(port(), tls());
    const auto answer = client.Exchange(bytes);
    return answer ? answer->status : 0;
  }
  // Waits until the value is reached, because other threads change the counters.
  template <typename Value>
  bool Reaches(Value Counters::*member, Value expected) const {
    return test::Comes([&] { return listener_->counters().*member == expected; });
  }

  static std::string Get(const std::string& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: hub\r\n\r\n";
  }
  static std::string Post(const std::string& path, const std::string& body,
                          const std::string& headers = {}) {
    return "POST " + path +
           " HTTP/1.1\r\nHost: hub\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           headers + "\r\n" + body;
  }

  static constexpr std::chrono::seconds kPatience{60};  // the machine may be loaded

  std::shared_ptr<ssl_ctx_st> client_;
  ListenerOptions options_;
  Callbacks callbacks_;
  Gate gate_;
  std::unique_ptr<Listener> listener_;
};

class TransportTest : public TransportFixture, public testing::WithParamInterface<Over> {
 protected:
  TransportTest() : TransportFixture(GetParam()) {}
};

// For rules that only plain sockets have.
class TransportPlainTest : public TransportFixture {
 protected:
  TransportPlainTest() : TransportFixture(Over::kSocket) {}
};

}  // namespace tunehub::http
