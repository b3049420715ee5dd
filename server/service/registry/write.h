// A write to the registry: what its caller says about it, and what the caller is told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/row/row_issue.h"
#include "server/store/connection/write_request.h"

namespace tunehub::service {

// The same for the service: it has nothing to add.
using store::CheckFamily;
using store::CheckSource;
using store::CheckTarget;
using store::kDefaultOwner;
using store::Writer;
using store::WriteRequest;

struct Refusal {
  core::Error error;
  std::vector<core::RowIssue> issues;  // the rows that it is about
  std::string members = {};            // of the problem's JSON, beside those; "": none
};

// What the client is told: the receipt, or why nothing was stored.
struct WriteAnswer {
  std::string receipt;  // JSON
  bool replayed = false;
  std::optional<Refusal> refusal;
};

// Of a write that the store took, now or the first time.
WriteAnswer Answered(store::WriteOutcome outcome);
// Nothing was stored.
WriteAnswer Refuse(core::Error error, std::vector<core::RowIssue> issues = {});
// For rejected rows under atomic=1.
WriteAnswer RefuseRejected(std::vector<core::RowIssue> issues);

enum class BodyFormat { kCsv, kJson };

}  // namespace tunehub::service
