// What the agent needs of HTTP: one request, one answer, and what a hub says in it: a problem, a
// receipt. Tests give a fake; the real one is http_client.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/hub/connection.h"
#include "agent/hub/spool.h"
#include "core/base/result.h"
#include "core/table/tuned_table.h"

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
