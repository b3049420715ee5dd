#include "server/service/analysis/comparisons.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <utility>

#include "core/base/hash128.h"
#include "core/row/key.h"
#include "core/table/table_writer.h"
#include "server/service/analysis/kernel_name.h"
#include "server/store/analysis/times.h"

namespace tunehub::service {
namespace {

constexpr std::size_t kComparisonBytes = 24 * 1024 * 1024;  // of some 150,000 keys

void ReadShape(const core::Family& family, const core::Cells& cells, analysis::NamedViews& shape) {
  shape.clear();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const core::Column& column = family.columns[i];
    const bool tag = column.role == core::Role::kTag && !cells[i].empty();
    if (column.is_shape() || tag) shape.emplace_back(column.name, cells[i]);
  }
}

std::vector<std::int64_t> IdsOf(const std::vector<store::RunRecord>& runs) {
  std::vector<std::int64_t> ids;
  for (const auto& run : runs) ids.push_back(run.id);
  return ids;
}

// Adds one row after the other to a side.
class SideReader {
 public:
  SideReader(const Definitions& definitions, FamilyVersions& versions, const CompareQuery& query,
             analysis::Side& side)
      : definitions_(definitions), versions_(versions), query_(query), side_(side) {
    for (const core::Family* family : query.families) {
      const std::int16_t id = definitions.Id(*family);
      families_[id] = family;
      versions.Learn(id);
    }
  }

  std::vector<std::int16_t> Families() const {
    std::vector<std::int16_t> ids;
    for (const core::Family* family : query_.families) ids.push_back(definitions_.Id(*family));
    return ids;
  }

  // False: there are too many.
  bool Add(const store::RunTimeRecord& record) {
    if (!query_.target.Includes(record.gfx, record.cu_num)) return true;
    if (record.family != id_ || record.family_version != version_) Enter(record);
    std::string_view line = record.line;
    std::optional<core::Row> row;
    if (stored_->source != family_->source) {
      row = Reread(*stored_, *family_, definitions_.targets, line);
      if (!row) return true;
      line = row->line;
    }
    const core::Cells cells = core::SplitLine(line, scratch_);
    ReadShape(*family_, cells, shape_);
    candidate_.clear();
    core::AppendCandidateText(candidate_, *family_, cells);
    target_.clear();
    if (query_.families.size() > 1) target_.append(family_->name).push_back(' ');
    target_.append(record.gfx).append(":").append(std::to_string(record.cu_num));
    auto& timing = side_.At(target_, shape_, candidate_, KernelOf(*family_, cells));
    const bool timed = record.standing == core::Standing::kMeasured && std::isfinite(record.us);
    if (timed) timing.runs.push_back(record.us);
    return side_.timings().size() <= kMostCompared;
  }

 private:
  // Rows come by family, and mostly by version.
  void Enter(const store::RunTimeRecord& record) {
    id_ = record.family;
    version_ = record.family_version;
    family_ = families_.at(id_);
    stored_ = versions_.Get(id_, version_);
  }

  const Definitions& definitions_;
  FamilyVersions& versions_;
  const CompareQuery& query_;
  analysis::Side& side_;
  std::map<std::int16_t, const core::Family*> families_;
  std::int16_t id_ = 0;
  int version_ = -1;
  const core::Family* family_ = nullptr;
  std::shared_ptr<const core::Family> stored_;
  std::string scratch_, candidate_, target_;
  analysis::NamedViews shape_;
};

}  // namespace

// What follows from the key alone, and takes as long to find out as a comparison, is kept, too.
Comparisons::Comparisons(const Definitions& definitions, store::Store& store,
                         FamilyVersions& versions)
    : definitions_(definitions),
      store_(store),
      versions_(versions),
      kept_(kComparisonBytes, {"no_common_key", "too_many_compared"}) {}

core::Result<analysis::Side> Comparisons::ReadSide(const Runs& runs, const CompareQuery& query) {
  analysis::Side side;
  AddEnvironment(runs, side);
  SideReader reader(definitions_, versions_, query, side);
  store_.measurements().VisitRunTimes(
      reader.Families(), IdsOf(runs),
      [&](const store::RunTimeRecord& record) { return reader.Add(record); });
  if (side.timings().size() <= kMostCompared) return side;
  return core::Error{
      "too_many_compared",
      fmt::format("a side has more than {} candidates on their keys: name a family, a target, or "
                  "fewer runs",
                  kMostCompared)};
}

core::Result<analysis::Comparison> Comparisons::Make(const Runs& base, const Runs& head,
                                                     const CompareQuery& query) {
  const auto first = ReadSide(base, query);
  if (!first.ok()) return first.error();
  if (IdsOf(base) == IdsOf(head)) return analysis::Compare(*first, *first, query.limits);
  const auto second = ReadSide(head, query);
  if (!second.ok()) return second.error();
  return analysis::Compare(*first, *second, query.limits);
}

std::string Comparisons::KeyOf(const Runs& base, const Runs& head, const CompareQuery& query) {
  std::string text;
  std::vector<std::int64_t> ids;
  for (const Runs* runs : {&base, &head}) {
    for (const auto& run : *runs) {
      ids.push_back(run.id);
      text += fmt::format("{} {} {} {}\n", run.id, run.hash.Uuid(), run.rows, run.provenance);
    }
    text += "\n";
  }
  for (const core::Family* family : query.families) text += family->name + " ";
  const analysis::CompareLimits& limits = query.limits;
  text += fmt::format("\n{}:{} {} {} {} {}\n", query.target.gfx, query.target.cu_num,
                      limits.ignore_below_us, limits.ratio, limits.slack_us, limits.spread);
  text += store_.measurements().RunStamp(ids);
  return core::HashOf(text).Uuid();
}

core::Result<Comparisons::Comparison> Comparisons::Get(const CompareQuery& query) {
  const auto base = FindRuns(store_, query.base);
  if (!base.ok()) return base.error();
  const auto head = FindRuns(store_, query.head);
  if (!head.ok()) return head.error();
  const std::string key = KeyOf(*base, *head, query);
  bool is_made = false;
  auto answer = kept_.Get(key, [&] {
    is_made = true;
    return Make(*base, *head, query);
  });
  // It may be of rows that came meanwhile. Were those lost in a failover, the key would come again.
  if (is_made && KeyOf(*base, *head, query) != key) kept_.Forget(key);
  return answer;
}

}  // namespace tunehub::service
