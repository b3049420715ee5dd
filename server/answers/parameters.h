// Reads and checks query parameters and bodies.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/db/writer.h"
#include "server/http/message.h"

namespace tunehub::server {

inline constexpr std::int64_t kMaxId = std::numeric_limits<std::int64_t>::max();
inline constexpr std::size_t kMaxNameBytes = 128;  // limit of a model's, family's or agent's name
// Limit of the text that selects one side of a comparison: a list of runs or facts.
inline constexpr std::size_t kMaxSideBytes = 1024;

// Errors: unknown_family, which lists the known families.
core::Result<const core::Family*> FindFamily(const Services& services, std::string_view name);

// The query of a request. It stores the first error. After an error, its members return empty
// values or the fallback. So a handler reads all parameters first, then checks ok() once.
class RequestQuery {
 public:
  // Allows any parameter names. The handler must check them.
  explicit RequestQuery(const http::RequestHead& head) : head_(head) {}
  // Sets the error unknown_parameter if the query has a parameter outside `allowed`.
  RequestQuery(const http::RequestHead& head, std::span<const std::string_view> allowed);
  RequestQuery(const http::RequestHead& head, std::initializer_list<std::string_view> allowed)
      : RequestQuery(head, std::span(allowed.begin(), allowed.size())) {}

  bool ok() const { return !error_; }
  const core::Error& error() const { return *error_; }  // Precondition: !ok().

  // Stores a handler's error, unless there already is an error.
  void Fail(core::Error error);
  // Returns a result's value. If the result is an error, stores the error and returns an empty
  // value.
  template <typename T>
  T Take(core::Result<T> result) {
    if (result.ok()) return *std::move(result);
    Fail(result.error());
    return {};
  }

  // Each function below reads a parameter. It returns nothing if the query lacks the parameter. It
  // stores the error bad_parameter if the value is not allowed or the parameter occurs twice.

  std::optional<std::string_view> Raw(std::string_view name);
  std::optional<std::int64_t> Number(std::string_view name, std::int64_t min, std::int64_t max);
  std::int64_t Number(std::string_view name, std::int64_t min, std::int64_t max,
                      std::int64_t fallback) {
    return Number(name, min, max).value_or(fallback);
  }
  // Reads a count, such as a page's length or the number of items before the page.
  std::size_t Size(std::string_view name, std::int64_t min, std::int64_t max,
                   std::int64_t fallback) {
    return static_cast<std::size_t>(Number(name, min, max, fallback));
  }
  // Reads a revision: its number, or its pin.
  std::optional<core::Pin> Pin(std::string_view name);
  // Reads a text of at most `limit` bytes, without control characters.
  std::optional<std::string> Text(std::string_view name, std::size_t limit = kMaxNameBytes);
  // Returns one of `choices`. Returns the first choice if the query lacks the parameter.
  std::string_view Choice(std::string_view name, std::initializer_list<std::string_view> choices);
  // Reads 1 or 0. Returns false if the query lacks the parameter.
  bool Flag(std::string_view name);
  // Reads the parameter `family`. Returns null if the query lacks it. Errors: unknown_family.
  const core::Family* Family(const Services& services);

  // Reads a number in the path, at least 1.
  std::int64_t Id(std::string_view name, std::string_view text);

 private:
  std::optional<std::int64_t> Parse(std::string_view name, std::string_view text, std::int64_t min,
                                    std::int64_t max);

  const http::RequestHead& head_;
  std::optional<core::Error> error_;
};

// Returns an endpoint that refuses every query parameter with the error unknown_parameter.
Endpoint NoQuery(Endpoint route);

// Calls `handle` with the family that the path names. Errors: unknown_family.
template <typename Subject, typename Handle>
Handler WithFamily(const Subject& services, Handle handle) {
  return [services, handle](const http::Request& request, const http::PathParameters& path,
                            const Caller& caller) {
    const auto family = FindFamily(services, path.Get("family"));
    if (!family.ok()) return ProblemFor(family.error());
    if constexpr (std::is_invocable_v<Handle, const Subject&, const http::Request&,
                                      const core::Family&>)
      return handle(services, request, **family);
    else
      return handle(services, request, **family, caller);
  };
}

// Adds the header Link with the next page: the same query, except that `next` replaces the
// parameters of the position.
void AddNextPage(http::Response& response, const http::RequestHead& head, const http::Fields& next);
// The same for a list in which `after` is a number of items to skip: `end` of `total` items are on
// this page or before it.
void AddNextPlace(http::Response& response, const http::RequestHead& head, std::size_t end,
                  std::size_t total);

// Each function below stores its error in `query`. After an error, it does nothing.

// Returns the decoded body. Its Content-Encoding may be gzip or identity. Errors: bad_encoding,
// bad_gzip, too_large.
std::string DecodedBody(RequestQuery& query, const http::Request& request, std::size_t limit);

// Returns the format that the Content-Type names, by default CSV. Errors: bad_content_type.
BodyFormat FormatOf(RequestQuery& query, const http::Request& request);

// Returns the family that the parameter `family` names, or else Snapshots::Timed(). Errors:
// unknown_family, bad_parameter.
std::vector<const core::Family*> TimedFamilies(const Services& services, RequestQuery& query);

// Reads allow_shrink: true if the write may remove many rows. Errors: bad_parameter, needs_admin.
bool AllowsShrink(RequestQuery& query, const Caller& caller);

// Reads Idempotency-Key, atomic, dry_run and allow_shrink, and computes a digest of the request.
// Errors: bad_parameter.
WriteRequest ReadWriteRequest(RequestQuery& query, const http::Request& request,
                              std::string_view decoded_body, const Caller& caller);

// A table that a client sends to a family.
struct TablePost {
  BodyFormat format = BodyFormat::kCsv;
  std::string body;  // decoded
  WriteRequest write;
};

// Errors: those of FormatOf, DecodedBody and ReadWriteRequest.
TablePost ReadTablePost(const Services& services, RequestQuery& query, const http::Request& request,
                        const Caller& caller);

}  // namespace tunehub::server
