// The JSON bodies of POST /results and POST /runs.
#include "server/service/ingest/json_rows.h"
#include "server/service/ingest/run_description.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/oracle.h"
#include "tests/support/shipped.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const std::string_view body = fuzz::TextOf(data, size);
  for (const auto& family : test::ShippedFamilies().all()) {
    const auto rows = service::ReadJsonRows(*family, body);
    if (!rows.ok()) continue;
    fuzz::Hold(rows->given.size() == family->columns.size(), "each column is given or not");
    for (const service::JsonRow& row : rows->rows)
      fuzz::Hold(row.cells.size() == family->columns.size(), "a row has a cell for each column");
  }
  (void)service::ReadRun(body);
  return 0;
}
