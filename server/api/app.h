// The whole HTTP interface: the routes behind their keys, and the three callbacks of the listener.
#pragma once

#include <memory>
#include <optional>

#include "server/api/route.h"
#include "server/http/listener.h"
#include "server/http/router.h"
#include "server/service/operations/rate_limits.h"

namespace tunehub::api {

class App {
 public:
  explicit App(Services services);

  // Refuses before the body is read: no such path, no or a wrong key; with may_change where the
  // key may be new, the revision may come. From memory alone. Notes the request's route.
  std::optional<http::Response> Admit(http::RequestHead& head) const;
  // What is in memory: a tuned table, or a route of that kind.
  std::optional<http::Response> Fast(const http::Request& request) const;
  // To which pool a request goes, or that its asker has had its share.
  std::optional<http::Response> Place(const http::Request& request, http::Pool& pool) const;
  http::Response Handle(const http::Request& request) const;

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

  Services services_;
  const std::unique_ptr<service::RateLimits> limits_;
  std::unique_ptr<http::Router> router_;
};

}  // namespace tunehub::api
