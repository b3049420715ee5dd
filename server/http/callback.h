// Calls of the program's callbacks: an exception ends one request, never the process.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/message.h"
#include "server/log/log.h"

namespace tunehub::http {

// What ties one request's log lines together across programs: X-Request-Id and traceparent.

// 1 to 64 of [A-Za-z0-9._-]: safe in a log line and in a header.
bool IsRequestId(std::string_view text);

// 16 hex digits, unlikely to repeat; an identifier, no secret.
std::string NewRequestId();

// The W3C form 00-<32 hex>-<16 hex>-<2 hex>, lower case, neither id all zero.
bool IsTraceparent(std::string_view text);

// What a line of the log says of a request. Views of it.
log::LineFields LogFields(const Asked& asked);

// Logs what happened to the request and answers 500 without saying more to the client.
Response InternalError(const RequestHead& head, std::string_view what);

// For what escapes a reactor's handler: no memory, or a bug. The connection's deadline ends it.
// Never throws: nobody is left to catch it.
void LogEscaped(std::string_view what);

// A TLS handshake that led to nothing: for whoever looks for the reason, at level debug.
void LogHandshake(std::string_view peer, std::string_view why);

// `callback(message)`, or nothing where there is no callback.
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
