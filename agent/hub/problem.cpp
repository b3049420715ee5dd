#include "agent/hub/problem.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/hub/retry.h"
#include "agent/hub/row_issues.h"
#include "core/base/ascii.h"
#include "core/base/read_json.h"

namespace tunehub::agent {
namespace {

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

}  // namespace

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

}  // namespace tunehub::agent
