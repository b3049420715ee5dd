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
inline constexpr std::size_t kMaxNameBytes = 128;  // of a model, a family, an agent
// Limit of one side of a comparison, which lists runs or facts.
inline constexpr std::size_t kMaxSideBytes = 1024;

// Error unknown_family names the known families.
core::Result<const core::Family*> FindFamily(const Services& services, std::string_view name);

// The query of a request. It notes the first error; after that, its members return empty values or
// the fallback. So a handler reads all of its parameters and then checks ok() once.
class RequestQuery {
 public:
  // Allows any names: the handler must check them.
  explicit RequestQuery(const http::RequestHead& head) : head_(head) {}
  // Error unknown_parameter if the query has a name that is not `allowed`.
  RequestQuery(const http::RequestHead& head, std::span<const std::string_view> allowed);
  RequestQuery(const http::RequestHead& head, std::initializer_list<std::string_view> allowed)
      : RequestQuery(head, std::span(allowed.begin(), allowed.size())) {}

  bool ok() const { return !error_; }
  const core::Error& error() const { return *error_; }  // Precondition: !ok().

  // Notes a handler's error.
  void Fail(core::Error error);
  // The value of a result; if it has none, notes the error and returns an empty value.
  template <typename T>
  T Take(core::Result<T> result) {
    if (result.ok()) return *std::move(result);
    Fail(result.error());
    return {};
  }

  // Each of the next members reads a parameter; absent if the query lacks it. Error bad_parameter:
  // the value is not allowed, or the parameter comes twice.

  std::optional<std::string_view> Raw(std::string_view name);
  std::optional<std::int64_t> Number(std::string_view name, std::int64_t min, std::int64_t max);
  std::int64_t Number(std::string_view name, std::int64_t min, std::int64_t max,
                      std::int64_t fallback) {
    return Number(name, min, max).value_or(fallback);
  }
  // The same for counts, such as a page's length or the items before it.
  std::size_t Size(std::string_view name, std::int64_t min, std::int64_t max,
                   std::int64_t fallback) {
    return static_cast<std::size_t>(Number(name, min, max, fallback));
  }
  // A revision: its number, or its pin.
  std::optional<core::Pin> Pin(std::string_view name);
  // At most `limit` bytes, without control characters.
  std::optional<std::string> Text(std::string_view name, std::size_t limit = kMaxNameBytes);
  // One of `choices`; the first if the query lacks it.
  std::string_view Choice(std::string_view name, std::initializer_list<std::string_view> choices);
  // 1 or 0; false if the query lacks it.
  bool Flag(std::string_view name);
  // The parameter `family`; null if the query lacks it. Error unknown_family.
  const core::Family* Family(const Services& services);

  // A number in the path, at least 1.
  std::int64_t Id(std::string_view name, std::string_view text);

 private:
  std::optional<std::int64_t> Parse(std::string_view name, std::string_view text, std::int64_t min,
                                    std::int64_t max);

  const http::RequestHead& head_;
  std::optional<core::Error> error_;
};

// An endpoint without query parameters. It refuses any parameter, with error unknown_parameter.
Endpoint NoQuery(Endpoint route);

// Calls `handle` with the family that the path names. Error unknown_family.
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

// Adds the Link to the next page: the same query, where `next` replaces the parameters of the
// position.
void AddNextPage(http::Response& response, const http::RequestHead& head, const http::Fields& next);

// Each function below notes its error in `query`; after an error it does no work.

// The decoded body; its Content-Encoding may be gzip or identity. Errors: bad_encoding, bad_gzip,
// too_large.
std::string DecodedBody(RequestQuery& query, const http::Request& request, std::size_t limit);

// The format that the Content-Type names; by default CSV. Error bad_content_type.
BodyFormat FormatOf(RequestQuery& query, const http::Request& request);

// The family that the parameter `family` names, else Snapshots::Timed(). Errors: unknown_family,
// bad_parameter.
std::vector<const core::Family*> TimedFamilies(const Services& services, RequestQuery& query);

// Reads allow_shrink: true if the write may remove many rows. Errors: bad_parameter, needs_admin.
bool AllowsShrink(RequestQuery& query, const Caller& caller);

// Reads Idempotency-Key, atomic, dry_run and allow_shrink, and computes a digest of the request.
// Error bad_parameter.
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
