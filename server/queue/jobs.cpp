#include "server/queue/jobs.h"

#include <fmt/core.h>

#include <utility>

#include "server/answers/shapes.h"

namespace tunehub::server {

core::Result<MadeJob> CreateJob(JobStore& jobs, const Definitions& definitions, const NewJob& job,
                                const WriteRequest& write) {
  JobContent content;
  content.family = definitions.Id(*job.family);
  content.purpose = job.purpose;
  content.gfx = job.target.gfx;
  content.cu_num = job.target.cu_num;
  content.priority = job.priority;
  content.campaign = job.campaign;
  content.shapes = StoredShapes(*job.family, job.shapes);
  // The receipt is the job's id: a replay knows no more of it.
  const auto made = jobs.AddJobs(write, {content}, [](const std::vector<std::int64_t>& ids) {
    return std::to_string(ids.at(0));
  });
  if (!made.ok()) return made.error();
  auto record = jobs.FindJob(std::stoll(made->receipt));
  if (!record.ok())
    return core::Error{"unknown_job", fmt::format("job {} was deleted since", made->receipt)};
  return MadeJob{*std::move(record), made->replayed};
}

std::optional<double> SecondsToEmpty(const QueueOfTarget& queue) {
  if (queue.shapes == 0 || queue.done_shapes == 0 || !queue.done_within) return std::nullopt;
  return *queue.done_within / static_cast<double>(queue.done_shapes) *
         static_cast<double>(queue.shapes);
}

}  // namespace tunehub::server
