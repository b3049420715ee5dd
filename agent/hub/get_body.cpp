#include "agent/hub/get_body.h"

#include <utility>

#include "agent/hub/problem.h"

namespace tunehub::agent {

core::Result<std::string> GetBody(HubClient& hub, const std::string& path,
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
