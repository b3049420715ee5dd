// What a hub answers to a GET, where only 200 will do.
#pragma once

#include <string>
#include <utility>

#include "agent/hub/problem.h"
#include "agent/hub/retry.h"

namespace tunehub::agent {

// Errors: those of the client and of the hub.
inline core::Result<std::string> GetBody(HubClient& hub, const std::string& path,
                                         const Parameters& parameters, const RetryPolicy& retry,
                                         const Pauses& pauses) {
  std::string target = path;
  if (!parameters.empty()) target += "?" + QueryString(parameters);
  auto answer = SendWithRetries(hub, {"GET", target, {}, ""}, retry, pauses);
  if (!answer.ok()) return answer.error();
  if (answer->status != 200) return ToError(ProblemOf(*answer));
  return std::move(answer->body);
}

}  // namespace tunehub::agent
