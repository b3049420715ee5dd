// An import that is the one in force again.
#include <fmt/core.h>

#include "core/base/excerpt.h"
#include "server/service/ingest/batch_run.h"
#include "server/service/ingest/import_content.h"
#include "server/service/ingest/ingest.h"

namespace tunehub::service {

std::optional<WriteAnswer> Ingest::Repeat(store::RunContent run, const std::string& content,
                                          const store::SentContent& sent,
                                          const WriteRequest& write) {
  if (write.dry_run) return std::nullopt;  // which says what would be stored
  if (content.empty() && sent.digest.empty()) return std::nullopt;
  if (write.limits) return std::nullopt;  // its rows are to be judged
  store::RepeatRequest request;
  request.write = write;
  request.new_run = std::move(run);
  request.content = content;
  request.sent = sent;
  request.render = RenderRepeat;
  auto outcome = store_.batches().Repeat(request);
  if (!outcome.ok()) return Refuse(outcome.error());
  if (!*outcome) return std::nullopt;
  return Answered(**std::move(outcome));
}

WriteAnswer Ingest::ImportAgain(const std::string& source, const std::string& digest,
                                const WriteRequest& write,
                                const std::optional<store::RunContent>& about) {
  if (const auto within = CheckSource(write, source); !within.ok()) return Refuse(within.error());
  const store::RunContent run = RunOfImport(source, write, about);
  const store::SentContent sent{SentContent(definitions_, digest, run, write), ""};
  auto answer = Repeat(run, "", sent, write);
  if (!answer) {
    return Refuse(
        {"unknown_content", fmt::format("this owner's last import from '{}' was not made from {}",
                                        core::Excerpt(source), digest)});
  }
  if (answer->refusal) return *std::move(answer);
  const std::string report = store_.batches().SentReport(sent.digest);
  if (!report.empty()) answer->receipt.insert(answer->receipt.size() - 1, ",\"report\":" + report);
  return *std::move(answer);
}

}  // namespace tunehub::service
