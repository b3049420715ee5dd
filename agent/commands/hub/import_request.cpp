#include "agent/commands/hub/import_request.h"

#include <fmt/core.h>

#include "agent/hub/problem.h"
#include "agent/hub/receipt.h"
#include "core/base/excerpt.h"
#include "core/base/read_json.h"
#include "core/system/random.h"

namespace tunehub::agent {
namespace {

constexpr int kFound = 200;
constexpr std::size_t kMaxKeyBytes = 400;  // of a MoE family
constexpr char kWouldShrink[] = "would_shrink";
constexpr char kUnknownContent[] = "unknown_content";

core::Result<nlohmann::json> ReceiptOf(const Answer& answer) {
  auto receipt = core::ReadJson(answer.body);
  if (!receipt.is_object() || !receipt.contains("files") || !receipt["files"].is_array()) {
    return core::Error{"bad_answer", "the hub answered 200 without a receipt"};
  }
  return receipt;
}

// What of the source would go, below the hub's sentence.
core::Error RefusalOf(const Answer& answer) {
  core::Error error = ToError(ProblemOf(answer));
  const auto problem = core::ReadJson(answer.body);
  if (error.code != kWouldShrink || !problem.contains("keys") || !problem["keys"].is_array()) {
    return error;
  }
  for (const auto& key : problem["keys"]) {
    if (!key.is_string()) continue;
    error.detail += fmt::format("\n  would go: {}",
                                core::Excerpt(key.get_ref<const std::string&>(), kMaxKeyBytes));
  }
  const std::size_t going = Count(problem, "going"), named = problem["keys"].size();
  if (going > named) error.detail += fmt::format("\n  and {} more", going - named);
  return error;
}

core::Result<Answer> Send(const ImportOptions& options, const std::string& path,
                          const std::string& digest, const char* type, std::string body,
                          bool allow_shrink, HubClient& hub, const Pauses& pauses) {
  Parameters parameters = {{"source", options.source}};
  if (allow_shrink) parameters.emplace_back("allow_shrink", "1");
  if (!digest.empty()) parameters.emplace_back("content", digest);
  const Request request{"POST",
                        path + "?" + QueryString(parameters),
                        {{"Content-Type", type}, {"Idempotency-Key", core::RandomUuid()}},
                        std::move(body)};
  return SendWithRetries(hub, request, options.retry, pauses);
}

}  // namespace

core::Result<std::optional<nlohmann::json>> AskImport(const ImportOptions& options, const std::string& digest,
                                                      const std::string& run, HubClient& hub,
                                                      const Pauses& pauses) {
  using Receipt = std::optional<nlohmann::json>;
  if (digest.empty()) return Receipt();
  const auto answer =
      Send(options, "/import/again", digest, "application/json", run, false, hub, pauses);
  if (!answer.ok()) return answer.error();
  if (answer->status == kFound) {
    auto receipt = ReceiptOf(*answer);
    if (!receipt.ok()) return receipt.error();
    return Receipt(*std::move(receipt));
  }
  const HubProblem problem = ProblemOf(*answer);
  if (problem.code == kUnknownContent) return Receipt();
  return ToError(problem);
}

core::Result<nlohmann::json> PostImport(const ImportOptions& options,
                                        const std::vector<core::TarFile>& files,
                                        const std::string& digest, HubClient& hub,
                                        const Pauses& pauses) {
  const auto answer = Send(options, "/import", digest, "application/gzip", core::WriteTarGz(files),
                           options.allow_shrink, hub, pauses);
  if (!answer.ok()) return answer.error();
  if (answer->status != kFound) return RefusalOf(*answer);
  return ReceiptOf(*answer);
}

}  // namespace tunehub::agent
