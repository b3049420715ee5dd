// The JSON bodies of POST /results and POST /runs.
#include "server/ingest/runs.h"
#include "server/ingest/submission.h"
#include "tests/fuzz/target.h"
#include "tests/support/shipped.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const std::string_view body = fuzz::TextOf(data, size);
  for (const auto& family : test::ShippedFamilies().all()) {
    const auto rows = server::ReadJsonRows(*family, body);
    if (!rows.ok()) continue;
    fuzz::Hold(rows->given.size() == family->columns.size(), "each column is given or not");
    for (const server::JsonRow& row : rows->rows)
      fuzz::Hold(row.cells.size() == family->columns.size(), "a row has a cell for each column");
  }
  (void)server::ReadRun(body);
  return 0;
}
