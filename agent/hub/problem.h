// What the hub says when it does not do something: application/problem+json (RFC 9457).
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "agent/hub/hub_client.h"
#include "agent/hub/spool.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

// Remarks about rows as the hub writes them: [{"row", "column", "code", "detail"}].
inline constexpr std::size_t kMaxRowIssues = 10'000;  // a receipt lists fewer

// A member's text as a terminal may show it, at most so many bytes; "" where it is no text.
std::string PlainMember(const nlohmann::json& object, const char* member,
                        std::size_t bytes = ~std::size_t{0});

struct HubProblem {
  int status = 0;
  std::string code;
  std::string detail;
  std::vector<core::RowIssue> errors;  // of a table
  bool of_hub = false;  // tunehub itself says so, not something before it (ErrorOfBetween)
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

// "100 rows, 98 accepted, 10 won, ..., revision 7": what of it is in `counts`, zeroes left out.
std::string SummaryOf(const nlohmann::json& counts);

struct ReceiptDetail {
  std::size_t most_rows = 0;  // of each kind
  bool remarks = true;        // also unmeasured rows and warnings
};

// One line, then the rows that the receipt lists, by their lines in the file that the batch came
// from.
void PrintReceipt(std::ostream& out, const BatchHeader& header, const nlohmann::json& receipt,
                  const ReceiptDetail& detail);

// Rows were rejected or quarantined.
bool HasFindings(const nlohmann::json& receipt);

std::size_t Count(const nlohmann::json& json, const char* member);  // 0 where there is none

}  // namespace tunehub::agent
