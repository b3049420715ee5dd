// The answers of the transport itself, for requests that do not reach a handler.
#pragma once

#include <string_view>

#include "server/http/listener.h"
#include "server/http/message.h"

namespace tunehub::http {

Response BadRequest(std::string_view code, std::string_view detail);
Response HeaderTooLarge(const Limits& limits);
Response BodyTooLarge(const Limits& limits);
Response HeaderTimeout(const Limits& limits);
Response BodyTimeout(const Limits& limits);
Response MethodNotSupported(std::string_view method);
Response TransferEncodingNotSupported();
// An answer in plain HTTP, for a client that uses plain HTTP on a TLS port.
Response WantsTls();
// 503 with Retry-After: `what` is full.
Response Busy(std::string_view what, std::string_view limit = {});

}  // namespace tunehub::http
