// A tuned table that anybody may send. Competing rows must be the same after writing and reading.
#include "core/table/detect.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "tests/fuzz/target.h"
#include "tests/support/shipped.h"

namespace tunehub::fuzz {
namespace {

std::vector<std::string> LinesOf(const core::TunedTable& table) {
  std::vector<std::string> lines;
  for (const core::Row& row : table.rows)
    if (core::Competes(row.standing)) lines.push_back(row.line);
  return lines;
}

void ReadAndWrite(const core::Family& family, std::string_view csv) {
  const auto table = core::ReadTunedTable(family, test::ShippedTargets(), csv);
  if (!table.ok()) return;
  const std::vector<std::string> lines = LinesOf(*table);
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  const auto again =
      core::ReadTunedTable(family, test::ShippedTargets(), core::WriteTable(family, views));
  Hold(again.ok(), "a table that was written is read");
  Hold(again->rejected.empty(),
       "no row of it is rejected: " +
           (again->rejected.empty() ? "" : again->rejected[0].code + again->rejected[0].detail));
  Hold(LinesOf(*again) == lines, "it has the same lines");
}

}  // namespace
}  // namespace tunehub::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const std::string_view csv = fuzz::TextOf(data, size);
  const auto family = core::DetectFamily(test::ShippedFamilies(), "", csv);
  fuzz::ReadAndWrite(family.ok() ? **family : test::ShippedFamily("a8w8_blockscale"), csv);
  return 0;
}
