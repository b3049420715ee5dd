// The standing of every row of AITER's real tables, by plain rules that are said again here.
// tests/e2e/tables/aiter_merge.py has AITER's merge of them.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/table/tuned_table.h"
#include "tests/support/aiter_merge.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::AiterRow;

// What the row says, by plain rules; the rules themselves are restated, not called.
enum class Kind { kMeasured, kUnmeasured, kQuarantined };

double LargestError(const Family& family, const AiterRow& row) {
  double largest = 0;
  for (std::size_t i : family.error_columns) {
    const double error = row.Number(family.columns[i].name);
    if (error > largest) largest = error;
  }
  return largest;
}

double Flop(const AiterRow& row) {
  const auto at = [&](const char* column) { return row.Number(column); };
  if (row.cells.contains("token")) {
    const double columns = (row.At("use_g1u1") == "1" ? 3 : 2) * at("inter_dim");
    return 2 * at("token") * at("topk") * at("model_dim") * columns;
  }
  return 2 * at("M") * at("N") * at("K") * (row.cells.contains("B") ? at("B") : 1);
}

bool IsImplausible(const Family& family, const AiterRow& row) {
  if (family.metric.formula == "none" || !row.cells.contains("cu_num")) return row.Number("us") < 1;
  std::string_view precision = family.metric.precision;
  if (family.metric.precision_column != kNoColumn) {
    precision = PrecisionOfDtype(row.cells.at(family.columns[family.metric.precision_column].name));
  }
  const auto peak = test::ShippedTargets().PeakTflops(
      row.At("gfx"), static_cast<int>(row.Number("cu_num")), precision);
  const double us = row.Number("us");
  return us < 1 || (peak && us < 0.8 * Flop(row) / *peak / 1e6);
}

Kind KindOf(const Family& family, const AiterRow& row) {
  // Shifted: the field that is missing is not the tag, which is empty.
  if (row.ragged && row.At("bw").empty()) return Kind::kQuarantined;
  if (LargestError(family, row) > family.error_limit || row.Number("us") < 0) {
    return Kind::kQuarantined;
  }
  if (family.objective == kNoColumn) return Kind::kMeasured;
  const double us = row.Number("us");
  const bool placeholder = us == 1 && row.Number("tflops") == 0;
  const bool believed = us > 0 && std::isfinite(us) && !placeholder && !IsImplausible(family, row);
  return believed ? Kind::kMeasured : Kind::kUnmeasured;
}

std::vector<std::string> TextsOf(const Family& family) {
  std::vector<std::string> texts;
  for (const auto& file : test::AiterFilesOf(family)) texts.push_back(test::ReadText(file));
  return texts;
}

std::string_view Told(Kind kind) {
  return kind == Kind::kMeasured     ? "measured"
         : kind == Kind::kUnmeasured ? "unmeasured"
                                     : "quarantined";
}

TEST(RealMerge, every_row_has_the_plainly_stated_standing) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  for (const auto& family : test::AiterFamilies()) {
    std::map<std::string, int> reasons;
    for (const std::string& text : TextsOf(*family)) {
      const auto rows = test::AiterRows({text});
      const auto table = ReadTunedTable(*family, test::ShippedTargets(), text);
      ASSERT_TRUE(table.ok() && table->rows.size() == rows.size()) << family->name;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = table->rows[i];
        const std::string_view standing =
            row.standing == Standing::kDeclared ? "measured" : Name(row.standing);
        ASSERT_EQ(standing, Told(KindOf(*family, rows[i]))) << row.line << '\n' << row.reason;
        if (!row.reason.empty()) ++reasons[row.reason.substr(0, row.reason.find(':'))];
      }
    }
    for (const auto& [reason, count] : reasons) {
      std::printf("%-32s %s: %d\n", family->name.c_str(), reason.c_str(), count);
    }
  }
}

}  // namespace
}  // namespace tunehub::core
