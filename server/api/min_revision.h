// min_revision=NUMBER or PIN, of every read: an answer that is no older than what the asker has
// seen, whichever of several servers it comes from. Who waits for a commit waits as a header does
// whose key may be new (http::Response::may_change): no thread waits with it.
#pragma once

#include <optional>

#include "server/api/route.h"
#include "server/api/services.h"
#include "server/http/request.h"
#include "server/http/response.h"

namespace tunehub::api {

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

}  // namespace tunehub::api
