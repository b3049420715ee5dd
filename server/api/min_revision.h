// min_revision=NUMBER or PIN, of every read: an answer that is no older than what the asker has
// seen, whichever of several servers it comes from.
#pragma once

#include <optional>

#include "server/api/services.h"
#include "server/http/request.h"
#include "server/http/response.h"

namespace tunehub::api {

inline constexpr std::string_view kMinRevision = "min_revision";

// Takes the parameter out of the request, once this server has that revision: a commit on another
// one is here within milliseconds. Refusals: bad_parameter, revision_gone (the pin's token is not
// its number's), not_yet (503 with Retry-After: it is not here in time, or a family that it may be
// of is in another family file than this server's). Blocks.
std::optional<http::Response> AwaitRevision(const Services& services, http::Request& request);

// Whether AwaitRevision would wait: this server has only older revisions.
bool MustWait(const Services& services, const http::RequestHead& request);

}  // namespace tunehub::api
