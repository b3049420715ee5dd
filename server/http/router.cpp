#include "server/http/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/base/text.h"

namespace tunehub::http {
namespace {

// more segments than any route has; limits the work for a long path
constexpr std::size_t kMostSegments = 16;

bool IsParameter(std::string_view segment) {
  return segment.starts_with('{');
}

constexpr std::string_view kRest = "...}";

// The segments after the leading '/'. "/" is one empty segment.
std::vector<std::string_view> Split(std::string_view path) {
  std::vector<std::string_view> segments;
  std::size_t start = 1;
  while (start <= path.size() && segments.size() <= kMostSegments) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    segments.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return segments;
}

bool IsAcceptable(std::string_view value) {
  return !value.empty() && value != "." && value != ".." && !core::HoldsControl(value);
}

void CheckPattern(const Route& route) {
  const auto malformed = [&](const char* why) {
    throw std::logic_error(fmt::format("route {} {}: {}", route.method, route.pattern, why));
  };
  if (!route.pattern.starts_with('/')) malformed("a pattern starts with '/'");
  if (!route.handler) malformed("no handler");
  if (Split(route.pattern).size() > kMostSegments) malformed("too many segments");
  for (const std::string_view segment : Split(route.pattern)) {
    const bool braces = segment.find_first_of("{}") != segment.npos;
    const bool whole = segment.size() > 2 && segment.front() == '{' && segment.back() == '}' &&
                       segment.find_first_of("{}", 1) == segment.size() - 1;
    if (braces && !whole) malformed("a segment is a literal or exactly one {name}");
    const bool last =
        segment.data() + segment.size() == route.pattern.data() + route.pattern.size();
    if (segment.ends_with(kRest) && !last) malformed("{name...} is the last segment");
  }
}

// Literals sort before {names}, segment by segment. So the first match is the most specific match.
std::vector<bool> Vagueness(const std::vector<std::string>& segments) {
  return core::Mapped(segments, IsParameter);
}

Response NoSuchPath(const RequestHead& head) {
  return Problem(404, "no_such_path", fmt::format("There is no resource {}.", head.path));
}

Response MethodNotAllowed(const RequestHead& head, const std::set<std::string>& allowed) {
  const std::string list = fmt::format("{}", fmt::join(allowed, ", "));
  Response response = Problem(405, "method_not_allowed",
                              fmt::format("{1} does not support the method {0}; allowed: {2}.",
                                          head.method, head.path, list));
  response.headers.emplace_back("Allow", list);
  return response;
}

Response BodyNotAllowed(const RequestHead& head) {
  return Problem(413, "body_not_allowed",
                 fmt::format("{} {} must have no body.", head.method, head.path));
}

bool HasBody(const RequestHead& head) {
  const auto length = head.Header("content-length");
  return head.Header("transfer-encoding").has_value() ||
         (length.has_value() && length->find_first_not_of('0') != length->npos);
}

}  // namespace

std::string_view PathParameters::Get(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name) return value;
  }
  return {};
}

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Route& route : routes_) {
    CheckPattern(route);
    Entry entry{.segments = {}, .route = &route};
    std::string shape;  // patterns that differ only in names are equal
    for (const std::string_view segment : Split(route.pattern)) {
      entry.segments.emplace_back(segment);
      shape.append("/").append(IsParameter(segment) ? "{}" : segment);
    }
    if (!seen.emplace(route.method, shape).second) {
      throw std::logic_error(
          fmt::format("route {} {}: appears twice", route.method, route.pattern));
    }
    entry.open = route.pattern.ends_with(kRest);
    (entry.open ? open_ : by_length_[entry.segments.size()]).push_back(std::move(entry));
  }
  for (auto& [length, entries] : by_length_) {
    std::ranges::stable_sort(entries, {},
                             [](const Entry& entry) { return Vagueness(entry.segments); });
  }
}

std::optional<PathParameters> Router::Bind(const Entry& entry, const Segments& path) {
  const std::size_t fixed = entry.segments.size() - (entry.open ? 1 : 0);
  // Split stops after kMostSegments, so `path` may be only a part of a longer path.
  if (entry.open && (path.size() <= fixed || path.size() > kMostSegments)) return std::nullopt;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool named = i >= fixed || IsParameter(entry.segments[i]);
    if (named ? !IsAcceptable(path[i]) : entry.segments[i] != path[i]) return std::nullopt;
  }
  PathParameters parameters;
  for (std::size_t i = 0; i < fixed; ++i) {
    const std::string_view segment = entry.segments[i];
    if (IsParameter(segment)) parameters.Add(segment.substr(1, segment.size() - 2), path[i]);
  }
  if (entry.open) {
    const std::string_view segment = entry.segments.back(), last = path.back();
    const char* const begin = path[fixed].data();
    parameters.Add(segment.substr(1, segment.size() - 1 - kRest.size()),
                   {begin, static_cast<std::size_t>(last.data() + last.size() - begin)});
  }
  return parameters;
}

std::optional<Router::Match> Router::Fit(const std::vector<Entry>& entries, const Segments& path,
                                         std::string_view method, std::set<std::string>& allowed) {
  for (const Entry& entry : entries) {
    auto parameters = Bind(entry, path);
    if (!parameters) continue;
    if (entry.route->method == method) return Match{entry.route, *std::move(parameters)};
    allowed.insert(entry.route->method);
    if (entry.route->method == "GET") allowed.insert("HEAD");
  }
  return std::nullopt;
}

std::variant<Router::Match, Response> Router::Find(const RequestHead& head) const {
  const Segments path = Split(head.path);
  const std::string_view method = head.method == "HEAD" ? "GET" : std::string_view(head.method);
  std::set<std::string> allowed;
  std::optional<Match> match;
  if (const auto same = by_length_.find(path.size()); same != by_length_.end()) {
    match = Fit(same->second, path, method, allowed);
  }
  if (!match) match = Fit(open_, path, method, allowed);
  if (match && !match->route->body_allowed && HasBody(head)) return BodyNotAllowed(head);
  if (match) return *std::move(match);
  if (allowed.empty()) return NoSuchPath(head);
  return MethodNotAllowed(head, allowed);
}

Response Router::Handle(const Request& request) const {
  auto found = Find(request);
  if (auto* refusal = std::get_if<Response>(&found)) return std::move(*refusal);
  const Match& match = std::get<Match>(found);
  return match.route->handler(request, match.parameters);
}

}  // namespace tunehub::http
