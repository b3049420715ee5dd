// HubClient over cpprestsdk; the only file pair of the agent that knows it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "agent/hub/hub_client.h"

namespace tunehub::agent {

// An import of a whole tree is judged and stored within one request.
inline constexpr std::chrono::seconds kRequestTimeout{300};
// The whole registry as one bundle stays far below; an endless answer must not fill the memory.
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{256} << 20;

struct HubAddress {
  std::string url;  // "http://hub:8080", a path in it is a prefix
  std::string key;  // "" where none is needed
  std::chrono::seconds timeout = kRequestTimeout;
};

// No redirects are followed, so that a key never travels to another host; "Expect" is never sent;
// answers may come gzipped. Errors: bad_hub.
core::Result<std::unique_ptr<HubClient>> MakeHttpClient(const HubAddress& address);

}  // namespace tunehub::agent
