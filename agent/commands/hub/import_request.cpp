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

}  // namespace

core::Result<nlohmann::json> PostImport(const ImportOptions& options,
                                        const std::vector<core::TarFile>& files, HubClient& hub,
                                        const Pauses& pauses) {
  Parameters parameters = {{"source", options.source}};
  if (options.allow_shrink) parameters.emplace_back("allow_shrink", "1");
  const Request request{
      "POST",
      "/import?" + QueryString(parameters),
      {{"Content-Type", "application/gzip"}, {"Idempotency-Key", core::RandomUuid()}},
      core::WriteTarGz(files)};
  const auto answer = SendWithRetries(hub, request, options.retry, pauses);
  if (!answer.ok()) return answer.error();
  if (answer->status != kFound) return RefusalOf(*answer);
  return ReceiptOf(*answer);
}

}  // namespace tunehub::agent
