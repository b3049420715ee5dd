#include "agent/hub/hub_client.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "agent/base/terminal.h"
#include "agent/hub/wait_notice.h"
#include "core/base/encoding.h"
#include "core/base/process.h"
#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

using std::chrono::milliseconds;

// Returns Retry-After. Reads only the form in seconds. The form with a date counts as absent.
milliseconds RetryAfter(const Answer& answer, const RetryPolicy& policy) {
  const std::string text = answer.Header("retry-after");
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return milliseconds(0);
  return std::min<milliseconds>(std::chrono::seconds(seconds), policy.longest_retry_after);
}

bool MaySucceedLater(const core::Result<Answer>& answer) {
  if (answer.ok()) return IsTransient(answer->status);
  constexpr std::string_view kPassing[] = {kHubUnreachable, kHubUnavailable, kTooLargeBetween};
  return std::ranges::find(kPassing, answer.error().code) != std::end(kPassing);
}

// Does not use std::random_device, which needs a newer libc than the agent.
std::uint64_t Seed() {
  std::uint64_t seed = 0;
  const std::string bytes = core::RandomBytes(sizeof seed);
  std::memcpy(&seed, bytes.data(), sizeof seed);
  return seed;
}

constexpr int kFirstRedirect = 300, kNotModified = 304, kTooLarge = 413;

// True if the answer can be from a hub. A hub never answers an agent with HTML or a redirect.
bool IsTunehubs(const Answer& answer) {
  if (answer.status == kNotModified) return true;
  if (answer.status >= kFirstRedirect) return ProblemOf(answer).of_hub;
  return !core::Lower(answer.Header("content-type")).starts_with("text/html");
}

// Skips entries of another form, and entries beyond kMaxRowIssues.
std::vector<core::RowIssue> RowIssuesOf(const nlohmann::json& list) {
  std::vector<core::RowIssue> issues;
  if (!list.is_array()) return issues;
  for (const nlohmann::json& item : list) {
    if (issues.size() == kMaxRowIssues) break;
    if (!item.is_object()) continue;
    const auto row = item.find("row");
    const bool numbered = row != item.end() && row->is_number_unsigned();
    issues.push_back({numbered ? row->get<std::size_t>() : 0, PlainMember(item, "column"),
                      PlainMember(item, "code"), PlainMember(item, "detail")});
  }
  return issues;
}

constexpr int kUnauthorized = 401;
constexpr std::size_t kDetailBytes = 4000;  // a log prints it on one line

// True for a code of the hub. Problems of other servers have no code, a number, or another kind of
// text.
bool IsCode(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool IsProblemJson(const Answer& answer) {
  const std::string type = core::Lower(answer.Header("content-type"));
  return type.substr(0, type.find(';')) == "application/problem+json";
}

struct Figure {
  const char* member;
  const char* word;
};

constexpr Figure kFigures[] = {{"accepted", "accepted"},
                               {"won", "won"},
                               {"kept", "kept"},
                               {"unchanged", "unchanged"},
                               {"folded", "folded"},
                               {"unmeasured_count", "unmeasured"},
                               {"quarantined_count", "quarantined"},
                               {"unfinished_count", "unfinished"},
                               {"compared_count", "compared"},
                               {"rejected_count", "rejected"},
                               {"warning_count", "warnings"},
                               {"withdrawn_count", "withdrawn"},
                               {"in_doubt_count", "in doubt"},
                               {"unconfirmed_count", "unconfirmed"}};

struct IssueList {
  const char* member;
  const char* count_member;
  const char* word;
  bool finding;  // true: printed even without ReceiptDetail::remarks
};

constexpr IssueList kIssueLists[] = {{"rejected", "rejected_count", "rejected", true},
                                     {"quarantined", "quarantined_count", "quarantined", true},
                                     {"withdrawn", "withdrawn_count", "withdrawn", true},
                                     {"in_doubt", "in_doubt_count", "in doubt", true},
                                     {"unconfirmed", "unconfirmed_count", "unconfirmed", true},
                                     {"unmeasured", "unmeasured_count", "unmeasured", false},
                                     {"warnings", "warning_count", "warning", false}};

std::vector<Remark> RemarksOf(const BatchHeader& header, const nlohmann::json& receipt,
                              const char* member) {
  std::vector<Remark> remarks;
  if (!receipt.contains(member)) return remarks;
  for (core::RowIssue& issue : RowIssuesOf(receipt[member])) {
    issue.line += header.line_offset;
    remarks.push_back({header.file, std::move(issue)});
  }
  return remarks;
}

}  // namespace

std::string QueryString(const Parameters& parameters) {
  const auto encoded = [](const auto& it) {
    return core::PercentEncoded(it.first) + "=" + core::PercentEncoded(it.second);
  };
  return core::Joined(parameters, encoded, "&");
}

std::string WithQuery(const std::string& path, const Parameters& parameters) {
  return parameters.empty() ? path : path + "?" + QueryString(parameters);
}

core::Result<Parameters> AssignmentsOf(const std::vector<std::string>& assignments) {
  Parameters parameters;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      return core::Error{"bad_query", fmt::format("--query {}: expected name=value", assignment)};
    }
    parameters.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return parameters;
}

Pauses Pauses::Real() {
  auto engine = std::make_shared<std::mt19937_64>(Seed());
  return {[](milliseconds pause) { std::this_thread::sleep_for(pause); },
          [engine] { return std::uniform_real_distribution<double>(0, 1)(*engine); }};
}

bool IsTransient(int status) {
  constexpr int kTransient[] = {408, 425, 429, 502, 503, 504};
  return std::find(std::begin(kTransient), std::end(kTransient), status) != std::end(kTransient);
}

bool Rested(milliseconds pause, const RetryPolicy& policy, const Pauses& pauses) {
  constexpr milliseconds kLook{50};  // the longest delay until the agent notices a signal
  if (!policy.stop) pauses.sleep(pause);
  for (; policy.stop && pause > milliseconds(0); pause -= kLook) {
    if (policy.stop()) return false;
    pauses.sleep(std::min(pause, kLook));
  }
  return true;
}

core::Result<Answer> SendWithRetries(HubClient& hub, const Request& request,
                                     const RetryPolicy& policy, const Pauses& pauses) {
  milliseconds pause = policy.first_pause;
  const std::string what = fmt::format("waiting for {} ({} {}", hub.url(), request.method,
                                       request.target.substr(0, request.target.find('?')));
  WaitNotice notice(Notes().waits ? NotesFile() : nullptr);
  const std::string hub_named = fmt::format("the hub at {}: ", hub.url());
  std::string why;
  for (int attempt = 1;; ++attempt) {
    notice.For(fmt::format("{}, try {} of {}{}{})", what, attempt, policy.tries,
                           why.empty() ? "" : ": ", why));
    hub.SetTry(attempt);
    core::Result<Answer> answer = hub.Send(request);
    const milliseconds asked = answer.ok() ? RetryAfter(*answer, policy) : milliseconds(0);
    // An answer of a proxy becomes an error.
    auto between = answer.ok() ? ErrorOfBetween(*answer) : std::nullopt;
    if (between) answer = *std::move(between);
    if (!MaySucceedLater(answer) || attempt >= policy.tries) return answer;
    why = (answer.ok() ? ToError(ProblemOf(*answer)) : answer.error()).detail;
    if (why.starts_with(hub_named)) why.erase(0, hub_named.size());
    const double share = 0.5 + 0.5 * pauses.random();
    const auto jittered = std::chrono::duration_cast<milliseconds>(pause * share);
    if (!Rested(std::max(jittered, asked), policy, pauses)) return answer;
    pause = std::min(pause * 2, policy.longest_pause);
  }
}

std::optional<core::Error> ErrorOfBetween(const Answer& answer) {
  if (IsTunehubs(answer)) return std::nullopt;
  std::string who = answer.Header("server");
  if (who.empty()) who = answer.Header("via");
  const std::string type = answer.Header("content-type"), to = answer.Header("location");
  return core::Error{
      answer.status == kTooLarge ? kTooLargeBetween : kHubUnavailable,
      fmt::format("something between this agent and the hub{}, such as a proxy, answered {}{}{}",
                  who.empty() ? "" : fmt::format(" ({})", core::Excerpt(who)), answer.status,
                  type.empty() ? "" : fmt::format(" as {}", core::Excerpt(type)),
                  to.empty() ? "" : fmt::format(": it redirects to {}", core::Excerpt(to)))};
}

std::string PlainMember(const nlohmann::json& object, const char* member, std::size_t bytes) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string()
             ? core::PlainText(core::Excerpt(found->get_ref<const std::string&>(), bytes))
             : std::string();
}

HubProblem ProblemOf(const Answer& answer) {
  HubProblem problem{answer.status, fmt::format("http_{}", answer.status), "", {}};
  const auto json = core::ReadJson(answer.body);
  if (!json.is_object()) return problem;
  const auto text = [&](const char* member) { return PlainMember(json, member, kDetailBytes); };
  if (std::string code = text("code"); IsProblemJson(answer) && IsCode(code)) {
    problem.code = std::move(code);
    const auto status = json.find("status");
    problem.of_hub = status == json.end() || *status == answer.status;
  }
  // Further lines are indented, so that none looks like a line of this program.
  if (const auto detail = json.find("detail"); detail != json.end() && detail->is_string()) {
    const auto whole = core::Excerpt(detail->get_ref<const std::string&>(), kDetailBytes);
    problem.detail = core::Joined(
        core::SplitAt(whole, "\n"), [](std::string_view line) { return core::PlainText(line); },
        "\n  ");
  }
  if (problem.detail.empty()) problem.detail = text("title");
  if (json.contains("errors")) problem.errors = RowIssuesOf(json["errors"]);
  return problem;
}

core::Error HubErrorOf(const HubProblem& problem) {
  core::Error error = ToError(problem);
  constexpr int kServerErrors = 500;
  if (problem.status == kUnauthorized && problem.of_hub) {
    error.code = kKeyRefused;
  } else if (problem.status >= kServerErrors || IsTransient(problem.status) || !problem.of_hub) {
    error.code = kHubUnavailable;
  }
  return error;
}

namespace {

struct Advice {
  std::string_view code, text;
};

// What a user does about an answer of a hub.
constexpr Advice kAdvice[] = {
    {"wrong_scope", "--key or TUNEHUB_KEY sets the key"},
    {"unknown_run", "`tunehub-agent runs` lists the runs"},
    {"already_reverted", "`tunehub-agent runs` lists the runs"},
    {"not_owner", "use a key of that owner, or of scope admin"},
    {"unknown_job", "`tunehub-agent jobs` lists the jobs"},
    {"not_parked", "`tunehub-agent jobs --state parked` lists the parked jobs"}};

}  // namespace

core::Error ToError(const HubProblem& problem) {
  std::string detail = fmt::format("the hub answered {} {}", problem.status, problem.code);
  if (!problem.detail.empty()) detail += ": " + problem.detail;
  const std::string code = problem.status == kUnauthorized ? "wrong_scope" : problem.code;
  const auto advice = std::ranges::find(kAdvice, code, &Advice::code);
  if (problem.of_hub && advice != std::end(kAdvice)) detail += fmt::format("; {}", advice->text);
  return {problem.code, std::move(detail)};
}

std::size_t Count(const nlohmann::json& json, const char* member) {
  const auto found = json.find(member);
  return found != json.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
}

std::string SummaryOf(const nlohmann::json& counts) {
  std::string text = fmt::format("{} rows", Count(counts, "rows"));
  for (const Figure& figure : kFigures) {
    const std::size_t count = Count(counts, figure.member);
    if (count > 0) text += fmt::format(", {} {}", count, figure.word);
  }
  if (counts.contains("revision")) text += ", revision " + counts["revision"].dump();
  return text;
}

void PrintReceipt(std::ostream& out, const BatchHeader& header, const nlohmann::json& receipt,
                  const ReceiptDetail& detail) {
  out << header.file << " -> " << header.family << ": " << SummaryOf(receipt) << '\n';
  for (const IssueList& list : kIssueLists) {
    if (!list.finding && !detail.remarks) continue;
    const std::vector<Remark> rows = RemarksOf(header, receipt, list.member);
    PrintByCode(out, list.word, rows, detail.most_rows);
    const std::size_t count = Count(receipt, list.count_member);
    if (!rows.empty() && rows.size() < count) {
      out << "  (this receipt lists only the first " << rows.size() << " of " << count << ' '
          << list.word << " rows)\n";
    }
  }
}

bool HasFindings(const nlohmann::json& receipt) {
  return Count(receipt, "rejected_count") > 0 || Count(receipt, "quarantined_count") > 0;
}

}  // namespace tunehub::agent
