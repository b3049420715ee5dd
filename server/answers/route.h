// Defines endpoints. A handler only translates between HTTP and a service.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "server/db/writer.h"
#include "server/http/router.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/revisions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// The author of a request: the owner of its API key, or anonymous for a read without a key.
using Caller = Writer;

using Handler =
    std::function<http::Response(const http::Request&, const http::PathParameters&, const Caller&)>;

// Services for the routes of every subject. They outlive the HTTP listener.
struct Services {
  const Definitions& definitions;
  Snapshots& snapshots;
  Revisions& revisions;
  std::size_t body_bytes = 0;  // the limit of an unpacked body
};

// Calls `handle` with a subject's services and the request. Adds the path's `parameter` and the
// caller, if `handle` has arguments for them.
template <typename Subject, typename Handle>
Handler With(const Subject& services, Handle handle, const char* parameter = "") {
  return [services, handle, parameter](const http::Request& request,
                                       const http::PathParameters& path, const Caller& caller) {
    static_cast<void>(parameter);  // some handlers take no parameter
    using Asked = const Subject&;
    using Request = const http::Request&;
    if constexpr (std::is_invocable_v<Handle, Asked, Request>)
      return handle(services, request);
    else if constexpr (std::is_invocable_v<Handle, Asked, Request, const Caller&>)
      return handle(services, request, caller);
    else if constexpr (std::is_invocable_v<Handle, Asked, Request, std::string_view>)
      return handle(services, request, path.Get(parameter));
    else
      return handle(services, request, path.Get(parameter), caller);
  };
}

struct Endpoint {
  std::string method;
  std::string pattern;
  Handler handler;
  std::string scope = {};  // "": a read
  bool body_allowed = false;
  bool always_open = false;  // true: open even if reads need a key, such as a health check
  // The pool decides which threads answer this route, and its rate limit (ops/limits.h). Absent:
  // the scope decides.
  std::optional<http::Pool> pool = {};
  // the handler never blocks: the reactor answers, without a queue or a limit
  bool in_memory = false;
  http::Cost cost = {};  // the cost of an answer in Pool::kHeavy
};

// Marks a read that computes much or reads much from the database. `cost`: null if the read never
// takes long.
inline Endpoint Heavy(Endpoint route, http::Cost cost = {}) {
  route.pool = http::Pool::kHeavy;
  route.cost = std::move(cost);
  return route;
}

}  // namespace tunehub::server
