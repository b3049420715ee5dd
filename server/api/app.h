// The whole HTTP interface: the routes behind their keys, and the three callbacks of the listener.
#pragma once

#include <memory>
#include <optional>

#include "server/api/route.h"
#include "server/http/listener.h"
#include "server/http/router.h"

namespace tunehub::api {

class App {
 public:
  explicit App(Services services);

  // Refuses before the body is read: no such path, no or a wrong key. From memory alone.
  std::optional<http::Response> Admit(const http::RequestHead& head) const;
  // A tuned table from memory.
  std::optional<http::Response> Fast(const http::Request& request) const;
  http::Response Handle(const http::Request& request) const;

  http::Callbacks callbacks();
  const http::Router& router() const { return *router_; }

 private:
  std::vector<http::Route> Guarded();
  http::Response Call(const Endpoint& route, const std::string& scope, const http::Request& request,
                      const http::PathParameters& parameters);
  http::Response CallLater(const Endpoint& route, http::Request request,
                           const http::PathParameters& parameters, const Caller& caller) const;

  Services services_;
  std::unique_ptr<http::Router> router_;
};

}  // namespace tunehub::api
