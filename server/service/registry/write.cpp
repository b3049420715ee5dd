#include "server/service/registry/write.h"

#include <fmt/core.h>

#include <utility>

namespace tunehub::service {

WriteAnswer Answered(store::WriteOutcome outcome) {
  return {std::move(outcome.receipt), outcome.replayed, std::nullopt};
}

WriteAnswer Refuse(core::Error error, std::vector<core::RowIssue> issues) {
  return {"", false, Refusal{std::move(error), std::move(issues)}};
}

WriteAnswer RefuseRejected(std::vector<core::RowIssue> issues) {
  core::Error error{
      "rejected_rows",
      fmt::format("{} rows are rejected, and atomic=1: nothing was stored", issues.size())};
  return Refuse(std::move(error), std::move(issues));
}

}  // namespace tunehub::service
