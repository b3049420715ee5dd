// The whole HTTP interface: the routes behind their keys, and the three callbacks of the listener.
#pragma once

#include <memory>
#include <optional>

#include "server/answers/route.h"
#include "server/http/listener.h"
#include "server/http/message.h"
#include "server/http/router.h"
#include "server/hub.h"
#include "server/ops/dashboard.h"
#include "server/ops/limits.h"
#include "server/settings.h"
#include "server/tables/routes.h"

namespace tunehub::server {

// min_revision=NUMBER or PIN, of every read: an answer that is no older than what the asker has
// seen, whichever of several servers it comes from. Who waits for a commit waits as a header does
// whose key may be new (http::Response::may_change): no thread waits with it.
inline constexpr std::string_view kMinRevision = "min_revision";

// Reads of what revisions have.
bool TakesMinRevision(const Endpoint& route);

http::Pool PoolOf(const Endpoint& route);

class App {
 public:
  // Reads the built dashboard into memory. The hub must outlive it.
  App(Hub& hub, const Settings& settings);

  // Refuses before the body is read: no such path, no or a wrong key; with may_change where the
  // key may be new, the revision may come. From memory alone. Notes the request's route.
  std::optional<http::Response> Admit(http::RequestHead& head) const;
  // What is in memory: a tuned table, or a route of that kind.
  std::optional<http::Response> Fast(const http::Request& request) const;
  // To which pool a request goes, or that its asker has had its share.
  std::optional<http::Response> Place(const http::Request& request, http::Pool& pool) const;
  http::Response Handle(const http::Request& request) const;

  // The subjects' routes, before their keys are checked. The app must outlive them.
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
  const bool reads_need_key_;  // else anybody may read
  const bool log_access_;      // a line for each answer
  const std::unique_ptr<RateLimits> limits_;
  std::unique_ptr<http::Router> router_;
};

}  // namespace tunehub::server
