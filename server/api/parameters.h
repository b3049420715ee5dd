// Query parameters and bodies, checked at the edge.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "server/api/route.h"
#include "server/http/request.h"
#include "server/service/ingest.h"

namespace tunehub::api {

// Error unknown_parameter where the query holds another name than these.
core::Status CheckParameters(const http::RequestHead& head,
                             std::initializer_list<std::string_view> allowed);

// A whole number within bounds; absent where the query lacks it. Error bad_parameter.
core::Result<std::optional<std::int64_t>> NumberParameter(const http::RequestHead& head,
                                                          std::string_view name, std::int64_t min,
                                                          std::int64_t max);
// 1 or 0; false where the query lacks it. Error bad_parameter.
core::Result<bool> FlagParameter(const http::RequestHead& head, std::string_view name);

// The body without its Content-Encoding (gzip or identity). Errors: bad_encoding, bad_gzip,
// too_large.
core::Result<std::string> DecodedBody(const http::Request& request, std::size_t limit);

// Error unknown_family, with the families there are.
core::Result<const core::Family*> FindFamily(const Services& services, std::string_view name);

// Idempotency-Key, atomic, dry_run, and the digest of what is asked. Errors: bad_parameter.
core::Result<service::WriteContext> MakeWriteContext(const http::Request& request,
                                                     std::string_view decoded_body,
                                                     const Caller& caller);

// The part of a media type before its parameters, lower-cased: "text/csv".
std::string MediaType(const http::RequestHead& head);

}  // namespace tunehub::api
