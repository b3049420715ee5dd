#include "server/service/queue/demand.h"

#include <nlohmann/json.hpp>

#include "server/service/queue/demand_fold.h"
#include "server/service/queue/shapes_body.h"
#include "server/service/registry/issues.h"

namespace tunehub::service {
namespace {

using Json = nlohmann::ordered_json;

std::string RenderReceipt(const core::Family& family, const core::UntunedTable& table,
                          std::size_t shapes, std::size_t is_new, bool dry_run) {
  std::int64_t count = 0;
  for (const core::UntunedRow& row : table.rows) count += row.count;
  std::vector<core::RowIssue> listed = table.rejected;
  if (listed.size() > kMaxListed) listed.resize(kMaxListed);
  const Json json = {{"family", family.name},
                     {"dry_run", dry_run},
                     {"rows", table.rows.size() + table.rejected.size()},
                     {"accepted", table.rows.size()},
                     {"shapes", shapes},
                     {"new", is_new},
                     {"count", count},
                     {"rejected_count", table.rejected.size()},
                     {"rejected", IssuesJson(listed)}};
  return json.dump();
}

}  // namespace

WriteAnswer Demand::Post(const core::Family& family, std::string_view body, BodyFormat format,
                         const core::Target& target, const WriteRequest& write) {
  if (const auto within = CheckFamily(write, family.name); !within.ok())
    return Refuse(within.error());
  const auto table = ReadShapesBody(family, body, format, target);
  if (!table.ok()) return Refuse(table.error());
  for (const core::UntunedRow& row : table->rows) {
    const auto within = CheckTarget(write, row.target.gfx, row.target.cu_num);
    if (!within.ok()) return Refuse(within.error());
  }
  if (write.atomic && !table->rejected.empty()) return RefuseRejected(table->rejected);
  const auto rows = FoldDemand(family, definitions_.Id(family), table->rows);
  auto outcome = store_.queue().AddDemand(write, rows, [&](std::size_t is_new) {
    return RenderReceipt(family, *table, rows.size(), is_new, write.dry_run);
  });
  if (!outcome.ok()) return Refuse(outcome.error());
  return Answered(*std::move(outcome));
}

std::vector<DemandRecord> Demand::List(const DemandFilter& filter) const {
  return store_.queue().ListDemand(filter);
}

MissingPage Demand::ListMissing(DemandFilter filter) const {
  return Missing(store_, snapshots_).Page(std::move(filter));
}

std::vector<core::ShapeDemand> Demand::Untuned(const core::Family& family,
                                               const core::Target& target, bool raw,
                                               std::size_t limit) {
  const auto demand = store_.queue().ReadDemand(definitions_.Id(family), target.gfx, target.cu_num);
  auto shapes = MostMissedFirst(UntunedDemand(*snapshots_.Current(family), demand, target, raw));
  if (shapes.size() > limit) shapes.resize(limit);
  return shapes;
}

}  // namespace tunehub::service
