// Our merge of AITER's real tables beside AITER's own, family by family: the same keys, and the
// same rows but for the classes of difference that are stated here one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "core/merge/merge.h"
#include "core/table/table_writer.h"
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

// A cell in the one text that equal values have: 80 and 80.0, 0.0% and 0.00%, nothing and no tag.
std::string Plain(const AiterRow& row, const std::string& column) {
  if (column == "_tag" && row.At(column) == "0") return "";
  const double number = row.Number(column);
  if (std::isnan(number)) return row.At(column);
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

std::string Plain(const Family& family, const AiterRow& row, bool key_only) {
  std::string out;
  for (const Column& column : family.columns) {
    if (!key_only || column.is_key()) out += Plain(row, column.name) + ",";
  }
  return out;
}

struct Comparison {
  int read = 0, ours = 0, theirs = 0;
  std::map<std::string, int> classes;
};

// Why our row of a key is another one than AITER's (`ours` null: we have none). "": no reason.
std::string Class(const Family& family, const AiterRow& theirs, const AiterRow* ours) {
  const Kind kind = KindOf(family, theirs);
  if (kind == Kind::kQuarantined) return ours == nullptr ? "quarantined, key lost" : "quarantined";
  if (ours == nullptr) return "";
  if (kind == Kind::kUnmeasured && KindOf(family, *ours) == Kind::kMeasured) {
    return "measured over unmeasured";
  }
  if (theirs.Number("us") == ours->Number("us") &&
      LargestError(family, *ours) < LargestError(family, theirs)) {
    return "lower error at an equal time";
  }
  return "";
}

std::vector<std::string> TextsOf(const Family& family) {
  std::vector<std::string> texts;
  for (const auto& file : test::AiterFilesOf(family)) texts.push_back(test::ReadText(file));
  return texts;
}

class RealMerge {
 public:
  RealMerge(const Family& family, std::vector<std::string> texts)
      : family_(family), texts_(std::move(texts)) {
    std::vector<SourceFile> sources;
    for (const std::string& text : texts_) sources.push_back({"", text});
    rows_ = test::AiterRows(texts_);
    theirs_ = test::AiterMerge(rows_, test::AiterKeyColumns(family));
    auto merged = MergeTables(family, test::ShippedTargets(), sources);
    if (merged.ok()) ours_ = test::AiterRows({merged->Csv()});
  }

  Comparison Compare() {
    Comparison found{static_cast<int>(rows_.size()),
                     static_cast<int>(ours_.size()),
                     static_cast<int>(theirs_.size()),
                     {}};
    std::map<std::string, const AiterRow*> ours;
    for (const AiterRow& row : ours_) {
      EXPECT_TRUE(ours.emplace(Plain(family_, row, true), &row).second) << family_.name;
    }
    std::set<std::string> keys;
    for (const AiterRow& row : theirs_) {
      const std::string key = Plain(family_, row, true);
      const auto held = ours.find(key);
      const AiterRow* const our = held == ours.end() ? nullptr : held->second;
      const bool same_key = !keys.insert(key).second;  // to AITER, tag 0 is not the tag ''
      if (our != nullptr && Plain(family_, *our, false) == Plain(family_, row, false)) continue;
      const std::string why = same_key ? "tag 0 is no tag" : Class(family_, row, our);
      EXPECT_NE(why, "") << family_.name << ' ' << row.Where() << '\n'
                         << Plain(family_, row, false) << '\n'
                         << (our == nullptr ? "no row" : Plain(family_, *our, false));
      ++found.classes[why];
    }
    EXPECT_EQ(keys.size() - found.classes["quarantined, key lost"], ours_.size()) << family_.name;
    return found;
  }

  // The same counts from the rows alone: per key, which row AITER takes, and whether a better kind
  // is at hand.
  std::map<std::string, int> Expected() const {
    std::map<std::string, std::vector<const AiterRow*>> groups;
    for (const AiterRow& row : rows_) groups[Plain(family_, row, true)].push_back(&row);
    std::map<std::string, int> expected;
    for (const AiterRow& theirs : theirs_) {
      bool measured = false, served = false;
      for (const AiterRow* row : groups.at(Plain(family_, theirs, true))) {
        const Kind kind = KindOf(family_, *row);
        measured = measured || kind == Kind::kMeasured;
        served = served || kind != Kind::kQuarantined;
      }
      const Kind kind = KindOf(family_, theirs);
      if (kind == Kind::kQuarantined) {
        ++expected[served ? "quarantined" : "quarantined, key lost"];
      } else if (kind == Kind::kUnmeasured && measured) {
        ++expected["measured over unmeasured"];
      }
    }
    return expected;
  }

 private:
  const Family& family_;
  std::vector<std::string> texts_;
  std::vector<AiterRow> rows_, theirs_, ours_;
};

// Prints what the README states, and holds the counts to those that follow from the rows alone.
int CheckFamily(const Family& family, const std::vector<std::string>& texts) {
  RealMerge merge(family, texts);
  const Comparison found = merge.Compare();
  auto expected = merge.Expected();
  std::printf("%-32s %6d rows, AITER keeps %6d, we %6d", family.name.c_str(), found.read,
              found.theirs, found.ours);
  int differences = 0;
  for (const auto& [name, count] : found.classes) {
    if (count > 0) std::printf("; %s: %d", name.c_str(), count);
    differences += count;
  }
  std::printf("\n");
  EXPECT_GT(found.ours, 0) << family.name;
  auto classes = found.classes;
  for (const char* const name :
       {"quarantined", "quarantined, key lost", "measured over unmeasured"}) {
    EXPECT_EQ(classes[name], expected[name]) << family.name << ": " << name;
  }
  return differences;
}

TEST(RealMerge, HasAitersRowsButForTheStatedDifferences) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  for (const auto& family : test::AiterFamilies()) CheckFamily(*family, TextsOf(*family));
}

// The table with the times of its rows changed, so that every key comes twice: as fast, slower,
// faster, never measured, failed.
std::string Doctored(const Family& family, const std::string& text) {
  static const char* const kTimes[] = {"0", "inf", "-1", "0.5", "1000000.5", "nan"};
  std::string out;
  std::istringstream in(text);
  std::string line;
  std::size_t us = kNoColumn;
  for (int i = 0; std::getline(in, line); ++i) {
    std::string scratch;
    Cells cells = SplitLine(line, scratch);
    if (i == 0) {
      const auto found = std::ranges::find(cells, "us");
      if (found != cells.end()) us = static_cast<std::size_t>(found - cells.begin());
    } else if (us < cells.size() && i % 8 < 6) {
      cells[us] = kTimes[i % 8];
    }
    if (i > 0 && i % 8 == 6 && family.error_columns.size() == 1) cells.back() = "0.15";
    out += JoinCells(cells) + "\n";
  }
  return out;
}

TEST(RealMerge, OfKeysThatComeTwiceTheStatedRowIsKept) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  int differences = 0;
  for (const auto& family : test::AiterFamilies()) {
    std::vector<std::string> texts = TextsOf(*family), doctored;
    for (const std::string& text : texts) doctored.push_back(Doctored(*family, text));
    doctored.insert(doctored.end(), texts.begin(), texts.end());
    differences += CheckFamily(*family, doctored);
  }
  EXPECT_GT(differences, 10'000);
}

std::string_view Told(Kind kind) {
  return kind == Kind::kMeasured     ? "measured"
         : kind == Kind::kUnmeasured ? "unmeasured"
                                     : "quarantined";
}

TEST(RealMerge, EveryRowHasThePlainlyStatedStanding) {
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
