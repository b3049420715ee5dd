#include "server/app.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "server/answers/answer.h"
#include "server/answers/encoding.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/db/failures.h"
#include "server/http/callback.h"
#include "server/ingest/routes.h"
#include "server/insight/routes.h"
#include "server/keys/admission.h"
#include "server/keys/routes.h"
#include "server/log/log.h"
#include "server/ops/routes.h"
#include "server/queue/routes.h"

namespace tunehub::server {
namespace {

// The longest wait for a commit of another server. A notification takes milliseconds. The poll that
// replaces a lost notification takes a second. The wait is shorter than http::Limits::hold, because
// only a handler can answer revision_gone, and it must still get the request.
constexpr std::chrono::milliseconds kPatience{1'950};
// A server that lacks this many commits still gets them within kPatience. A revision with a higher
// number belongs to another history, or to none.
constexpr std::int64_t kWithinReach = 10'000;
constexpr const char* kAgainAfterSeconds = "1";
// An answer that reads fewer rows is ready within some 50 ms.
constexpr std::size_t kCostlyRows = 20'000;

// Returns the set's revision, or an earlier revision if one of the set's families is behind.
std::int64_t OldestIn(const SnapshotSet& set) {
  std::int64_t oldest = set.revision.number;
  for (const auto& [id, snapshot] : set.families) {
    if (snapshot->is_behind()) oldest = std::min(oldest, snapshot->revision.number);
  }
  return oldest;
}

http::Response NotYet(std::int64_t wanted, std::int64_t here) {
  http::Response response = http::Problem(
      503, "not_yet",
      fmt::format("This server has revision {}, but not yet {}. Try again, or try another server.",
                  here, wanted));
  response.headers.emplace_back("Retry-After", kAgainAfterSeconds);
  return response;
}

// Errors: revision_gone (the revision is lost). While the database does not answer, nobody can
// check a token. This function then accepts any pin with a number up to the current one.
core::Status CheckPin(const Services& services, const SnapshotSet& set, const core::Pin& pin) {
  if (!pin.has_token() || pin == set.revision) return core::Ok();
  try {
    if (services.snapshots.silent()) throw Unavailable("the database does not answer");
    const auto found = services.revisions.Find(pin, set.era);
    return found.ok() ? core::Ok() : core::Status(found.error());
  } catch (const Unavailable&) {
    if (pin.number > set.revision.number) throw;
    return core::Ok();
  }
}

// Refuses with not_yet (503 with Retry-After) while the revision may still arrive. (A commit of
// another server arrives within milliseconds.) Reads only memory.
std::optional<http::Response> AwaitsRevision(const Services& services,
                                             const http::RequestHead& request) {
  const auto wanted = RequestQuery(request).Pin(kMinRevision);
  if (!wanted || services.snapshots.stale()) return std::nullopt;
  if (std::chrono::steady_clock::now() - request.arrived >= kPatience) return std::nullopt;
  const std::int64_t number = wanted->number;
  const std::int64_t here = services.snapshots.Current()->revision.number;
  if (number <= here || number - here > kWithinReach) return std::nullopt;
  http::Response not_yet = NotYet(number, here);
  not_yet.may_change = true;
  return not_yet;
}

// Removes the parameter from the request. Looks up a new pin in the database, unless it is the
// newest. Refusals:
// - bad_parameter
// - revision_gone: the revision with the pin's number has another token
// - not_yet: this server lacks the revision, or serves older rows of a family because its family
//   file differs
std::optional<http::Response> TakeMinRevision(const Services& services, http::Request& request) {
  RequestQuery query(request);
  const auto wanted = query.Pin(kMinRevision);
  if (!query.ok()) return ProblemFor(query.error());
  std::erase_if(request.query, [](const auto& it) { return it.first == kMinRevision; });
  if (!wanted) return std::nullopt;
  const auto set = services.snapshots.Current();
  const auto checked = CheckPin(services, *set, *wanted);
  if (!checked.ok()) return ProblemFor(checked.error());
  const std::int64_t here = OldestIn(*set);
  if (here >= wanted->number) return std::nullopt;
  return NotYet(wanted->number, here);
}

void AddKey(log::LineFields& fields, std::int64_t key) {
  if (key != 0) fields.push_back({"key", key});
}

void LogAccess(const http::Answered& answered) {
  const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - answered.asked.arrived;
  log::LineFields fields = http::LogFields(answered.asked);
  fields.push_back({"status", std::int64_t{answered.status}});
  fields.push_back({"bytes", static_cast<std::int64_t>(answered.bytes)});
  fields.push_back({"ms", took.count()});
  AddKey(fields, answered.api_key);
  log::Say(spdlog::level::info, "access", "", fields);
}

// True if the log records writes to this route for an audit. Agents repeat claims and heartbeats
// all the time, so the log leaves these out.
bool IsAudited(const Endpoint& route) {
  return route.method != "GET" && (route.scope == "submit" || route.scope == "admin");
}

// Logs a write that its handler carried out or refused.
void LogAudit(const Endpoint& route, const http::Request& request, const http::Response& response) {
  const std::string action = fmt::format("{} {}", route.method, route.pattern);
  log::LineFields fields = http::LogFields(request);
  fields.push_back({"action", action});
  fields.push_back({"status", std::int64_t{response.status}});
  AddKey(fields, response.api_key);
  log::Say(spdlog::level::info, "audit", "", fields);
}

// In /metrics, writes of measurements are batches.
bool IsBatch(std::string_view path) {
  return path.starts_with("/results/") || path.starts_with("/import");
}

// An answer to a request with an API key is only for the holder of the key. A shared cache must not
// give the answer to other clients.
void MakePrivate(http::Response& response) {
  constexpr std::string_view kName = "Cache-Control", kPublic = "public, ", kPrivate = "private";
  for (auto& [name, value] : response.headers) {
    if (name != kName) continue;
    if (value == kNoStore) return;
    const bool open = value.starts_with(kPublic);
    value = fmt::format("{}, {}", kPrivate, open ? value.substr(kPublic.size()) : value);
    return;
  }
  response.headers.emplace_back(kName, kPrivate);
}

}  // namespace

bool TakesMinRevision(const Endpoint& route) {
  return !route.always_open && route.method == "GET";
}

http::Pool PoolOf(const Endpoint& route) {
  if (route.pool) return *route.pool;
  if (route.method == "GET") return http::Pool::kQuick;
  return route.scope == "claim" ? http::Pool::kQueue : http::Pool::kWrite;
}

App::App(Hub& hub, const Settings& settings)
    : hub_(hub),
      dashboard_(Dashboard::Load(settings.web)),
      tables_{{hub.definitions, hub.snapshots, hub.revisions, settings.listener.limits.body_bytes},
              hub.tables,
              hub.dispatch_tables,
              hub.analyses.changes,
              hub.analyses.heuristics},
      data_(settings.database.empty() && !settings.data.empty()
                ? std::filesystem::absolute(settings.data)
                : std::filesystem::path()),
      reads_need_key_(settings.reads_need_key),
      sign_in_(settings.sign_in),
      log_access_(settings.log_format == log::Format::kJson),
      limits_(std::make_unique<RateLimits>(
          std::vector<double>(settings.limits.begin(), settings.limits.end()))),
      router_(std::make_unique<http::Router>(Guarded())) {
  std::vector<RequestTimes::Route> routes;
  for (const http::Route& route : router_->routes())
    routes.push_back({route.method, route.pattern});
  hub_.metrics.requests.Name(std::move(routes));
}

std::vector<Endpoint> App::AllRoutes() const {
  std::vector<Endpoint> all;
  const auto add = [&](const auto& services, auto... make) {
    for (std::vector<Endpoint> routes : {make(services)...})
      std::ranges::move(routes, std::back_inserter(all));
  };
  const Services& shared = tables_;
  add(KeyServices{shared, hub_.pool, hub_.keys, hub_.tables.signing_key()}, KeyRoutes, ApiKeyRoutes,
      ChannelRoutes);
  add(tables_, TunedRoutes, FileRoutes, BuildRoutes, RowRoutes);
  add(QueueServices{shared, hub_.queue}, DemandRoutes, JobRoutes, LeaseRoutes);
  add(IngestServices{shared, hub_.ingest, hub_.runs}, IngestRoutes);
  add(InsightServices{tables_, hub_.pool, hub_.versions, hub_.queue, hub_.runs, hub_.analyses,
                      hub_.coverage, hub_.overview, hub_.maps, hub_.trends},
      ChangeRoutes, ComparisonRoutes, CoverageRoutes, DifferenceRoutes, ModelRoutes, OverviewRoutes,
      PlanRoutes, SearchRoutes, VerdictRoutes);
  add(OperationServices{shared, hub_.metrics, dashboard_, hub_.stopping, data_}, OperationRoutes,
      DashboardRoutes);
  return all;
}

std::vector<http::Route> App::Guarded() {
  std::vector<http::Route> guarded;
  for (Endpoint& route : AllRoutes()) {
    http::Route out;
    out.method = route.method;
    out.pattern = route.pattern;
    out.body_allowed = route.body_allowed;
    out.scope = route.scope;
    out.pool = PoolOf(route);
    out.in_memory = route.in_memory;
    out.cost = route.cost;
    out.may_wait = TakesMinRevision(route);
    if (out.scope.empty() && reads_need_key_ && !route.always_open) out.scope = "read";
    out.handler = [this, route = std::move(route), scope = out.scope](
                      const http::Request& request, const http::PathParameters& parameters) {
      return Call(route, scope, request, parameters);
    };
    guarded.push_back(std::move(out));
  }
  return guarded;
}

std::optional<http::Response> App::Admit(http::RequestHead& head) const {
  auto found = router_->Find(head);
  if (auto* refusal = std::get_if<http::Response>(&found)) return std::move(*refusal);
  const http::Route& route = *std::get<http::Router::Match>(found).route;
  head.route = static_cast<int>(&route - router_->routes().data());
  if (auto refusal = KeyRefusal(hub_.keys, sign_in_, head, route.scope)) return refusal;
  if (route.may_wait) {
    if (auto not_yet = AwaitsRevision(tables_, head)) return not_yet;
  }
  // Place() applies the rate limit to reads. Place() only gets reads that memory cannot answer.
  if (route.method == "GET") return std::nullopt;
  return OverLimit(*limits_, route.pool, AskerOf(hub_.keys, head));
}

std::optional<http::Response> App::Fast(const http::Request& request) const {
  std::optional<http::Response> response = FastTable(request);
  if (!response) response = FastRoute(request);
  return response;
}

// If reads need an API key, Admit has checked the key. If the key's last use is not recorded
// recently, returns nothing, because only a worker may write to the database.
std::optional<http::Response> App::FastTable(const http::Request& request) const {
  std::int64_t key = 0;  // no key needed
  if (reads_need_key_) {
    const auto given = KeyOf(hub_.keys, request);
    if (!given || !hub_.keys.IsNotedLately(*given)) return std::nullopt;
    key = *given;
  }
  auto response = FastServed(tables_, request);
  if (!response || key == 0) return response;
  MakePrivate(*response);
  response->api_key = key;
  return response;
}

std::optional<http::Response> App::FastRoute(const http::Request& request) const {
  const auto found = router_->Find(request);
  const auto* match = std::get_if<http::Router::Match>(&found);
  if (match == nullptr || !match->route->in_memory) return std::nullopt;
  return match->route->handler(request, match->parameters);
}

std::optional<http::Response> App::Place(const http::Request& request, http::Pool& pool) const {
  const auto found = router_->Find(request);
  const auto* match = std::get_if<http::Router::Match>(&found);
  if (match == nullptr) return std::nullopt;
  const http::Route& route = *match->route;
  pool = route.pool;
  if (route.method != "GET") return std::nullopt;
  auto refusal = OverLimit(*limits_, pool, AskerOf(hub_.keys, request));
  if (!refusal && route.cost && route.cost(request, match->parameters) >= kCostlyRows)
    pool = http::Pool::kCostly;
  return refusal;
}

http::Response App::Call(const Endpoint& route, const std::string& scope,
                         const http::Request& request, const http::PathParameters& parameters) {
  try {
    auto key = UseKey(hub_.keys, sign_in_, request, scope);
    if (auto* refusal = std::get_if<http::Response>(&key)) return std::move(*refusal);
    const Caller& caller = std::get<Writer>(key);
    http::Response response;
    if (TakesMinRevision(route) && request.Query(kMinRevision)) {
      http::Request rest = request;
      auto refusal = TakeMinRevision(tables_, rest);
      response = refusal ? *std::move(refusal) : route.handler(rest, parameters, caller);
    } else {
      response = route.handler(request, parameters, caller);
    }
    if (!scope.empty() && route.method == "GET") MakePrivate(response);
    response.api_key = caller.api_key;
    if (IsAudited(route)) LogAudit(route, request, response);
    return response;
  } catch (const Unavailable& error) {
    log::Say(spdlog::level::warn, "error", error.what(), http::LogFields(request));
    return UnavailableProblem("the database does not answer; send the same request again");
  }
}

http::Response App::Handle(const http::Request& request) const {
  http::Response response = router_->Handle(request);
  Pack(request, response);
  if (request.method == "POST" && IsBatch(request.path))
    hub_.metrics.CountBatch(response.status != 200);
  return response;
}

http::Callbacks App::callbacks() {
  return {[this](http::RequestHead& head) { return Admit(head); },
          [this](const http::Request& request) { return Fast(request); },
          [this](const http::Request& request, http::Pool& pool) { return Place(request, pool); },
          [this](const http::Request& request) { return Handle(request); },
          {},
          log_access_ ? LogAccess : std::function<void(const http::Answered&)>(),
          [&metrics = hub_.metrics](const http::AnswerFigures& it) {
            metrics.requests.Observe(it.route, it.status, it.seconds, it.taken, it.given);
            if (it.refusal != 0) metrics.CountRefusal(static_cast<RefusedFor>(it.refusal));
          }};
}

}  // namespace tunehub::server
