// A server's address: "https://hub:8443/prefix".
#pragma once

#include <string>

#include "core/base/result.h"

namespace tunehub::agent {

struct Url {
  bool tls = false;
  std::string host;    // as it is resolved: an IPv6 address without brackets
  std::string port;    // its scheme's, where none is given
  std::string origin;  // "hub:8443", as a request's Host has it and as it was written
  std::string prefix;  // "/prefix", without a slash at its end; "" for none

  // The same with the other scheme.
  std::string OfOtherScheme() const;
  // The same address always in the same words: "https://hub:8443/prefix".
  std::string Normal() const;
};

// Errors: bad_url, with the reason alone.
core::Result<Url> ParseUrl(const std::string& text);

}  // namespace tunehub::agent
