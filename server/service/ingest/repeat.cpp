// An import that is the one in force again.
#include "server/service/ingest/batch_run.h"
#include "server/service/ingest/ingest.h"

namespace tunehub::service {

std::optional<WriteAnswer> Ingest::Repeat(store::RunContent run, const std::string& content,
                                          const WriteRequest& write) {
  if (write.dry_run) return std::nullopt;  // which says what would be stored
  if (write.limits) return std::nullopt;   // its rows are to be judged
  store::RepeatRequest request;
  request.write = write;
  request.new_run = std::move(run);
  request.content = content;
  request.render = RenderRepeat;
  auto outcome = store_.batches().Repeat(request);
  if (!outcome.ok()) return Refuse(outcome.error());
  if (!*outcome) return std::nullopt;
  return Answered(**std::move(outcome));
}

}  // namespace tunehub::service
