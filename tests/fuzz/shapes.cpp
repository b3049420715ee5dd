// Shapes that a client sends for jobs or as demand, and shapes as jobs store them. They must be the
// same after storing and reading. Each text about a shape must be valid in JSON.
#include "server/answers/shapes.h"

#include "tests/fuzz/json_text.h"
#include "tests/fuzz/target.h"
#include "tests/support/shipped.h"

namespace tunehub::fuzz {
namespace {

void HoldStored(const core::Family& family, const std::vector<core::FamilyShape>& shapes) {
  const std::string stored = server::StoredShapes(family, shapes);
  Hold(server::ReadStoredShapes(family, stored) == shapes, "shapes are read again the same");
}

void ReadBody(const core::Family& family, std::string_view body, server::BodyFormat format) {
  const auto table =
      server::ReadShapesBody(test::ShippedTargets(), family, body, format, {"gfx942", 304});
  if (!table.ok()) return;
  std::vector<core::FamilyShape> shapes;
  for (const core::UntunedRow& row : table->rows) {
    Hold(row.shape.cells.size() == family.columns.size(), "a cell for each column");
    shapes.push_back(row.shape);
  }
  HoldStored(family, shapes);
  for (const core::RowIssue& issue : table->rejected) {
    HoldSent(issue.column);
    HoldSent(issue.detail);
  }
}

}  // namespace
}  // namespace tunehub::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const std::string_view body = fuzz::TextOf(data, size);
  for (const auto& family : test::ShippedFamilies().all()) {
    fuzz::ReadBody(*family, body, server::BodyFormat::kJson);
    fuzz::ReadBody(*family, body, server::BodyFormat::kCsv);
    fuzz::HoldStored(*family, server::ReadStoredShapes(*family, std::string(body)));
  }
  return 0;
}
