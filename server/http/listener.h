// The HTTP transport: Boost.Beast sessions registered as cpprestsdk's server under http_listener.
// The only folder that knows either library; everything above sees Request and Response. The stock
// listener of cpprestsdk dies of one bad chunk size and has no limits.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "server/http/address.h"
#include "server/http/message.h"
#include "server/http/pool.h"

namespace tunehub::tls {
class TlsIdentity;
}

namespace tunehub::http {

class WorkerPool;

// Every bound of the transport, with its reason. Those that are 0 here are settings of the server.
struct Limits {
  std::size_t header_bytes = 16 * 1024;  // a proxy's own limit is 8 to 32 KiB
  std::size_t body_bytes = 0;
  std::size_t bodies_in_flight_bytes = 0;   // all uploads together; above it 503
  std::size_t answers_in_flight_bytes = 0;  // bodies on their way; above it 503
  // Above it an idle connection of whoever has most makes room, if the new one's client has fewer;
  // else 503, close.
  std::size_t connections = 0;
  std::size_t queue = 1024;  // requests that wait for a worker of one pool; full: 503 + Retry-After
  // Writes that wait for a transaction in which others commit for them; they leave their worker.
  std::size_t aside = 256;
  // Percent of the connections, of the places in a queue and of the memory that others leave: the
  // most that one client may have.
  std::size_t client_share = 50;
  std::chrono::milliseconds handshake_deadline{10'000};  // of TLS, before the first header
  std::chrono::milliseconds header_deadline{10'000};
  std::chrono::milliseconds body_deadline{10'000};   // plus the body's size at min_body_rate
  std::size_t min_body_rate = 64 * 1024;             // bytes per second a body must keep up
  std::chrono::milliseconds idle_deadline{60'000};   // keep-alive between requests
  std::chrono::milliseconds write_deadline{15'000};  // for what min_answer_rate makes of it
  std::size_t min_answer_rate = 16 * 1024;           // bytes per second that a client must take
  std::chrono::milliseconds hold{2'000};             // a refusal has may_change
  // Refusals with 503 that are held at once; above it they are said at once, since who gets one
  // comes again. Each is looked at every 10 ms.
  std::size_t held = 256;
  std::chrono::milliseconds drain_deadline{10'000};  // Stop(): requests in flight get this long
};

struct ListenerOptions {
  std::string host;
  unsigned short port = 0;  // 0: any free one, see Listener::port()
  unsigned reactors = 0;    // 0: one per core
  // Threads that run Callbacks::handle, by Pool; at least one each. Those for writes are a setting.
  std::array<unsigned, kPools> workers = {2, 3, 3, 0};
  std::shared_ptr<tls::TlsIdentity> tls;  // null: plain HTTP; else nothing but TLS
  TrustedProxies proxies;                 // whose word on where a request comes from is taken
  std::chrono::seconds hsts{0};           // over TLS: how long browsers ask by HTTPS alone
  Limits limits;
};

// An answer as the log has it. Valid during the call.
struct Answered {
  const Asked& asked;
  int status;
  std::size_t bytes;  // of the body
  std::int64_t api_key;
};

// An answer as figures have it.
struct AnswerFigures {
  int route, status;
  double seconds;            // since the header was whole
  std::size_t taken, given;  // bytes of the bodies
  int refusal;               // Response::refusal
};

struct Callbacks {
  // After the header, before the body is read and before 100-continue: an answer here refuses the
  // request (401, 404, 405, 413) and its body is never read. Notes the request's route. Runs on a
  // reactor: must not block. After a refusal with may_change the header waits, its body unread, and
  // is asked for again, until Limits::hold is over. One look decides both: asked for apart, what
  // came between the two made a refusal of the past the last word.
  std::function<std::optional<Response>(RequestHead&)> admit;
  // Tried first for requests without a body, on the reactor: an answer from memory, or nothing.
  // Must not block.
  std::function<std::optional<Response>(const Request&)> fast;
  // Asked for what fast leaves: to which pool it goes, or why it is refused. Without it, to kQuick.
  // Must not block.
  std::function<std::optional<Response>(const Request&, Pool&)> place = {};
  // Everything else, on a worker of that pool. May block. An exception is logged and answered with
  // 500.
  std::function<Response(const Request&)> handle;
  // Stop(): the drain is over, and workers may still run. Makes what they wait for end, or they are
  // waited for.
  std::function<void()> drained = {};
  // Each answer that is about to be sent, refusals of the transport among them. Runs on a reactor.
  // Where there is none, nothing is kept for it.
  std::function<void(const Answered&)> answered = {};
  // The same answers as figures. Runs on a reactor, for each: must be cheap, and not throw.
  std::function<void(const AnswerFigures&)> timed = {};
};

struct Counters {  // since the start
  std::size_t connections_open = 0, requests = 0, rejected_busy = 0, timed_out = 0;
  std::array<std::size_t, kRooms> refused{};  // for want of room; together rejected_busy
  // Of TLS: whole ones, those that resumed a session, those that led to nothing.
  std::size_t handshakes = 0, handshakes_resumed = 0, handshakes_failed = 0;
};

class Listener {
 public:
  Listener(ListenerOptions options, Callbacks callbacks);
  ~Listener();  // Stop()
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Binds (exclusively: an address in use is an Error, although reactors share the port by
  // SO_REUSEPORT) and serves. One Listener per process: cpprestsdk has one server slot.
  core::Status Start();
  // Stops accepting, answers what is in flight up to drain_deadline, closes. Not from a callback.
  void Stop();

  unsigned short port() const;
  Counters counters() const;
  // After Start().
  const WorkerPool& pool(Pool pool) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tunehub::http
