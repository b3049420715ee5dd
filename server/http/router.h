// Finds the handler for a method and a path. Each endpoint is one row of a table.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/http/message.h"
#include "server/http/pool.h"

namespace tunehub::http {

// The values of a pattern's {names}, in order. Each value is decoded, not empty, not "." or "..",
// and has no '/' or control characters. The same is true for each part of a {name...}. Handlers
// check everything else.
class PathParameters {
 public:
  void Add(std::string_view name, std::string_view value) { values_.emplace_back(name, value); }
  // Empty if the pattern has no such name.
  std::string_view Get(std::string_view name) const;
  std::size_t size() const { return values_.size(); }

 private:
  Fields values_;
};

// Estimates the number of rows that an answer reads before it is ready. Returns 0 if the answer is
// in memory. Must not block.
using Cost = std::function<std::size_t(const Request&, const PathParameters&)>;

struct Route {
  std::string method;  // "GET" also answers HEAD
  // "/tuned/{family}": a segment is a literal or one {name}. "/files/{reader}/{path...}": the last
  // {name...} may match the rest of the path.
  std::string pattern;
  std::function<Response(const Request&, const PathParameters&)> handler;
  std::string scope = {};     // scope of the required API key: "" (none), "submit", "admin"
  bool body_allowed = false;  // false: the listener refuses a body without reading it
  Pool pool = Pool::kQuick;
  bool in_memory = false;  // the handler never blocks
  bool may_wait = false;   // true: the client may ask the server to wait (Response::may_change)
  Cost cost = {};
};

class Router {
 public:
  struct Match {
    const Route* route;  // lives as long as the router
    PathParameters parameters;
  };

  // Throws std::logic_error for a malformed or repeated pattern, so that the start of the program
  // reveals this bug.
  explicit Router(std::vector<Route> routes);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;
  ~Router() = default;

  // The request's route, or a refusal: 404 no_such_path, 405 method_not_allowed with Allow, 413
  // body_not_allowed. At the same place, a literal segment wins over a {name}.
  std::variant<Match, Response> Find(const RequestHead& head) const;

  // For Callbacks::handle: runs the route's handler, or returns the refusal.
  Response Handle(const Request& request) const;

  // Every row, in the given order. A test compares the API description with these rows.
  std::span<const Route> routes() const { return routes_; }

 private:
  struct Entry {
    std::vector<std::string> segments;
    const Route* route;
    bool open = false;  // the last segment is {name...}
  };
  using Segments = std::vector<std::string_view>;

  static std::optional<PathParameters> Bind(const Entry& entry, const Segments& path);
  // Returns the first entry of `path` with this method. Adds the methods of other entries of `path`
  // to `allowed`.
  static std::optional<Match> Fit(const std::vector<Entry>& entries, const Segments& path,
                                  std::string_view method, std::set<std::string>& allowed);

  std::vector<Route> routes_;
  std::map<std::size_t, std::vector<Entry>> by_length_;  // literals before {names}
  std::vector<Entry> open_;                              // tried last
};

}  // namespace tunehub::http
