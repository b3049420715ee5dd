// State that the sessions of one listener share. Any reactor may use it.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "server/http/answer_budget.h"
#include "server/http/listener.h"
#include "server/http/memory_file.h"

namespace tunehub::http {

// A connection, with or without TLS, for the rest of the transport.
class SessionBase {
 public:
  virtual ~SessionBase() = default;

  // Takes the answer to the dispatched request. Any thread may call it. It posts the answer to the
  // session's reactor, which drops the answer if the connection has closed. `self`: the caller's
  // reference, which moves to the reactor. So a session is always destroyed on its own reactor.
  virtual void Deliver(std::shared_ptr<SessionBase> self, Response response) = 0;
};

// A complete request for a worker.
struct Dispatched {
  Request request;
  Pool pool;
  ShareCharge charge;
  std::shared_ptr<SessionBase> session;
};

// The other end of a connection.
struct Peer {
  std::string address;
  std::string client;  // the client for limits; "" for a proxy with many clients
  bool is_proxy = false;
};

class ServerState {
 public:
  ServerState(ListenerOptions server_options, Callbacks server_callbacks)
      : options(std::move(server_options)),
        callbacks(std::move(server_callbacks)),
        places(options.limits.connections, options.limits.client_share),
        refused(kRefusedAtOnce, 100),
        held(options.limits.held, options.limits.client_share),
        bodies(options.limits.bodies_in_flight_bytes, options.limits.client_share,
               options.limits.body_bytes),
        answers(options.limits.answers_in_flight_bytes, options.limits.client_share) {}

  const ListenerOptions options;
  const Callbacks callbacks;
  Shares places;   // places for connections
  Shares refused;  // connections without a place that still get a 503
  Shares held;     // refusals with may_change that wait
  Shares bodies;   // bytes
  AnswerBudget answers;
  MemoryFiles files;
  std::function<void(Dispatched)> dispatch;  // set before the first connection
  std::atomic<bool> stopping{false};
  std::atomic<std::size_t> requests{0}, timed_out{0};
  std::atomic<std::size_t> handshakes{0}, handshakes_resumed{0}, handshakes_failed{0};
  void CountHandshake(bool resumed) {
    (resumed ? handshakes_resumed : handshakes).fetch_add(1, std::memory_order_relaxed);
  }

  // Counts a refused request or connection.
  void Refuse(Room room) {
    refused_for_[static_cast<std::size_t>(room)].fetch_add(1, std::memory_order_relaxed);
  }
  std::array<std::size_t, kRooms> Refused() const {
    std::array<std::size_t, kRooms> counts{};
    for (std::size_t i = 0; i < kRooms; ++i)
      counts[i] = refused_for_[i].load(std::memory_order_relaxed);
    return counts;
  }

  Peer PeerOf(const std::string& address) const {
    if (options.proxies.Trusts(address)) return {address, {}, true};
    return {address, NetworkOf(address), false};
  }

  // Stop() waits until this is 0.
  std::size_t connections() const { return connections_.load(std::memory_order_relaxed); }
  void Opened() { connections_.fetch_add(1, std::memory_order_relaxed); }
  void Closed() {
    const std::lock_guard lock(mutex_);
    if (connections_.fetch_sub(1, std::memory_order_relaxed) == 1) none_left_.notify_all();
  }
  // Returns false if some connections are still open at the deadline.
  bool WaitUntilNoneIsOpen(std::chrono::milliseconds deadline) {
    std::unique_lock lock(mutex_);
    return none_left_.wait_for(lock, deadline, [this] { return connections() == 0; });
  }

 private:
  static constexpr std::size_t kRefusedAtOnce = 64;

  std::atomic<std::size_t> connections_{0};
  std::array<std::atomic<std::size_t>, kRooms> refused_for_{};
  std::mutex mutex_;
  std::condition_variable none_left_;
};

}  // namespace tunehub::http
