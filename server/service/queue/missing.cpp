#include "server/service/queue/missing.h"

#include <nlohmann/json.hpp>
#include <set>

#include "server/service/queue/shape_json.h"
#include "server/service/queue/untuned_demand.h"

namespace tunehub::service {
namespace {

// Records read at once, and for one page: where more of the demand is met, the page is short.
constexpr std::size_t kReadAtOnce = 500, kMostRead = 20'000;

bool Fits(const core::Target& target, const store::DemandRecord& record) {
  return (record.gfx.empty() || record.gfx == target.gfx) &&
         (record.cu_num == 0 || target.cu_num == 0 || record.cu_num == target.cu_num);
}

std::vector<core::Target> TargetsFor(const FamilySnapshot& snapshot,
                                     const store::DemandRecord& record) {
  const bool counted = snapshot.family->cu_num != core::kNoColumn;
  if (!record.gfx.empty() && !counted) return {{record.gfx, 0}};
  if (!record.gfx.empty() && record.cu_num > 0) return {{record.gfx, record.cu_num}};
  std::set<std::pair<std::string, int>> seen;
  std::vector<core::Target> targets;
  for (const auto& row : snapshot.rows) {
    const core::Target target{row->gfx, row->cu_num};
    if (Fits(target, record) && seen.emplace(row->gfx, row->cu_num).second) {
      targets.push_back(target);
    }
  }
  return targets;
}

}  // namespace

bool Missing::IsMet(const store::DemandRecord& record, const core::FamilyShape& shape,
                    const core::FamilyShape& usable) const {
  const auto snapshot = snapshots_.Current()->families.at(record.family);
  for (const core::Target& target : TargetsFor(*snapshot, record)) {
    if (IsTuned(*snapshot, shape, target) || IsTuned(*snapshot, usable, target)) return true;
  }
  return false;
}

MissingPage Missing::Page(store::DemandFilter filter) const {
  const std::size_t limit = filter.limit;
  filter.limit = kReadAtOnce;
  MissingPage page;
  for (std::size_t read = 0; read < kMostRead; read += kReadAtOnce) {
    auto records = store_.queue().ListDemand(filter);
    const bool last = records.size() < kReadAtOnce;
    for (store::DemandRecord& record : records) {
      filter.after = {record.count, record.id};
      const core::Family& family = *snapshots_.Current()->families.at(record.family)->family;
      auto shapes = ReadStoredShapes(family, "[" + record.shape + "]");
      if (shapes.empty()) continue;  // of an older family file
      core::FamilyShape usable = ForLookup(family, shapes.front());
      if (IsMet(record, shapes.front(), usable)) continue;
      page.shapes.push_back({std::move(record), std::move(usable), std::nullopt});
      if (page.shapes.size() < limit) continue;
      page.next = filter.after;
      AddJobs(page);
      return page;
    }
    page.next = last ? std::nullopt : filter.after;
    if (last) break;
  }
  AddJobs(page);
  return page;
}

void Missing::AddJobs(MissingPage& page) const {
  nlohmann::ordered_json shapes = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < page.shapes.size(); ++i) {
    const MissingShape& it = page.shapes[i];
    if (it.record.gfx.empty()) continue;
    const core::Family& family = *snapshots_.Current()->families.at(it.record.family)->family;
    shapes.push_back({{"place", i},
                      {"family", it.record.family},
                      {"gfx", it.record.gfx},
                      {"cu_num", it.record.cu_num},
                      {"shape", ShapeJson(family, it.to_tune)}});
  }
  if (shapes.empty()) return;
  for (auto& [place, job] : store_.queue().FindOpenJobs(shapes.dump())) {
    page.shapes.at(place).job = std::move(job);
  }
}

}  // namespace tunehub::service
