// HubClient over a real connection.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "agent/hub/hub_client.h"

namespace tunehub::agent {

// An import of a whole tree is judged and stored within one request.
inline constexpr std::chrono::seconds kRequestTimeout{300};

struct HubAddress {
  std::string url;  // "http://hub:8080", a path in it is a prefix
  std::string key;  // "" where none is needed
  std::chrono::seconds timeout = kRequestTimeout;
  std::string ca_file;  // whose certificates an https hub may have; "": the system's
};

// What tells hubs apart: the address, always in the same words. Errors: bad_hub.
core::Result<std::string> HubIdentity(const std::string& url);

// No redirects are followed, so that a key never travels to another host; "Expect" is never sent;
// no proxy is asked; answers may come gzipped. Any thread may send. Errors: bad_hub, no_ca, bad_ca.
core::Result<std::unique_ptr<HubClient>> MakeHttpClient(const HubAddress& address);

}  // namespace tunehub::agent
