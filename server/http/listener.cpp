// The only file that includes Beast, Asio and cpprestsdk's server together.
#include "server/http/listener.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "server/http/callback.h"
#include "server/http/cpprest_server.h"
#include "server/http/reactor.h"
#include "server/http/refusals.h"
#include "server/http/worker_pool.h"

namespace tunehub::http {
namespace {

using web::http::experimental::details::http_server_api;

// cpprestsdk's threads run only its continuations here. There are two, because one waits inside
// close() while the server drains.
constexpr std::size_t kCpprestThreads = 2;

// If processors are scarce, short answers have priority over answers that compute much.
constexpr std::array<int, kPools> kNice = {0, 0, 5, 0, 10};

void LimitCpprestThreads() {
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      crossplat::threadpool::initialize_with_threads(kCpprestThreads);
    } catch (const std::exception&) {
      // Another part of the program used the pool first and started it with the default of 40
      // threads.
      spdlog::debug("http: cpprestsdk's thread pool was already running");
    }
  });
}

core::Error CannotListen(const ListenerOptions& options, const boost::system::error_code& error) {
  const bool in_use = error == net::error::address_in_use;
  return {
      in_use ? "address_in_use" : "cannot_listen",
      fmt::format("cannot listen on {} port {}: {}", options.host, options.port, error.message())};
}

// Throws boost::system::system_error.
Tcp::endpoint Resolve(const ListenerOptions& options) {
  net::io_context context;
  Tcp::resolver resolver(context);
  return *resolver.resolve(options.host, std::to_string(options.port), Tcp::resolver::passive);
}

// With SO_REUSEPORT, two servers would share the port without an error. A socket without
// SO_REUSEPORT fails if the port is in use.
void ProbeExclusively(const Tcp::endpoint& endpoint) {
  net::io_context context;
  Tcp::acceptor(context, endpoint, /*reuse_addr=*/true).listen();
}

std::string UriOf(const Tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  return fmt::format("http://{}:{}/", endpoint.address().is_v6() ? "[" + host + "]" : host,
                     endpoint.port());
}

}  // namespace

struct Listener::Impl {
  Impl(ListenerOptions options, Callbacks callbacks)
      : state(std::move(options), std::move(callbacks)) {}

  void Bind();
  void Open();
  void Begin(CpprestListener& cpprest);
  void End();
  void OnRequest(const web::http::http_request& shell);
  void Answer(const web::http::http_request& shell, Response response);

  ServerState state;
  std::vector<std::unique_ptr<Reactor>> reactors;
  std::array<std::optional<WorkerPool>, kPools> workers;  // by Pool
  std::optional<web::http::experimental::listener::http_listener> listener;
  unsigned short port = 0;
};

void Listener::Impl::Bind() {
  Tcp::endpoint endpoint = Resolve(state.options);
  if (endpoint.port() != 0) ProbeExclusively(endpoint);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned count = state.options.reactors == 0 ? cores : state.options.reactors;
  for (unsigned i = 0; i < count; ++i) {
    auto& reactor = reactors.emplace_back(std::make_unique<Reactor>(state));
    reactor->Listen(endpoint);
    endpoint = reactor->endpoint();  // with port 0, the first reactor has chosen the port
  }
  port = endpoint.port();
}

// Then cpprestsdk calls Begin, OnRequest for each request, and End.
void Listener::Impl::Open() {
  http_server_api::register_server_api(std::make_unique<CpprestServer>(
      [this](CpprestListener& cpprest) { Begin(cpprest); }, [this] { End(); }));
  listener.emplace(web::uri(UriOf(reactors.front()->endpoint())));
  listener->support([this](const web::http::http_request& shell) { OnRequest(shell); });
  listener->open().get();
}

void Listener::Impl::Begin(CpprestListener& cpprest) {
  for (std::size_t pool = 0; pool < kPools; ++pool) {
    workers[pool].emplace(WorkerPool::Size{
        .threads = std::max(1U, state.options.workers[pool]),
        .queue = pool == static_cast<std::size_t>(Pool::kCostly) ? state.options.limits.costly_queue
                                                                 : state.options.limits.queue,
        .share = state.options.limits.client_share,
        .nice = kNice[pool],
        .aside = pool == static_cast<std::size_t>(Pool::kWrite) ? state.options.limits.aside : 0});
  }
  state.dispatch = [&cpprest](Dispatched dispatched) {
    cpprest.handle_request(web::http::http_request::_create_request(
        std::make_unique<Exchange>(std::move(dispatched))));
  };
  for (const auto& reactor : reactors) reactor->Start();
}

void Listener::Impl::End() {
  state.stopping = true;
  for (const auto& reactor : reactors) reactor->StopAccepting();
  if (!state.WaitUntilNoneIsOpen(state.options.limits.drain_deadline)) {
    spdlog::warn("http: closed {} connections during a request", state.connections());
    for (const auto& reactor : reactors) reactor->CloseAll();
  }
  if (state.callbacks.drained) state.callbacks.drained();
  for (auto& pool : workers) pool->EndJobs();  // for all pools, before Stop() waits for one of them
  for (auto& pool : workers) pool->Stop();
  for (const auto& reactor : reactors) reactor->Join();
}

// Runs on a reactor, so it only passes the request to a pool of workers.
void Listener::Impl::OnRequest(const web::http::http_request& shell) {
  std::function<void()> job = [this, shell] {
    const Request& request = Exchange::Of(shell).request();
    auto response = Ask(state.callbacks.handle, request);
    Answer(shell, response ? *std::move(response) : InternalError(request, "no handler"));
  };
  const Exchange& exchange = Exchange::Of(shell);
  auto& pool = workers[static_cast<std::size_t>(exchange.pool())];
  if (pool->TryPost(exchange.request().client, job)) return;
  const Room full = RoomToWait(exchange.pool());
  state.Refuse(full);
  Answer(shell, Busy("Too many requests are waiting", kRoomNames[static_cast<std::size_t>(full)]));
}

void Listener::Impl::Answer(const web::http::http_request& shell, Response response) {
  const auto status = static_cast<web::http::status_code>(response.status);
  Exchange::Of(shell).set_response(std::move(response));
  try {
    shell.reply(web::http::http_response(status));
  } catch (const std::exception& error) {
    // The exchange's destructor answers the client.
    spdlog::error("http: cpprestsdk refused a reply: {}", error.what());
  }
}

Listener::Listener(ListenerOptions options, Callbacks callbacks)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(callbacks))) {}

Listener::~Listener() {
  Stop();
}

core::Status Listener::Start() {
  LimitCpprestThreads();
  if (http_server_api::has_listener()) {
    return core::Error{"listener_exists", "this process already has a listener"};
  }
  try {
    impl_->Bind();
  } catch (const boost::system::system_error& error) {
    impl_->reactors.clear();
    return CannotListen(impl_->state.options, error.code());
  }
  impl_->Open();
  return core::Ok();
}

void Listener::Stop() {
  if (!impl_->listener) return;
  impl_->listener->close().get();
  impl_->listener.reset();
}

unsigned short Listener::port() const {
  return impl_->port;
}

Counters Listener::counters() const {
  const ServerState& state = impl_->state;
  const auto refused = state.Refused();
  return {.connections_open = state.connections(),
          .requests = state.requests.load(std::memory_order_relaxed),
          .rejected_busy = std::accumulate(refused.begin(), refused.end(), std::size_t{0}),
          .timed_out = state.timed_out.load(std::memory_order_relaxed),
          .refused = refused,
          .handshakes = state.handshakes.load(std::memory_order_relaxed),
          .handshakes_resumed = state.handshakes_resumed.load(std::memory_order_relaxed),
          .handshakes_failed = state.handshakes_failed.load(std::memory_order_relaxed)};
}

const WorkerPool& Listener::pool(Pool pool) const {
  return *impl_->workers[static_cast<std::size_t>(pool)];
}

}  // namespace tunehub::http
