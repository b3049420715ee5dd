#include "tests/db/filled_registry.h"

#include "server/insight/trends.h"
#include "tests/db/days.h"
#include "tests/support/registry.h"
#include "tests/support/test_cluster.h"

namespace tunehub {
namespace {

void MakePoints(test::Registry& registry) {
  registry.snapshots.Refresh();
  server::DispatchTables tables(registry.definitions, registry.snapshots);
  server::Trends trends(registry.definitions, registry.pool, registry.snapshots, registry.versions,
                        tables);
  while (trends.keeper().MakeNext()) continue;
}

void FillEverything(test::Registry& registry) {
  const auto first = registry.NewRun(kDay1);
  registry.Send(test::Csv({{}, {.m = 32}, {.m = 64, .us = "0"}, {.m = 80}}), {.run = first});
  registry.Import(
      "tree", {{test::kTreeFile, test::Csv({{.kernel = "b", .us = "8"}, {.m = 96}, {.m = 112}})}});
  registry.Import(
      "tree", {{test::kTreeFile, test::Csv({{.kernel = "b", .us = "8"}, {.m = 96, .us = "9"}})}});
  registry.Send(test::Csv({{.kernel = "c", .us = "5"}, {.m = 32, .kernel = "c", .us = "20"}}));
  registry.Send(test::Csv({{.kernel = "c", .us = "5", .error = "0.9"}, {.m = 48, .us = "inf"}}));
  registry.Send(test::Csv({{.us = "5"}}), {}, "a8w8_blockscale_bpreshuffle");
  ASSERT_TRUE(server::RevertRun(registry.pool, first, {}).ok());
  registry.Send(test::Csv({{.m = 80, .us = "4"}}));
  for (int revision = 1; revision < registry.Revision(); ++revision) {
    registry.Table("allow_empty=1&revision=" + std::to_string(revision));
  }
  MakePoints(registry);
}

}  // namespace

std::string FilledDatabase() {
  static const std::string base = [] {
    const std::string url = test::RegistryDatabase();
    test::Registry registry(url);
    FillEverything(registry);
    return test::DatabaseName(url);
  }();
  return test::SharedCluster().NewDatabase(base);
}

}  // namespace tunehub
