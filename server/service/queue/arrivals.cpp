#include "server/service/queue/arrivals.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/base/hash128.h"
#include "core/row/key.h"
#include "core/row/row_target.h"
#include "server/service/queue/shape_json.h"
#include "server/service/queue/untuned_demand.h"

namespace tunehub::service {
namespace {

// The key of the row that the shape has on the target.
core::Hash128 KeyOf(const core::Family& family, const core::FamilyShape& shape,
                    const core::Target& target) {
  const std::string cus = std::to_string(target.cu_num);
  core::Cells cells(shape.cells.begin(), shape.cells.end());
  core::PutTarget(family, target.gfx, cus, cells);
  std::string text;
  core::AppendKeyText(text, family, cells);
  return core::HashOf(text);
}

const core::Family* FamilyOf(const Definitions& definitions, std::int16_t id) {
  const auto& families = definitions.families.all();
  const auto found = std::ranges::find_if(
      families, [&](const auto& family) { return definitions.Id(*family) == id; });
  return found == families.end() ? nullptr : found->get();
}

}  // namespace

std::string Arrivals::NotArrived(const store::JobRecord& job, const core::Target& target) const {
  const core::Family* const family = FamilyOf(definitions_, job.family);
  // The job is claimed by now. Whether its results have come is not known then.
  if (family == nullptr || !snapshots_.Reads(*family)) return job.shapes;
  const auto shapes = ReadStoredShapes(*family, job.shapes);
  const auto snapshot = snapshots_.Current(*family);
  const auto tuned = [&](const core::FamilyShape& shape) {
    return IsTuned(*snapshot, shape, target);
  };
  // A new job's shapes are rarely tuned: what is in memory spares the question to the database.
  if (!job.again && std::ranges::none_of(shapes, tuned)) return job.shapes;
  std::vector<core::Hash128> keys;
  for (const core::FamilyShape& shape : shapes) keys.push_back(KeyOf(*family, shape, target));
  const auto arrived = store_.queue().Arrived(job.id, keys);
  if (arrived.empty()) return job.shapes;
  std::vector<core::FamilyShape> rest;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (std::ranges::count(arrived, keys[i]) == 0) rest.push_back(shapes[i]);
  }
  return StoredShapes(*family, rest);
}

std::optional<store::JobRecord> Arrivals::Claim(const store::Claimant& claimant) {
  for (;;) {
    auto job = store_.queue().Claim(claimant);
    if (!job || job->purpose != store::kTune) return job;
    job->shapes = NotArrived(*job, {claimant.gfx, claimant.cu_num});
    if (job->shapes != "[]") return job;
    const auto done = store_.queue().Complete(
        {job->id, claimant.agent, job->epoch, claimant.instance, claimant.owner}, {});
    if (!done.ok()) return std::nullopt;  // somebody was faster: the agent asks again
    spdlog::info("job {} is done: the results of all its shapes have arrived", job->id);
  }
}

}  // namespace tunehub::service
