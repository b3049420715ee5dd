// What the agent needs of HTTP: one request, one answer. Tests give a fake; the real one is
// http_client.h.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/hub/connection.h"
#include "core/base/result.h"

namespace tunehub::agent {

class HubClient {
 public:
  virtual ~HubClient() = default;
  // Any status is an answer. Errors: hub_unreachable (no answer came), hub_untrusted (its
  // certificate), bad_hub (it speaks http and not https, or the other way round), all with the
  // address and the reason; answer_too_large, bad_gzip.
  virtual core::Result<Answer> Send(const Request& request) = 0;
};

// "gpu_archs=gfx942%3Bgfx950&cu_num=80", in the order given; "" for nothing.
using Parameters = std::vector<std::pair<std::string, std::string>>;
std::string QueryString(const Parameters& parameters);
// "/bundle?gpu_archs=gfx942", "/bundle"
std::string WithQuery(const std::string& path, const Parameters& parameters);
// Of "name=value" each, as a user says --query. Error bad_query.
core::Result<Parameters> AssignmentsOf(const std::vector<std::string>& assignments);

// Sending again what may succeed later: exponential backoff with jitter, bounded.
struct RetryPolicy {
  int tries = 6;                               // about half a minute in all
  std::chrono::milliseconds first_pause{500};  // doubles with each try
  std::chrono::milliseconds longest_pause{30'000};
  std::chrono::milliseconds longest_retry_after{120'000};  // of what the hub asks for
  std::function<bool()> stop = {};  // ends a pause, and with it the tries; may be empty
};

// Time and chance, so that tests need neither.
struct Pauses {
  std::function<void(std::chrono::milliseconds)> sleep;
  std::function<double()> random;  // in [0, 1)
  // Why it is tried again; may be empty.
  std::function<void(const std::string& why)> tell = {};

  static Pauses Real();
  // The same for a person who waits: the first reason is said at once on `err`.
  static Pauses Telling(std::ostream& err);
};

// False where the policy's `stop` ended the pause.
bool Rested(std::chrono::milliseconds pause, const RetryPolicy& policy, const Pauses& pauses);

// 408, 425, 429, 502, 503, 504: the same request may succeed later.
bool IsTransient(int status);

// The last answer once it is tunehub's own and final, or the last error when the tries are used up
// (ErrorOfBetween). A pause is between half and all of its length, so that agents that failed
// together do not come back together; Retry-After is a lower bound.
core::Result<Answer> SendWithRetries(HubClient& hub, const Request& request,
                                     const RetryPolicy& policy, const Pauses& pauses);

// Something between refuses a body for its size: others may pass where this one does not.
inline constexpr char kTooLargeBetween[] = "too_large_between";

// Of an answer that is not tunehub's own: hub_unavailable or too_large_between, with who says what.
// None of them is final: proxies are set up anew, and servers behind them are replaced. Nothing for
// what tunehub answers.
std::optional<core::Error> ErrorOfBetween(const Answer& answer);

}  // namespace tunehub::agent
