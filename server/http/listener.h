// The HTTP transport: Boost.Beast sessions, registered as cpprestsdk's server under http_listener.
// Only this folder uses these libraries; all other code uses Request and Response. The listener of
// cpprestsdk itself has no limits, and a bad chunk size crashes it.
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
#include "server/http/hosts.h"
#include "server/http/message.h"
#include "server/http/pool.h"

namespace tunehub::tls {
class TlsIdentity;
}

namespace tunehub::http {

class WorkerPool;

// Every limit of the transport, with its reason. The server's settings give the limits that are 0
// here.
struct Limits {
  std::size_t header_bytes = 16 * 1024;  // a proxy's own limit is 8 to 32 KiB
  std::size_t body_bytes = 0;
  // all uploads together; above this limit the answer is 503
  std::size_t bodies_in_flight_bytes = 0;
  // all bodies of answers in flight; above this limit the answer is 503
  std::size_t answers_in_flight_bytes = 0;
  // At the limit, the client with the most connections loses an idle connection, if the new client
  // has fewer connections. Otherwise the server answers the new connection with 503 and closes it.
  std::size_t connections = 0;
  // requests that wait for a worker of one pool; if it is full, 503 with Retry-After
  std::size_t queue = 1024;
  std::size_t costly_queue = 64;  // for Pool::kCostly, whose requests each take about a second
  // Writes that wait until another write's transaction commits them. They occupy no worker thread.
  std::size_t aside = 256;
  // The limit of one client, in percent of the amount that other clients leave free. It applies to
  // connections, places in a queue, and memory.
  std::size_t client_share = 50;
  // for the TLS handshake, before the first header
  std::chrono::milliseconds handshake_deadline{10'000};
  std::chrono::milliseconds header_deadline{10'000};
  // plus the time for the body's size at min_body_rate
  std::chrono::milliseconds body_deadline{10'000};
  std::size_t min_body_rate = 64 * 1024;  // lowest speed of an upload, in bytes per second
  std::chrono::milliseconds idle_deadline{60'000};   // for a connection between two requests
  std::chrono::milliseconds write_deadline{15'000};  // time between checks of min_answer_rate
  std::size_t min_answer_rate = 16 * 1024;  // lowest speed of a download, in bytes per second
  std::chrono::milliseconds hold{2'000};    // the longest wait after a refusal with may_change
  // The most 503 refusals with may_change that wait at one time. The reactor calls admit again for
  // each of them, every 10 ms. It sends more refusals at once, since their clients try again.
  std::size_t held = 256;
  std::chrono::milliseconds drain_deadline{10'000};  // in Stop(): the time for requests in flight
};

struct ListenerOptions {
  std::string host;
  unsigned short port = 0;  // 0: any free port, see Listener::port()
  unsigned reactors = 0;    // 0: one per core
  // The number of threads that run Callbacks::handle, for each Pool, at least one. The setting
  // `workers` gives the number for writes.
  std::array<unsigned, kPools> workers = {2, 3, 3, 0, 2};
  std::shared_ptr<tls::TlsIdentity> tls;  // null: plain HTTP; else only TLS
  TrustedProxies proxies;                 // proxies that may name a request's client
  HostNames hosts;                        // names by which clients may call the server
  std::chrono::seconds hsts{0};  // over TLS: how long browsers must use only HTTPS for this host
  Limits limits;
};

// An answer, for the log. Valid during the call.
struct Answered {
  const Asked& asked;
  int status;
  std::size_t bytes;  // the body's size
  std::int64_t api_key;
};

// Numbers about an answer, for metrics.
struct AnswerFigures {
  int route, status;
  double seconds;            // since the complete header
  std::size_t taken, given;  // bytes of the request's and the answer's body
  int refusal;               // Response::refusal
};

struct Callbacks {
  // The listener calls this after the header, before 100-continue and before it reads the body. A
  // response refuses the request (401, 404, 405, 413), and the listener never reads the body.
  // Stores the request's route in the head. Runs on a reactor, so it must not block. After a
  // refusal with may_change, the request waits, and the listener calls admit again until
  // Limits::hold is over. One call must return both the refusal and may_change, because the state
  // may change between two calls. Otherwise an outdated refusal would be final.
  std::function<std::optional<Response>(RequestHead&)> admit;
  // The listener calls this first, on the reactor, for requests without a body. Returns an answer
  // from memory, or nothing. Must not block.
  std::function<std::optional<Response>(const Request&)> fast;
  // For each request that `fast` does not answer: sets the pool, or returns a refusal. Empty:
  // kQuick for all requests. Must not block.
  std::function<std::optional<Response>(const Request&, Pool&)> place = {};
  // Answers all other requests, on a worker of their pool. May block. The listener logs an
  // exception and answers 500.
  std::function<Response(const Request&)> handle;
  // Stop() calls this after the drain, while workers may still run. Then Stop() waits for the
  // workers. So this must end the operations for which the workers wait.
  std::function<void()> drained = {};
  // The listener calls this for each answer before sending it, also for the transport's refusals.
  // Runs on a reactor. If it is empty, sessions store no data for it.
  std::function<void(const Answered&)> answered = {};
  // Receives numbers about each answer. Runs on a reactor, so it must be fast and must not throw.
  std::function<void(const AnswerFigures&)> timed = {};
};

struct Counters {  // since the start
  std::size_t connections_open = 0, requests = 0, rejected_busy = 0, timed_out = 0;
  std::array<std::size_t, kRooms> refused{};  // by the Room that was full; the sum is rejected_busy
  // TLS handshakes: completed, completed by a resumed session, failed.
  std::size_t handshakes = 0, handshakes_resumed = 0, handshakes_failed = 0;
};

class Listener {
 public:
  Listener(ListenerOptions options, Callbacks callbacks);
  ~Listener();  // Stop()
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Binds and serves. Returns an Error for an address in use, although the reactors share the port
  // by SO_REUSEPORT. A process can have only one Listener, because cpprestsdk has one server slot.
  core::Status Start();
  // Stops accepting, answers requests in flight up to drain_deadline, then closes. Do not call it
  // from a callback.
  void Stop();

  unsigned short port() const;
  Counters counters() const;
  // Call it after Start().
  const WorkerPool& pool(Pool pool) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tunehub::http
