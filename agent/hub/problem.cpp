#include "agent/hub/problem.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/terminal.h"
#include "agent/hub/hub_client.h"
#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

// What is not of that form is passed over, and what comes behind so many.
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
constexpr std::size_t kDetailBytes = 4000;  // a log has it in a line

// Others' problems have no code, or one that is a number or no such word.
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
                               {"in_doubt_count", "in doubt"}};

struct IssueList {
  const char* member;
  const char* count_member;
  const char* word;
  bool finding;  // something is wrong with the row, not only remarkable
};

constexpr IssueList kIssueLists[] = {{"rejected", "rejected_count", "rejected", true},
                                     {"quarantined", "quarantined_count", "quarantined", true},
                                     {"withdrawn", "withdrawn_count", "withdrawn", true},
                                     {"in_doubt", "in_doubt_count", "in doubt", true},
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
  problem.detail = text("detail");
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

core::Error ToError(const HubProblem& problem) {
  std::string detail = fmt::format("the hub answered {} {}", problem.status, problem.code);
  if (!problem.detail.empty()) detail += ": " + problem.detail;
  const bool of_key = problem.status == kUnauthorized || problem.code == "wrong_scope";
  if (problem.of_hub && of_key) detail += "; the key is what --key or TUNEHUB_KEY says";
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
      out << "  (the receipt lists the first " << rows.size() << " of " << count << ' ' << list.word
          << " rows)\n";
    }
  }
}

bool HasFindings(const nlohmann::json& receipt) {
  return Count(receipt, "rejected_count") > 0 || Count(receipt, "quarantined_count") > 0;
}

}  // namespace tunehub::agent
