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

// not_yet (503 with Retry-After) for as long as this server has not got the revision and soon may:
// a commit on another one is here within milliseconds. From memory alone.
std::optional<http::Response> AwaitsRevision(const Services& services,
                                             const http::RequestHead& request);

// Takes the parameter out of the request. Refusals: bad_parameter, revision_gone (the pin's token
// is not its number's), not_yet (this server still has not got it, or a family that it may be of is
// in another family file than this server's). Asks the database about a pin that is not the
// newest one, the first time.
std::optional<http::Response> TakeMinRevision(const Services& services, http::Request& request);

// Lines of the log that say who asked for what: of every answer, and of every write.

// Of an answer that is about to be sent.
void LogAccess(const http::Answered& answered);

// Whether a request to that route is a write that somebody may want to be told of later: what an
// agent does over and over while it works, claims and heartbeats, is none.
bool IsAudited(const Endpoint& route);
// Of a write that was carried out or refused by its handler.
void LogAudit(const Endpoint& route, const http::Request& request, const http::Response& response);

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
  http::Response CallAtLeast(const Endpoint& route, http::Request request,
                             const http::PathParameters& parameters, const Caller& caller) const;

  std::optional<http::Response> FastTable(const http::Request& request) const;
  std::optional<http::Response> FastRoute(const http::Request& request) const;
  void Count(const http::AnswerFigures& answer) const;

  Hub& hub_;
  const Dashboard dashboard_;
  const TableServices tables_;
  const bool reads_need_key_;  // else anybody may read
  const bool log_access_;      // a line for each answer
  const std::unique_ptr<RateLimits> limits_;
  std::unique_ptr<http::Router> router_;
};

}  // namespace tunehub::server
