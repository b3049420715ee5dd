// Calls the program's callbacks. An exception in a callback ends one request, never the process.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/message.h"
#include "server/log/log.h"

namespace tunehub::http {

// X-Request-Id and traceparent link one request's log lines across programs.

// True for 1 to 64 characters of [A-Za-z0-9._-], which are safe in a log line and in a header.
bool IsRequestId(std::string_view text);

// Returns 16 hexadecimal digits that are unlikely to repeat. They identify a request and are not
// secret.
std::string NewRequestId();

// True for the W3C form 00-<32 hex>-<16 hex>-<2 hex> in lower case, if neither id is all zero.
bool IsTraceparent(std::string_view text);

// A request's fields for a log line. The fields are views of `asked`.
log::LineFields LogFields(const Asked& asked);

// Logs the error and answers 500. The client sees no details.
Response InternalError(const RequestHead& head, std::string_view what);

// Logs an exception that leaves a reactor's handler (a lack of memory, or a bug). The connection
// ends at its deadline. This function never throws, since no caller would catch an exception.
void LogEscaped(std::string_view what);

void LogHandshake(std::string_view peer, std::string_view why);

// Returns `callback(message)`. Returns nothing if the callback is empty.
template <typename Callback, typename Message>
std::optional<Response> Ask(const Callback& callback, Message& message) {
  if (!callback) return std::nullopt;
  try {
    return callback(message);
  } catch (const std::exception& error) {
    return InternalError(message, error.what());
  } catch (...) {
    return InternalError(message, "an exception of unknown type");
  }
}

}  // namespace tunehub::http
