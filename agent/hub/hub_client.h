// HTTP for the agent: a request, an answer, and the hub's problems and receipts. The real client is
// in http_client.h. Tests use a fake client.
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
  // Returns an answer with any status. Errors: hub_unreachable (no answer), hub_untrusted
  // (certificate), bad_hub (http instead of https, or the reverse), each with address and reason;
  // answer_too_large, bad_gzip.
  virtual core::Result<Answer> Send(const Request& request) = 0;
  // For people: "http://hub:8080".
  virtual std::string url() const { return "the hub"; }
  // How often SendWithRetries has sent the next request, counted from 1.
  virtual void SetTry(int number) { (void)number; }
};

// "gpu_archs=gfx942%3Bgfx950&cu_num=80", in the given order; "" if empty.
using Parameters = std::vector<std::pair<std::string, std::string>>;
std::string QueryString(const Parameters& parameters);
// "/bundle?gpu_archs=gfx942", "/bundle"
std::string WithQuery(const std::string& path, const Parameters& parameters);
// From "name=value" texts of --query. Errors: bad_query.
core::Result<Parameters> AssignmentsOf(const std::vector<std::string>& assignments);

// Retries transient failures: exponential backoff with jitter, bounded.
struct RetryPolicy {
  int tries = 6;                               // about half a minute in all
  std::chrono::milliseconds first_pause{500};  // doubles with each try
  std::chrono::milliseconds longest_pause{30'000};
  std::chrono::milliseconds longest_retry_after{120'000};  // the longest Retry-After that counts
  std::function<bool()> stop = {};  // true ends a pause and the retries; may be empty
};

// Clock and random numbers, replaceable by tests.
struct Pauses {
  std::function<void(std::chrono::milliseconds)> sleep;
  std::function<double()> random;  // in [0, 1)

  static Pauses Real();
};

// False if the policy's `stop` ended the pause.
bool Rested(std::chrono::milliseconds pause, const RetryPolicy& policy, const Pauses& pauses);

// 408, 425, 429, 502, 503, 504: the same request may succeed later.
bool IsTransient(int status);

// Returns the hub's first answer that is not transient. After all tries, returns the last answer or
// error (ErrorOfBetween). A pause lasts 50 to 100 % of the policy's, so that agents that failed
// together do not retry together. Retry-After is a lower bound.
core::Result<Answer> SendWithRetries(HubClient& hub, const Request& request,
                                     const RetryPolicy& policy, const Pauses& pauses);

// The error's code if a proxy refused a body for its size. Smaller bodies may pass.
inline constexpr char kTooLargeBetween[] = "too_large_between";

// Returns hub_unavailable or too_large_between, with the server's name and answer, if the answer is
// not from a hub. Otherwise returns nothing. The agent retries after both errors, because somebody
// may change the proxy's configuration or replace the server.
std::optional<core::Error> ErrorOfBetween(const Answer& answer);

// Reads remarks on rows from the hub's JSON: [{"row", "column", "code", "detail"}].
inline constexpr std::size_t kMaxRowIssues = 10'000;  // a receipt lists fewer

// Returns a member's text, safe for a terminal and cut to `bytes`. Returns "" if the member is not
// a text.
std::string PlainMember(const nlohmann::json& object, const char* member,
                        std::size_t bytes = ~std::size_t{0});

struct HubProblem {
  int status = 0;
  std::string code;
  std::string detail;
  std::vector<core::RowIssue> errors;  // errors of the table's rows
  bool of_hub = false;                 // true: a hub answered, not a proxy (ErrorOfBetween)
};

// An answer without a problem's JSON (a proxy's page) gets its code from its status.
HubProblem ProblemOf(const Answer& answer);

// The codes of temporary errors, in this order: no answer; a proxy's page or a busy hub; a key that
// the hub refuses now; a certificate that is not trusted yet.
inline constexpr char kHubUnreachable[] = "hub_unreachable", kHubUnavailable[] = "hub_unavailable",
                      kKeyRefused[] = "key_refused", kHubUntrusted[] = "hub_untrusted";
// Returns the problem as an error, with one of these codes or the hub's own code.
core::Error HubErrorOf(const HubProblem& problem);

// "the hub answered 422 atomic_rejected: 3 rows ..."
core::Error ToError(const HubProblem& problem);

// "100 rows, 98 accepted, 10 won, ..., revision 7": the members of `counts` that are not 0.
std::string SummaryOf(const nlohmann::json& counts);

struct ReceiptDetail {
  std::size_t most_rows = 0;  // the most rows of each kind
  bool remarks = true;        // true: also print unmeasured rows and warnings
};

// Prints one line, then the rows in the receipt, with their line numbers in the batch's source
// file.
void PrintReceipt(std::ostream& out, const BatchHeader& header, const nlohmann::json& receipt,
                  const ReceiptDetail& detail);

// True if rows were rejected or quarantined.
bool HasFindings(const nlohmann::json& receipt);

std::size_t Count(const nlohmann::json& json, const char* member);  // 0 if absent

}  // namespace tunehub::agent
