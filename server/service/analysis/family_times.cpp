#include "server/service/analysis/family_times.h"

#include "server/store/analysis/times.h"

namespace tunehub::service {

void TimeTables::ForEachLoser(const core::Family& family, store::TimesWanted wanted,
                              const std::function<void(const store::TimeRecord&)>& visit) {
  const std::int16_t id = definitions_.Id(family);
  wanted.engine_says = family.engine != core::kNoColumn;
  versions_.Learn(id);
  store_.measurements().VisitTimes(id, wanted, [&](store::TimeRecord& record) {
    if (record.won) return;
    const auto version = versions_.Get(id, record.family_version);
    if (version->source != family.source) {
      auto row = Reread(*version, family, definitions_.targets, record.line);
      if (!row) return;
      record.line = std::move(row->line);
    }
    visit(record);
  });
}

void TimeTables::ForEachChoice(const core::Family& family,
                               const std::vector<core::Hash128>& candidates,
                               const store::VisitChoice& visit) {
  store_.measurements().VisitChoiceTimes(definitions_.Id(family), family.engine != core::kNoColumn,
                                         candidates, visit);
}

bool TimeTables::HasSeveral(const core::Family& family, const std::string& gfx, int cu_num) {
  return store_.measurements().HasSeveral(definitions_.Id(family), gfx, cu_num);
}

}  // namespace tunehub::service
