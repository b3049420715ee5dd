#include "server/answers/problems.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "server/answers/issues.h"

namespace tunehub::server {
namespace {

constexpr int kDefaultStatus = 422;
constexpr const char* kRetryAfterSeconds = "2";

struct Row {
  std::string_view code;
  int status;
};

constexpr Row kStatuses[] = {
    {"unknown_family", 404},    {"no_rows", 404},
    {"unknown_run", 404},       {"unknown_revision", 404},
    {"unknown_key", 404},       {"unknown_parameter", 400},
    {"bad_parameter", 400},     {"unknown_gfx", 400},
    {"legacy_ambiguous", 400},  {"legacy_unsupported", 400},
    {"bad_gzip", 400},          {"bad_encoding", 415},
    {"bad_content_type", 415},  {"bad_archive", 400},
    {"too_large", 413},         {"too_many_rows", 413},
    {"unknown_job", 404},       {"unknown_model", 404},
    {"no_dashboard", 404},      {"unknown_asset", 404},
    {"bad_state", 400},         {"not_covered", 409},
    {"lease_lost", 409},        {"not_parked", 409},
    {"already_reverted", 409},  {"key_collision", 500},
    {"revision_damaged", 500},  {"definitions_changed", 503},
    {"too_few_rows", 409},      {"no_runs", 404},
    {"too_many_compared", 400}, {"too_many_runs", 400},
    {"unknown_build", 404},     {"bad_build_name", 400},
    {"other_digest", 409},      {"unknown_source", 404},
    {"unknown_reader", 404},    {"unreachable_name", 400},
    {"bad_name", 400},          {"no_name", 400},
    {"other_columns", 409},     {"not_borrowed", 409},
    {"device_not_said", 409},   {"revision_gone", 410},
    {"stopping", 503},          {"not_owner", 403},
    {"key_limited", 403},       {"would_shrink", 409},
    {"bad_lock", 400},          {"needs_admin", 403},
    {"over_quota", 429},        {"unknown_channel", 404},
    {"no_earlier", 409},        {"not_of_job", 409},
    {"key_ended", 409},         {"key_replaced", 409},
    {"last_admin_key", 409},    {"bad_user", 400},
    {"unknown_user", 403},      {"unknown_page", 404},
};

// Marks an answer of a server that cannot answer now: the client should send the request again, to
// any server.
http::Response Again(http::Response response) {
  if (response.status == 503) response.headers.emplace_back("Retry-After", kRetryAfterSeconds);
  return response;
}

// The hub checks an API key's limits when it reads rows. Metrics count such a refusal as a refusal
// of the API key.
http::Response Refused(const core::Error& error, std::string_view members) {
  http::Response response =
      Again(http::Problem(StatusOf(error.code), error.code, error.detail, members));
  if (error.code == "key_limited" || error.code == "over_quota")
    response.refusal = static_cast<int>(RefusedFor::kKeyLimits);
  return response;
}

}  // namespace

int StatusOf(std::string_view code) {
  const auto found = std::find_if(std::begin(kStatuses), std::end(kStatuses),
                                  [&](const Row& row) { return row.code == code; });
  return found == std::end(kStatuses) ? kDefaultStatus : found->status;
}

http::Response ProblemFor(const core::Error& error) {
  return Refused(error, {});
}

http::Response ProblemFor(const core::Error& error, const std::vector<core::RowIssue>& issues) {
  if (issues.empty()) return ProblemFor(error);
  return Refused(error, "\"errors\":" + IssuesJson(issues).dump());
}

http::Response WriteResponse(const WriteAnswer& answer) {
  if (answer.refusal) {
    const auto& [error, issues, members] = *answer.refusal;
    if (members.empty()) return ProblemFor(error, issues);
    return Refused(error, members);
  }
  http::Response response = http::JsonResponse(200, answer.receipt);
  if (answer.replayed) response.headers.emplace_back("Idempotency-Replayed", "true");
  return response;
}

http::Response UnavailableProblem(std::string_view detail) {
  return Again(http::Problem(503, "database_unavailable", detail));
}

}  // namespace tunehub::server
