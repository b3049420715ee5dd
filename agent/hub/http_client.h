// HubClient over a real connection.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "agent/hub/connection.h"
#include "agent/hub/hub_client.h"
#include "core/base/command_line.h"

namespace tunehub::agent {

// Whether this host's clock goes as the hub's; it is said and changes nothing, for a hub may lie:
// "this host's clock is 5 min behind the hub's: ...". "": it goes as the hub's within the time from
// the request to the end of the answer, or nobody can tell (no Date, or an old one from a cache).
std::string ClockDifference(const Answer& answer, std::chrono::system_clock::time_point sent,
                            std::chrono::system_clock::time_point received);

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

// The options that every command that talks to a hub has.
struct OnlineOptions {
  std::string hub, key, ca_file;
  unsigned request_timeout_s = kRequestTimeout.count();
  RetryPolicy retry;
};

// --hub (TUNEHUB_HUB), --key (TUNEHUB_KEY), --ca (TUNEHUB_CA), --tries, --request-timeout.
void AddOnlineOptions(cli::CommandLine& line, OnlineOptions& options);
// Of a command that may do without a hub: whether it asks one. TUNEHUB_HUB counts as --hub does,
// unless the command line names files in the hub's place.
bool AsksForHub(int argc, const char* const* argv, const OnlineOptions& options, bool names_files);

// Errors: bad_hub, no_ca, bad_ca.
core::Result<std::unique_ptr<HubClient>> Connect(const OnlineOptions& options);

// What the hub answers with 200. Errors: those of the client and of the hub.
core::Result<Answer> Get(HubClient& hub, const std::string& path, const Parameters& parameters,
                         const RetryPolicy& retry, const Pauses& pauses);
inline core::Result<std::string> GetBody(HubClient& hub, const std::string& path,
                                         const Parameters& parameters, const RetryPolicy& retry,
                                         const Pauses& pauses) {
  auto answer = Get(hub, path, parameters, retry, pauses);
  return answer.ok() ? core::Result<std::string>(std::move(answer->body)) : answer.error();
}

}  // namespace tunehub::agent
