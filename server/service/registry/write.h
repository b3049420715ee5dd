// What a write to the registry brings along, and what it is answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/row/row_issue.h"

namespace tunehub::service {

// What every write brings along.
struct WriteContext {
  std::int64_t api_key = 0;
  std::optional<std::string> idempotency_key;
  std::string digest;    // of decoded body, path and query
  bool atomic = false;   // one rejected row fails the whole
  bool dry_run = false;  // says what it would do
};

struct Refusal {
  core::Error error;
  std::vector<core::RowIssue> issues;  // the rows that it is about
};

// The receipt, as JSON, or why nothing was stored.
struct Written {
  std::string receipt;
  bool replayed = false;
  std::optional<Refusal> refusal;
};

// Nothing was stored.
Written Refuse(core::Error error, std::vector<core::RowIssue> issues = {});
// For rejected rows under atomic=1.
Written RefuseRejected(std::vector<core::RowIssue> issues);

enum class BodyFormat { kCsv, kJson };

}  // namespace tunehub::service
