// What the hub says when it does not do something: application/problem+json (RFC 9457).
#pragma once

#include <string>
#include <vector>

#include "agent/hub_client.h"
#include "core/tuned_table.h"

namespace tunehub::agent {

struct Problem {
  int status = 0;
  std::string code;
  std::string detail;
  std::vector<core::RowIssue> errors;  // of a table
};

// Also for an answer that is no such JSON (a proxy's page): its status stands for the rest.
Problem ProblemOf(const Answer& answer);

// "the hub answered 422 atomic_rejected: 3 rows ..."
core::Error ToError(const Problem& problem);

}  // namespace tunehub::agent
