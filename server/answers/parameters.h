// Query parameters and bodies, checked at the edge.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"
#include "server/answers/route.h"
#include "server/db/writer.h"
#include "server/http/message.h"

namespace tunehub::server {

inline constexpr std::int64_t kMaxId = std::numeric_limits<std::int64_t>::max();
inline constexpr std::size_t kMaxNameBytes = 128;  // of a model, a family, an agent
// Of one side of a comparison: a query of its own.
inline constexpr std::size_t kMaxSideBytes = 1024;

// Error unknown_parameter where the query holds another name than these.
core::Status CheckParameters(const http::RequestHead& head,
                             std::span<const std::string_view> allowed);
inline core::Status CheckParameters(const http::RequestHead& head,
                                    std::initializer_list<std::string_view> allowed) {
  return CheckParameters(head, std::span(allowed.begin(), allowed.size()));
}

// Error bad_parameter where a parameter comes twice: nobody knows which is meant.
core::Status CheckSingle(const http::RequestHead& head, std::string_view name);

// A whole number within bounds; absent where the query lacks it. Error bad_parameter.
core::Result<std::optional<std::int64_t>> NumberParameter(const http::RequestHead& head,
                                                          std::string_view name, std::int64_t min,
                                                          std::int64_t max);
// A revision: its number, or its pin; absent where the query lacks it. Error bad_parameter.
core::Result<std::optional<core::Pin>> PinParameter(const http::RequestHead& head,
                                                    std::string_view name);
// The number that stands in a path, from 1. Error bad_parameter.
core::Result<std::int64_t> IdInPath(std::string_view name, std::string_view text);
// A parameter's text, at most `limit` bytes and without control characters; absent where the query
// lacks it. Error bad_parameter.
core::Result<std::optional<std::string>> TextParameter(const http::RequestHead& head,
                                                       std::string_view name, std::size_t limit);
// One of `choices`; the first where the query lacks it. Error bad_parameter.
core::Result<std::string> ChoiceParameter(const http::RequestHead& head, std::string_view name,
                                          std::initializer_list<std::string_view> choices);
// 1 or 0; false where the query lacks it. Error bad_parameter.
core::Result<bool> FlagParameter(const http::RequestHead& head, std::string_view name);

// The value of Link for the page behind this one: the same query with `next` in place of what it
// says of the place to go on from.
std::string NextPage(const http::RequestHead& head, const http::Fields& next);

// The body without its Content-Encoding (gzip or identity). Errors: bad_encoding, bad_gzip,
// too_large.
core::Result<std::string> DecodedBody(const http::Request& request, std::size_t limit);

// Error unknown_family, with the families there are.
core::Result<const core::Family*> FindFamily(const Services& services, std::string_view name);

// Every family that has times.
std::vector<const core::Family*> TimedFamilies(const Services& services);
// The one that the parameter `family` names, else every family that has times. Errors:
// unknown_family, bad_parameter.
core::Result<std::vector<const core::Family*>> TimedFamilies(const Services& services,
                                                             const http::RequestHead& head);

// Whether the write may take away much. Errors: bad_parameter, needs_admin.
core::Result<bool> AllowsShrink(const http::RequestHead& head, const Caller& caller);

// Idempotency-Key, atomic, dry_run, allow_shrink, and the digest of what is asked. Errors:
// bad_parameter.
core::Result<WriteRequest> ReadWriteRequest(const http::Request& request,
                                            std::string_view decoded_body, const Caller& caller);

// By the Content-Type: JSON, or CSV where it says so or nothing. Error bad_content_type.
core::Result<BodyFormat> FormatOf(const http::Request& request);

// A table that a family is sent.
struct TablePost {
  const core::Family* family = nullptr;
  BodyFormat format = BodyFormat::kCsv;
  std::string body;  // decoded
  WriteRequest write;
};

// Errors: those of FindFamily, CheckParameters, FormatOf, DecodedBody and ReadWriteRequest.
core::Result<TablePost> ReadTablePost(const Services& services, const http::Request& request,
                                      std::string_view family, const Caller& caller,
                                      std::initializer_list<std::string_view> parameters);

// The part of a media type before its parameters, lower-cased: "text/csv".
std::string MediaType(const http::RequestHead& head);

}  // namespace tunehub::server
