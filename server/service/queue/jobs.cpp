#include "server/service/queue/jobs.h"

#include <fmt/core.h>

#include <utility>

#include "server/service/queue/shape_json.h"

namespace tunehub::service {

core::Result<MadeJob> Jobs::Create(const NewJob& job, const WriteRequest& write) {
  store::JobContent content;
  content.family = definitions_.Id(*job.family);
  content.purpose = job.purpose;
  content.gfx = job.target.gfx;
  content.cu_num = job.target.cu_num;
  content.priority = job.priority;
  content.campaign = job.campaign;
  content.shapes = StoredShapes(*job.family, job.shapes);
  // The receipt is the job's id: a replay knows no more of it.
  const auto made = store_.queue().AddJobs(
      write, {content},
      [](const std::vector<std::int64_t>& ids) { return std::to_string(ids.at(0)); });
  if (!made.ok()) return made.error();
  auto record = store_.queue().FindJob(std::stoll(made->receipt));
  if (!record.ok())
    return core::Error{"unknown_job", fmt::format("job {} was deleted since", made->receipt)};
  return MadeJob{*std::move(record), made->replayed};
}

core::Result<JobRecord> Jobs::Find(std::int64_t id) const {
  return store_.queue().FindJob(id);
}

std::vector<JobRecord> Jobs::List(const JobFilter& filter) const {
  return store_.queue().ListJobs(filter);
}

QueueState Jobs::State() const {
  return store_.queue().ReadQueue();
}

std::optional<double> SecondsToEmpty(const QueueOfTarget& queue) {
  if (queue.shapes == 0 || queue.done_shapes == 0 || !queue.done_within) return std::nullopt;
  return *queue.done_within / static_cast<double>(queue.done_shapes) *
         static_cast<double>(queue.shapes);
}

core::Result<JobRecord> Jobs::Retry(std::int64_t id, const store::Writer& by) {
  return store_.queue().Retry(id, by);
}

}  // namespace tunehub::service
