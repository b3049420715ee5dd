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
#include "server/http/hosts.h"
#include "server/http/message.h"
#include "server/http/pool.h"

namespace tunehub::tls {
class TlsIdentity;
}

namespace tunehub::http {

class WorkerPool;

// Every limit of the transport, with its reason. Those that are 0 here are settings of the server.
struct Limits {
  std::size_t header_bytes = 16 * 1024;  // a proxy's own limit is 8 to 32 KiB
  std::size_t body_bytes = 0;
  std::size_t bodies_in_flight_bytes = 0;   // all uploads together; above it 503
  std::size_t answers_in_flight_bytes = 0;  // bodies on their way; above it 503
  // At the limit the client with most connections loses an idle one, if the new client has fewer;
  // else the new connection gets 503 and is closed.
  std::size_t connections = 0;
  std::size_t queue = 1024;  // requests that wait for a worker of one pool; full: 503 + Retry-After
  std::size_t costly_queue = 64;  // the same for Pool::kCostly: each takes about a second
  // Writes that wait while another write's transaction commits them; they hold no worker thread.
  std::size_t aside = 256;
  // The most that one client may hold of connections, places in a queue and memory: this percentage
  // of what other clients leave.
  std::size_t client_share = 50;
  std::chrono::milliseconds handshake_deadline{10'000};  // of TLS, before the first header
  std::chrono::milliseconds header_deadline{10'000};
  std::chrono::milliseconds body_deadline{10'000};   // plus the body's size at min_body_rate
  std::size_t min_body_rate = 64 * 1024;             // bytes per second that a body must reach
  std::chrono::milliseconds idle_deadline{60'000};   // of a kept connection between requests
  std::chrono::milliseconds write_deadline{15'000};  // time between checks of min_answer_rate
  std::size_t min_answer_rate = 16 * 1024;           // bytes per second that a client must take
  std::chrono::milliseconds hold{2'000};  // the longest wait of a refusal with may_change
  // The most 503 refusals with may_change that wait together. The reactor calls admit again for
  // each every 10 ms. Further refusals are sent immediately, since their clients come again.
  std::size_t held = 256;
  std::chrono::milliseconds drain_deadline{10'000};  // Stop(): requests in flight get this long
};

struct ListenerOptions {
  std::string host;
  unsigned short port = 0;  // 0: any free one, see Listener::port()
  unsigned reactors = 0;    // 0: one per core
  // Threads that run Callbacks::handle, by Pool, at least one each; the setting `workers` gives the
  // number for writes.
  std::array<unsigned, kPools> workers = {2, 3, 3, 0, 2};
  std::shared_ptr<tls::TlsIdentity> tls;  // null: plain HTTP; else TLS alone
  TrustedProxies proxies;                 // trusted to name a request's client
  HostNames hosts;                        // by which clients may call the server
  std::chrono::seconds hsts{0};  // over TLS: how long browsers use HTTPS alone for this host
  Limits limits;
};

// An answer as the log describes it. Valid during the call.
struct Answered {
  const Asked& asked;
  int status;
  std::size_t bytes;  // of the body
  std::int64_t api_key;
};

// An answer as metrics count it.
struct AnswerFigures {
  int route, status;
  double seconds;            // since the header was whole
  std::size_t taken, given;  // bytes of the bodies
  int refusal;               // Response::refusal
};

struct Callbacks {
  // After the header, before the body is read and before 100-continue. A response refuses the
  // request (401, 404, 405, 413), whose body is then never read. Notes the request's route. Runs on
  // a reactor: must not block. After a refusal with may_change the header waits, and admit is
  // called again, until Limits::hold is over. One call gives the refusal and may_change: between
  // two calls the state may change, and then an outdated refusal would be final.
  std::function<std::optional<Response>(RequestHead&)> admit;
  // Called first, on the reactor, for requests without a body: an answer from memory, or nothing.
  // Must not block.
  std::function<std::optional<Response>(const Request&)> fast;
  // For requests that `fast` leaves: their pool, or a refusal. Empty: all go to kQuick.
  // Must not block.
  std::function<std::optional<Response>(const Request&, Pool&)> place = {};
  // Everything else, on a worker of that pool. May block. An exception is logged and answered with
  // 500.
  std::function<Response(const Request&)> handle;
  // Stop() calls it after the drain, while workers may still run. It ends what the workers wait
  // for, because Stop() waits for the workers.
  std::function<void()> drained = {};
  // Each answer before it is sent, refusals of the transport too. Runs on a reactor. If empty,
  // sessions keep nothing for it.
  std::function<void(const Answered&)> answered = {};
  // The same answers as numbers. Runs on a reactor, for each: must be cheap, and not throw.
  std::function<void(const AnswerFigures&)> timed = {};
};

struct Counters {  // since the start
  std::size_t connections_open = 0, requests = 0, rejected_busy = 0, timed_out = 0;
  std::array<std::size_t, kRooms> refused{};  // by the Room that was full; sum: rejected_busy
  // TLS handshakes: complete, complete by a resumed session, failed.
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
  // Stops accepting, answers requests in flight up to drain_deadline, closes. Not from a callback.
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
