// A row's cells as JSON: what pandas, and so AITER's lookup, would make of them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/row/row.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

std::string Cell(const char* family, const char* column, std::string_view cell) {
  const Family& of = test::ShippedFamily(family);
  return CellJson(of.columns[of.Find(column)], cell).dump();
}

TEST(RowJson, a_kernel_called_null_is_a_text) {
  EXPECT_EQ(Cell("fmoe", "kernelName2", "Null"), "\"Null\"");
  EXPECT_EQ(Cell("grouped_fmoe", "kernelName2", "Null"), "\"Null\"");
}

TEST(RowJson, what_pandas_reads_as_nothing_is_null) {
  for (const char* const cell : {"", "nan", "None", "NULL", "null", "N/A"}) {
    EXPECT_EQ(Cell("fmoe", "kernelName2", cell), "null") << cell;
  }
  EXPECT_EQ(Cell("fmoe", "us1", "Null"), "null") << "no number";
}

}  // namespace
}  // namespace tunehub::core
