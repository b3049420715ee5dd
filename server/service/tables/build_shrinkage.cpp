#include "server/service/tables/build_shrinkage.h"

#include <fmt/core.h>

#include "core/builds/build_fit.h"
#include "core/table/table_writer.h"

namespace tunehub::service {
namespace {

// One of so many rows, as of the keys of an import.
constexpr std::size_t kBuildShrinkShare = 10;

}  // namespace

core::Status CheckBuildShrinkage(const Definitions& definitions, const SnapshotSet& set,
                                 const std::string& name, const core::Manifest& before,
                                 const core::Manifest& after) {
  for (const auto& family : definitions.families.all()) {
    const core::BuildFit now(*family, before), then(*family, after);
    std::size_t held = 0, going = 0;
    std::string scratch;
    for (const auto& row : set.families.at(definitions.Id(*family))->rows) {
      const core::Cells cells = core::SplitLine(row->line, scratch);
      if (!now.Runs(cells)) continue;
      ++held;
      if (!then.Runs(cells)) ++going;
    }
    if (going * kBuildShrinkShare <= held) continue;
    return core::Error{
        "would_shrink",
        fmt::format("build '{}' runs {} rows of {}, and {} of them would no longer be served, more "
                    "than a tenth; nothing was stored; where that is meant, a key of scope admin "
                    "says allow_shrink=1",
                    name, held, family->name, going)};
  }
  return core::Ok();
}

}  // namespace tunehub::service
