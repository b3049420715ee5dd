#include "server/service/registry/write.h"

#include <fmt/core.h>

#include <utility>

namespace tunehub::service {

Written Refuse(core::Error error, std::vector<core::RowIssue> issues) {
  return {"", false, Refusal{std::move(error), std::move(issues)}};
}

Written RefuseRejected(std::vector<core::RowIssue> issues) {
  core::Error error{
      "rejected_rows",
      fmt::format("{} rows are rejected, and atomic=1: nothing was stored", issues.size())};
  return Refuse(std::move(error), std::move(issues));
}

}  // namespace tunehub::service
