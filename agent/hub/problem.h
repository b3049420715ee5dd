// What the hub says when it does not do something: application/problem+json (RFC 9457).
#pragma once

#include <string>
#include <vector>

#include "agent/hub/hub_client.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

struct HubProblem {
  int status = 0;
  std::string code;
  std::string detail;
  std::vector<core::RowIssue> errors;  // of a table
  bool of_hub = false;  // tunehub itself says so, not something before it (between.h)
};

// Also for an answer that is no such JSON (a proxy's page): its status stands for the rest.
HubProblem ProblemOf(const Answer& answer);

// What of a hub's refusals time may cure: one that is away, behind a proxy's page or busy, and a
// key that it does not take (now), a certificate that is not trusted (yet).
inline constexpr char kHubUnreachable[] = "hub_unreachable", kHubUnavailable[] = "hub_unavailable",
                      kKeyRefused[] = "key_refused", kHubUntrusted[] = "hub_untrusted";
// The problem as an error: one of these codes, or the hub's own.
core::Error HubErrorOf(const HubProblem& problem);

// "the hub answered 422 atomic_rejected: 3 rows ..."
core::Error ToError(const HubProblem& problem);

}  // namespace tunehub::agent
