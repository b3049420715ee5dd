// Calls the program's callbacks. An exception ends one request, never the process.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/message.h"
#include "server/log/log.h"

namespace tunehub::http {

// X-Request-Id and traceparent link one request's log lines across programs.

// 1 to 64 of [A-Za-z0-9._-]: safe in a log line and in a header.
bool IsRequestId(std::string_view text);

// 16 hex digits that are unlikely to repeat. It identifies a request and is not secret.
std::string NewRequestId();

// The W3C form 00-<32 hex>-<16 hex>-<2 hex>, lower case, neither id all zero.
bool IsTraceparent(std::string_view text);

// A request's fields for a log line. The fields are views of `asked`.
log::LineFields LogFields(const Asked& asked);

// Logs the error and answers 500. The client sees no details.
Response InternalError(const RequestHead& head, std::string_view what);

// Logs an exception that escapes a reactor's handler: no memory, or a bug. The connection ends at
// its deadline. Never throws, since no caller would catch it.
void LogEscaped(std::string_view what);

void LogHandshake(std::string_view peer, std::string_view why);

// Returns `callback(message)`. No answer if the callback is empty.
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
