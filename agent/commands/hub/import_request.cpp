#include "agent/commands/hub/import_request.h"

#include "agent/hub/problem.h"
#include "core/system/random.h"

namespace tunehub::agent {
namespace {

constexpr int kFound = 200, kNotFound = 404, kNotAllowed = 405;
constexpr char kUnknownContent[] = "unknown_content";  // says a hub that keeps digests

core::Result<nlohmann::json> ReceiptOf(const Answer& answer) {
  auto receipt = nlohmann::json::parse(answer.body, nullptr, false);
  if (!receipt.is_object() || !receipt.contains("files") || !receipt["files"].is_array()) {
    return core::Error{"bad_answer", "the hub answered 200 without a receipt"};
  }
  return receipt;
}

core::Result<Answer> Send(const ImportOptions& options, const std::string& path,
                          const std::string& digest, const char* type, std::string body,
                          HubClient& hub, const Pauses& pauses) {
  Parameters parameters = {{"source", options.source}};
  if (!digest.empty()) parameters.emplace_back("content", digest);
  const Request request{"POST",
                        path + "?" + QueryString(parameters),
                        {{"Content-Type", type}, {"Idempotency-Key", core::RandomUuid()}},
                        std::move(body)};
  return SendWithRetries(hub, request, options.retry, pauses);
}

}  // namespace

core::Result<AskedImport> AskImport(const ImportOptions& options, const std::string& digest,
                                    const std::string& run, HubClient& hub, const Pauses& pauses) {
  if (digest.empty()) return AskedImport{};
  const auto answer = Send(options, "/import/again", digest, "application/json", run, hub, pauses);
  if (!answer.ok()) return answer.error();
  if (answer->status == kFound) {
    auto receipt = ReceiptOf(*answer);
    if (!receipt.ok()) return receipt.error();
    return AskedImport{*std::move(receipt), true};
  }
  const HubProblem problem = ProblemOf(*answer);
  if (problem.code == kUnknownContent) return AskedImport{{}, true};
  // A hub of before it could be asked.
  if (answer->status == kNotFound || answer->status == kNotAllowed) return AskedImport{};
  return ToError(problem);
}

core::Result<nlohmann::json> PostImport(const ImportOptions& options,
                                        const std::vector<core::TarFile>& files,
                                        const std::string& digest, HubClient& hub,
                                        const Pauses& pauses) {
  const auto answer =
      Send(options, "/import", digest, "application/gzip", core::WriteTarGz(files), hub, pauses);
  if (!answer.ok()) return answer.error();
  if (answer->status != kFound) return ToError(ProblemOf(*answer));
  return ReceiptOf(*answer);
}

}  // namespace tunehub::agent
