// Posts JSON to a web address, for the webhook.
#pragma once

#include <chrono>
#include <string>

#include "core/base/result.h"

namespace tunehub::http {

struct WebAddress {
  bool tls = false;
  std::string host, port;
  std::string origin;  // for the header Host
  std::string target;  // path and query
};

// Errors: bad_address, with the reason.
core::Result<WebAddress> ParseWebAddress(const std::string& text);

// Returns after `patience` at the latest. A TLS certificate must be valid for the host. Errors:
// not_sent, if no answer came or if its status is not 2xx.
core::Status PostJson(const WebAddress& to, const std::string& body,
                      std::chrono::milliseconds patience);

}  // namespace tunehub::http
