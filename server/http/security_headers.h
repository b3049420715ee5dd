// What every answer tells a browser, whoever wrote it, refusals of the transport among them: a
// browser is the one client that runs what it is sent.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "server/http/request.h"

namespace tunehub::http {

// Appends what `given`, the answer's own headers, lack. `hsts`: how long a browser shall ask this
// host by HTTPS alone, 0 ends that; nothing over plain HTTP, where RFC 6797 forbids the header.
void AppendSecurityHeaders(std::string& head, const Fields& given,
                           std::optional<std::chrono::seconds> hsts);

}  // namespace tunehub::http
