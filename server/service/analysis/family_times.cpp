#include "server/service/analysis/family_times.h"

#include <algorithm>

#include "core/row/key.h"
#include "core/table/table_writer.h"
#include "server/store/analysis/times.h"

namespace tunehub::service {

std::shared_ptr<const FamilyTimes> TimeTables::Get(const core::Family& family) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const FamilyTimes>& known = known_[definitions_.Id(family)];
  try {
    const core::Pin writes = store_.revisions().ReadHeads().writes;
    if (known == nullptr || known->writes != writes) known = Read(family, writes);
  } catch (const store::Unavailable&) {
    if (known == nullptr) throw;
  }
  return known;
}

std::shared_ptr<const FamilyTimes> TimeTables::Read(const core::Family& family,
                                                    const core::Pin& writes) {
  const std::int16_t id = definitions_.Id(family);
  auto times = std::make_shared<FamilyTimes>();
  times->writes = writes;
  std::string scratch;
  core::Hash128 key;
  for (store::TimeRecord& record :
       store_.measurements().ReadTimes(id, family.engine != core::kNoColumn)) {
    const auto version = versions_.Get(id, record.family_version);
    if (version->source != family.source) {
      auto row = Reread(*version, family, definitions_.targets, record.line);
      if (!row) continue;
      record.line = std::move(row->line);
    }
    CandidateTime candidate{std::move(record.line), {}, record.us, record.is_default};
    core::AppendCandidateText(candidate.identity, family, core::SplitLine(candidate.line, scratch));
    if (times->keys.empty() || record.key != key) {
      times->keys.push_back({std::move(record.gfx), record.cu_num, {}, {}});
      key = record.key;
    }
    auto& held = times->keys.back();
    if (record.won) {
      held.campaign = std::move(record.campaign);
      held.candidates.insert(held.candidates.begin(), std::move(candidate));
    } else {
      held.candidates.push_back(std::move(candidate));
    }
  }
  return times;
}

}  // namespace tunehub::service
