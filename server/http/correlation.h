// What ties one request's log lines together across programs: X-Request-Id and traceparent.
#pragma once

#include <string>
#include <string_view>

#include "server/http/request.h"
#include "server/log/log.h"

namespace tunehub::http {

// 1 to 64 of [A-Za-z0-9._-]: safe in a log line and in a header.
bool IsRequestId(std::string_view text);

// 16 hex digits, unlikely to repeat; an identifier, no secret.
std::string NewRequestId();

// The W3C form 00-<32 hex>-<16 hex>-<2 hex>, lower case, neither id all zero.
bool IsTraceparent(std::string_view text);

// What a line of the log says of a request. Views of it.
log::LineFields LogFields(const RequestHead& head);
log::LineFields LogFields(const Asked& asked);

}  // namespace tunehub::http
