#include "tests/support/batch.h"

#include "core/table/tuned_table.h"
#include "server/ingest/staged_rows.h"

namespace tunehub::test {

Batch::Batch(Registry& registry, const std::string& csv, std::int64_t run) {
  const core::Family& family = registry.family();
  const auto table = core::ReadTunedTable(family, registry.definitions.targets, csv);
  const std::int16_t id = registry.definitions.Id(family);
  for (const core::Row& row : table->rows)
    rows.push_back({row, server::Provider::kAiter, id, 0, "", false, false});
  rows = server::Fold(std::move(rows), 1).rows;
  request.write.digest = "of the test's own";
  request.run = run;
  request.families[id] = family.Sha256();
  request.targets_sha256 = registry.definitions.targets.Sha256();
  request.rows = &rows;
  request.render = [](const auto&, const auto&) { return std::string("{}"); };
}

}  // namespace tunehub::test
