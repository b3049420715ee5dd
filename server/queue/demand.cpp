#include "server/queue/demand.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/misses/miss_log.h"
#include "core/shapes/shape.h"
#include "server/answers/issues.h"
#include "server/answers/shapes.h"
#include "server/queue/planner.h"

namespace tunehub::server {
namespace {

// Folds untuned rows to one database row for each shape and target, with the sum of the counts, in
// the order of their hashes. The shape has the M of LookupShape.
std::vector<DemandRow> FoldDemand(const core::Family& family, std::int16_t id,
                                  const std::vector<core::UntunedRow>& rows) {
  std::map<core::Hash128, DemandRow> folded;
  for (const core::UntunedRow& row : rows) {
    const core::FamilyShape shape = core::LookupShape(family, row.shape);
    const core::Hash128 hash = RowKeyOf(family, shape, row.target);
    const auto [entry, is_new] = folded.try_emplace(hash);
    DemandRow& demand = entry->second;
    if (is_new) {
      demand = {hash,
                id,
                row.target.gfx,
                family.CuNumOf(row.target.cu_num),
                ShapeJson(family, shape).dump(),
                0};
    }
    demand.count += row.count;
  }
  std::vector<DemandRow> out;
  for (auto& [hash, demand] : folded) out.push_back(std::move(demand));
  return out;
}

// Errors: key_limited.
core::Status CheckRows(const Writer& writer, const core::Family& family,
                       const std::vector<core::UntunedRow>& rows) {
  if (auto within = CheckFamily(writer, family.name); !within.ok()) return within;
  for (const core::UntunedRow& row : rows) {
    auto within = CheckTarget(writer, row.target.gfx, row.target.cu_num);
    if (!within.ok()) return within;
  }
  return core::Ok();
}

using Json = nlohmann::ordered_json;

std::string RenderReceipt(const core::Family& family, const core::UntunedTable& table,
                          std::size_t shapes, std::size_t is_new, bool dry_run) {
  std::int64_t count = 0;
  for (const core::UntunedRow& row : table.rows) count += row.count;
  const Json json = {{"family", family.name},
                     {"dry_run", dry_run},
                     {"rows", table.rows.size() + table.rejected.size()},
                     {"accepted", table.rows.size()},
                     {"shapes", shapes},
                     {"new", is_new},
                     {"count", count},
                     {"rejected_count", table.rejected.size()},
                     {"rejected", IssuesJson(table.rejected)}};
  return json.dump();
}

}  // namespace

WriteAnswer Demand::Post(const core::Family& family, std::string_view body, BodyFormat format,
                         const core::Target& target, const WriteRequest& write) {
  if (const auto within = CheckFamily(write, family.name); !within.ok())
    return Refuse(within.error());
  const auto table = ReadShapesBody(definitions_.targets, family, body, format, target);
  if (!table.ok()) return Refuse(table.error());
  if (const auto within = CheckRows(write, family, table->rows); !within.ok())
    return Refuse(within.error());
  if (write.atomic && !table->rejected.empty()) return RefuseRejected(table->rejected);
  const auto rows = FoldDemand(family, definitions_.Id(family), table->rows);
  return Answered(store.AddDemand(write, rows, [&](std::size_t is_new) {
    return RenderReceipt(family, *table, rows.size(), is_new, write.dry_run);
  }));
}

std::vector<core::ShapeDemand> Demand::Untuned(const core::Family& family,
                                               const core::Target& target, std::size_t limit) {
  const auto demand = store.ReadDemand(definitions_.Id(family), target.gfx, target.cu_num);
  auto shapes = MostMissedFirst(UntunedDemand(*snapshots_.Current(family), demand, target));
  if (shapes.size() > limit) shapes.resize(limit);
  return shapes;
}

namespace {

// One family's misses in a log.
struct Part {
  std::vector<core::UntunedRow> rows;
  std::size_t shapes = 0;
  std::int64_t count = 0;
  std::size_t rejected = 0;
};
using Parts = std::map<const core::Family*, Part>;

// Returns nothing if the family cannot have the shape, because the log is from a newer AITER.
std::optional<core::UntunedRow> RowOf(const core::MissShape& miss) {
  const auto target = core::ParseDemandTarget(miss.gfx, miss.cu_num);
  if (!target.ok()) return std::nullopt;
  core::UntunedRow row;
  row.target = *target;
  row.count = static_cast<std::int64_t>(
      std::min<std::uint64_t>(miss.count, static_cast<std::uint64_t>(core::kMaxRowCount)));
  auto shape = core::ShapeOfUntuned(*miss.family, row.target.gfx, miss.cells);
  if (!shape) return std::nullopt;
  row.shape = *std::move(shape);
  return row;
}

Parts Sort(const std::vector<core::MissShape>& misses) {
  Parts parts;
  for (const core::MissShape& miss : misses) {
    Part& part = parts[miss.family];
    auto row = RowOf(miss);
    if (!row) {
      ++part.rejected;
      continue;
    }
    part.count += row->count;
    part.rows.push_back(*std::move(row));
  }
  return parts;
}

std::string RenderLogReceipt(const core::MissCounts& counts, const Parts& parts, std::size_t is_new,
                             bool dry_run) {
  Json json = {{"dry_run", dry_run},
               {"lines", counts.lines},
               {"misses", counts.misses},
               {"unread", counts.unread},
               {"unnamed", counts.unnamed},
               {"dropped", counts.dropped},
               {"overlong", counts.overlong},
               {"misnamed", counts.misnamed},
               {"known", counts.known},
               {"fragments", counts.fragments},
               {"new", is_new},
               {"families", Json::object()}};
  for (const auto& [family, part] : parts) {
    json["families"][family->name] = {
        {"shapes", part.shapes}, {"count", part.count}, {"rejected_count", part.rejected}};
  }
  return json.dump();
}

}  // namespace

WriteAnswer Demand::PostLogs(std::string_view log, const core::Target& target,
                             const WriteRequest& write) {
  if (const auto text = core::CheckLogBytes(log, true, "the body"); !text.ok())
    return Refuse(text.error());
  core::MissLog reader(definitions_.families,
                       {.gfx = target.gfx,
                        .cu_num = target.cu_num > 0 ? std::to_string(target.cu_num) : "",
                        .max_shapes = kMaxDemandRows,
                        .files = core::FileLinesOf(definitions_.readers)});
  reader.Feed(log);
  reader.Finish();
  Parts parts = Sort(core::AllMissShapes(definitions_.families, definitions_.targets,
                                         reader.Shapes(), reader.Files()));
  std::vector<DemandRow> rows;
  for (auto& [family, part] : parts) {
    if (const auto within = CheckRows(write, *family, part.rows); !within.ok())
      return Refuse(within.error());
    auto folded = FoldDemand(*family, definitions_.Id(*family), part.rows);
    part.shapes = folded.size();
    std::ranges::move(folded, std::back_inserter(rows));
  }
  return Answered(store.AddDemand(write, rows, [&](std::size_t is_new) {
    return RenderLogReceipt(reader.counts(), parts, is_new, write.dry_run);
  }));
}

namespace {

// The number of records per query, and the most records per page. A page is short if most of its
// records are tuned.
constexpr std::size_t kReadAtOnce = 500, kMostRead = 20'000;

bool Fits(const core::Target& target, const DemandRecord& record) {
  return (record.gfx.empty() || record.gfx == target.gfx) &&
         (record.cu_num == 0 || target.cu_num == 0 || record.cu_num == target.cu_num);
}

std::vector<core::Target> TargetsFor(const FamilySnapshot& snapshot, const DemandRecord& record) {
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

// Absent if the record's shape is tuned.
std::optional<MissingShape> MissingOf(const FamilySnapshot& snapshot, DemandRecord record) {
  auto shapes = ReadStoredShapes(*snapshot.family, "[" + record.shape + "]");
  if (shapes.empty()) return std::nullopt;  // the record is from an older family file
  for (const core::Target& target : TargetsFor(snapshot, record)) {
    if (IsTuned(snapshot, shapes.front(), target)) return std::nullopt;
  }
  return MissingShape{snapshot.family, std::move(record), std::move(shapes.front()), std::nullopt};
}

void AddOpenJobs(ConnectionPool& pool, std::vector<MissingShape>& missing) {
  Json shapes = Json::array();
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const MissingShape& it = missing[i];
    if (it.record.gfx.empty()) continue;
    shapes.push_back({{"place", i},
                      {"family", it.record.family},
                      {"gfx", it.record.gfx},
                      {"cu_num", it.record.cu_num},
                      {"shape", ShapeJson(*it.family, it.to_tune)}});
  }
  if (shapes.empty()) return;
  for (const auto& [place, job] : JobStore(pool).FindOpenJobs(shapes.dump())) {
    missing.at(place).job = job;
  }
}

}  // namespace

MissingPage Demand::ListMissing(DemandFilter filter) {
  const auto set = snapshots_.Current();
  const std::size_t limit = filter.limit;
  filter.limit = kReadAtOnce;
  MissingPage page;
  const auto full = [&] { return page.shapes.size() == limit; };
  bool more = true;  // true: the filter may match more demand
  for (std::size_t read = 0; more && !full() && read < kMostRead; read += kReadAtOnce) {
    auto records = store.ListDemand(filter);
    more = records.size() == kReadAtOnce;
    for (auto record = records.begin(); record != records.end() && !full(); ++record) {
      filter.after = {record->count, record->id};
      const FamilySnapshot& snapshot = *set->families.at(record->family);
      auto missing = MissingOf(snapshot, std::move(*record));
      if (missing) page.shapes.push_back(*std::move(missing));
    }
  }
  if (more || full()) page.next = filter.after;
  AddOpenJobs(pool_, page.shapes);
  return page;
}

}  // namespace tunehub::server
