// The whole HTTP interface: the routes with their check of API keys, and the listener's callbacks.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "server/answers/route.h"
#include "server/http/listener.h"
#include "server/http/message.h"
#include "server/http/router.h"
#include "server/hub.h"
#include "server/keys/sign_in.h"
#include "server/ops/dashboard.h"
#include "server/ops/limits.h"
#include "server/settings.h"
#include "server/tables/routes.h"

namespace tunehub::server {

// The parameter of every read: min_revision=NUMBER or PIN. Each of several servers then answers
// with that revision or a later one. A request that waits for a commit occupies no thread
// (http::Response::may_change).
inline constexpr std::string_view kMinRevision = "min_revision";

bool TakesMinRevision(const Endpoint& route);

http::Pool PoolOf(const Endpoint& route);

class App {
 public:
  // Reads the built dashboard into memory. The hub must outlive the app.
  App(Hub& hub, const Settings& settings);

  // Refuses an unknown path or a missing or wrong API key before the listener reads the body. Sets
  // may_change if the key or the revision may still become known. Stores the request's route in
  // `head`. Does not read the database.
  std::optional<http::Response> Admit(http::RequestHead& head) const;
  // Answers requests that need only memory: a tuned table, or a route with `in_memory`.
  std::optional<http::Response> Fast(const http::Request& request) const;
  // Chooses the request's pool, or refuses a client above its rate limit.
  std::optional<http::Response> Place(const http::Request& request, http::Pool& pool) const;
  http::Response Handle(const http::Request& request) const;

  // Returns all routes, without the check of API keys. The app must outlive them.
  std::vector<Endpoint> AllRoutes() const;
  http::Callbacks callbacks();
  const http::Router& router() const { return *router_; }

 private:
  std::vector<http::Route> Guarded();
  http::Response Call(const Endpoint& route, const std::string& scope, const http::Request& request,
                      const http::PathParameters& parameters);

  std::optional<http::Response> FastTable(const http::Request& request) const;
  std::optional<http::Response> FastRoute(const http::Request& request) const;

  Hub& hub_;
  const Dashboard dashboard_;
  const TableServices tables_;
  const std::filesystem::path data_;  // folder of the embedded PostgreSQL; "": another PostgreSQL
  const bool reads_need_key_;         // false: anybody may read
  const SignIn sign_in_;
  const bool log_access_;  // true: the log contains a line for each answer
  const std::unique_ptr<RateLimits> limits_;
  std::unique_ptr<http::Router> router_;
};

}  // namespace tunehub::server
