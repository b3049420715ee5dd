// Calls the program's callbacks: an exception ends one request, never the process.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/message.h"
#include "server/log/log.h"

namespace tunehub::http {

// X-Request-Id and traceparent: they link one request's log lines across programs.

// 1 to 64 of [A-Za-z0-9._-]: safe in a log line and in a header.
bool IsRequestId(std::string_view text);

// 16 hex digits, unlikely to repeat; an identifier, no secret.
std::string NewRequestId();

// The W3C form 00-<32 hex>-<16 hex>-<2 hex>, lower case, neither id all zero.
bool IsTraceparent(std::string_view text);

// A request's fields for a log line. Views of it.
log::LineFields LogFields(const Asked& asked);

// Logs the error and answers 500; the client learns no details.
Response InternalError(const RequestHead& head, std::string_view what);

// For an exception that escapes a reactor's handler: no memory, or a bug. The connection ends at
// its deadline. Never throws, since nobody would catch the exception.
void LogEscaped(std::string_view what);

void LogHandshake(std::string_view peer, std::string_view why);

// `callback(message)`; no answer if the callback is empty.
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
