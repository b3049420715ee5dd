#include "core/table/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "core/row/standing.h"
#include "core/table/tuned_table.h"
#include "tests/support/aiter_merge.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

std::string RowText(int m, std::string_view us, std::string_view kernel = "k",
                    std::string_view error = "0.0") {
  std::string row = "gfx942,304," + std::to_string(m) + ",1280,8192,ck,7,0,";
  return row.append(us).append(",").append(kernel).append(",4.0,2.0,").append(error) + "\n";
}

// A merge and the texts that its lines point into.
struct MergedTexts : Merged {
  std::vector<std::string> texts;
};

MergedTexts MergeTexts(std::vector<std::string> texts,
                       std::string_view family = "a8w8_blockscale") {
  std::vector<SourceFile> sources;
  for (const std::string& text : texts) {
    sources.push_back({std::string(1, static_cast<char>('a' + sources.size())) + ".csv", text});
  }
  auto merged = Must(MergeTables(test::ShippedFamily(family), test::ShippedTargets(), sources));
  return {std::move(merged), std::move(texts)};
}

// Returns "identical 0:2 1:3" for each duplicate: file and line, the winner first.
std::string Duplicates(const Merged& merged) {
  std::string out;
  for (const Duplicate& duplicate : merged.duplicates) {
    out += duplicate.identical ? "identical" : "conflicting";
    for (const Place& place : duplicate.places) {
      out += " " + std::to_string(place.file) + ":" + std::to_string(place.line);
    }
    out += "; ";
  }
  return out;
}

// The reader parses a repeated cell only once. If a rewritten row separates equal cells, the reader
// must not use the rewritten row's number.
TEST(Merge, a_cell_that_repeats_one_from_above_a_rewritten_one_sorts_by_its_own_number) {
  const std::string rewritten = "gfx942,304,0500,1280,8192,ck,7,0,3,k,4.0,2.0,0.0\n";
  const MergedTexts merged = MergeTexts({test::kBlockscaleHeader + RowText(16, "4") + rewritten +
                                         "gfx942,304,16,1280,4096,ck,7,0,2,k,4.0,2.0,0.0\n"});
  EXPECT_EQ(merged.Csv(), test::kBlockscaleHeader +
                              "gfx942,304,16,1280,4096,ck,7,0,2,k,4.0,2.0,0.0\n" +
                              RowText(16, "4") + RowText(500, "3"));
}

TEST(Merge, TheFirstFileWinsATie) {
  EXPECT_EQ(MergeTexts({test::kBlockscaleHeader + RowText(16, "5", "l"),
                        test::kBlockscaleHeader + RowText(16, "5", "a")})
                .Csv(),
            test::kBlockscaleHeader + RowText(16, "5", "l"));
  EXPECT_EQ(MergeTexts({test::kBlockscaleHeader + RowText(16, "5", "l", "0.1"),
                        test::kBlockscaleHeader + RowText(16, "5.0", "a", "0.05")})
                .Csv(),
            test::kBlockscaleHeader + RowText(16, "5.0", "a", "0.05"))
      << "at equal times the lower error wins";
}

TEST(Merge, an_unknown_column_is_left_out_and_named) {
  std::string wide = test::kBlockscaleHeader;
  wide.insert(wide.size() - 1, ",speed");
  const std::vector<SourceFile> sources = {{"wide.csv", wide}};
  const auto merged =
      Must(MergeTables(test::ShippedFamily("a8w8_blockscale"), test::ShippedTargets(), sources));
  ASSERT_EQ(merged.issues[0].warnings.size(), 1U);
  EXPECT_EQ(merged.issues[0].warnings[0].code, "unknown_column");
  EXPECT_EQ(merged.issues[0].warnings[0].column, "speed");
}

TEST(Merge, tags_are_keys_and_empty_zero_and_missing_are_one) {
  const std::string header =
      "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
      "use_g1u1,doweight_stage1,block_m,kernelName1,us";
  const std::string row =
      "gfx950,256,64,7168,256,8,2,ActivationType.Silu,torch.bfloat16,torch.int8,torch.int8,"
      "QuantType.No,1,0,32,k1,";
  const MergedTexts merged =
      MergeTexts({header + ",_tag\n" + row + "15,\n" + row + "10,0\n" + row + "5,x\n",
                  header + "\n" + row + "12\n"},
                 "fmoe");
  EXPECT_EQ(Duplicates(merged), "conflicting 0:3 1:2 0:2; ");
  EXPECT_EQ(merged.rows_written, 2u);
}

// A merge reads its files in chunks on several threads. The cuts between chunks must not change the
// result.

const Family& Blockscale() {
  return test::ShippedFamily("a8w8_blockscale");
}

std::string Say(std::size_t file, std::string_view what, const RowIssue& issue) {
  return std::to_string(file) + ":" + std::to_string(issue.line) + " " + std::string(what) + " " +
         issue.column + " " + issue.code + " " + issue.detail + "\n";
}

std::string Say(const Duplicate& duplicate) {
  std::string out = duplicate.identical ? "identical" : "conflicting";
  for (const Place& place : duplicate.places) {
    out += " " + std::to_string(place.file) + ":" + std::to_string(place.line) + " " + place.text;
  }
  return out + "\n";
}

// Returns the complete result of a merge as one text.
std::string Merge(const std::vector<std::string>& texts, const MergeOptions& options) {
  std::vector<SourceFile> sources;
  for (const std::string& text : texts) sources.push_back({std::to_string(sources.size()), text});
  const auto merged = MergeTables(Blockscale(), test::ShippedTargets(), sources, options);
  if (!merged.ok()) return merged.error().code + ": " + merged.error().detail;
  std::string out = merged->Csv() + std::to_string(merged->rows_read) + " read\n";
  for (const Duplicate& duplicate : merged->duplicates) out += Say(duplicate);
  for (const FileIssues& file : merged->issues) {
    for (const RowIssue& issue : file.rejected) out += Say(file.file, "rejected", issue);
    for (const RowIssue& issue : file.quarantined) out += Say(file.file, "quarantined", issue);
  }
  return out;
}

struct Placed {
  Row row;
  std::size_t file;
};

// Computes the result in a second way: reads each file whole and groups rows by shape key.
std::string Expected(const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<Placed>> keys;
  std::string issues;
  std::size_t read = 0;
  for (std::size_t file = 0; file < texts.size(); ++file) {
    auto table = ReadTunedTable(Blockscale(), test::ShippedTargets(), texts[file]);
    if (!table.ok()) {
      return table.error().code + ": " + std::to_string(file) + ": " + table.error().detail;
    }
    read += table->rows.size() + table->rejected.size();
    for (const RowIssue& issue : table->rejected) issues += Say(file, "rejected", issue);
    for (const Row& row : table->rows) {
      if (Competes(row.standing)) {
        keys[row.order].push_back({row, file});
        continue;
      }
      const std::size_t colon = row.reason.find(": ");
      issues +=
          Say(file, "quarantined",
              {row.source_line, "", row.reason.substr(0, colon), row.reason.substr(colon + 2)});
    }
  }
  std::string lines = test::kBlockscaleHeader, duplicates;
  for (auto& [order, group] : keys) {
    std::ranges::stable_sort(group, [](const Placed& a, const Placed& b) {
      return Beats({a.row.standing, a.row.us, a.row.error, {}, 0, {}},
                   {b.row.standing, b.row.us, b.row.error, {}, 0, {}});
    });
    lines += group[0].row.line + "\n";
    if (group.size() == 1) continue;
    Duplicate duplicate{{}, true};
    for (const Placed& placed : group) {
      duplicate.identical = duplicate.identical && placed.row.line == group[0].row.line;
      duplicate.places.push_back({placed.file, placed.row.source_line, placed.row.line});
    }
    duplicates += Say(duplicate);
  }
  return lines + std::to_string(read) + " read\n" + duplicates + issues;
}

std::string RandomRow(std::mt19937& random) {
  const auto pick = [&](std::initializer_list<const char*> of) {
    return std::string(of.begin()[random() % of.size()]);
  };
  if (random() % 12 == 0) {
    return pick({"", "# gfx942,\"304", "gfx942,1", "gfx942,304,x,1280,8192,ck,7,0,1,k,1,1,0",
                 "gfx942,304,4,1280,8192,ck,7,0,-1,k,1,1,0", ",,,,,,,,,,,,",
                 "\xEF\xBB\xBF"
                 "gfx942",
                 "gfx942,304,4,1280,8192,ck,7,0,2,k,1,1,0.9"}) +
           pick({"\n", "\r\n"});
  }
  return pick({"gfx942,304,", "gfx950,256,", "gfx950:xnack-,256.0,", ",80,"}) +
         std::to_string(random() % 300) + pick({",1280,", ",70000,"}) + "8192,ck,7,0," +
         pick({"4.5", "3", "0", "inf", "1e-9"}) + pick({",k,", ",l,", ", m ,"}) + "1,1,0.0" +
         pick({"\n", "\n", "\r\n"});
}

std::vector<std::string> RandomTables(std::mt19937& random) {
  std::vector<std::string> texts(random() % 4);
  for (std::string& text : texts) {
    text = (random() % 4 == 0 ? "# first\n\n" : "") + test::kBlockscaleHeader;
    for (auto rows = random() % 40; rows > 0; --rows) text += RandomRow(random);
    if (random() % 4 == 0) text += "gfx942,304,4,1280,8192,ck,7,0,2,\"k,\"\"\nl\",1,1,0\n";
    if (random() % 4 == 0) text += RandomRow(random);
    if (random() % 3 == 0 && text.back() == '\n') text.pop_back();
    if (random() % 20 == 0) text.insert(random() % text.size(), "\xFF");
    if (random() % 20 == 0) text.insert(text.find('\n', random() % text.size()) + 1, "=======\n");
    if (random() % 20 == 0) text.insert(random() % text.size(), "\"");
  }
  return texts;
}

TEST(MergeChunksRace, any_cuts_on_any_threads_say_what_reading_whole_says) {
  std::mt19937 random(7);
  std::size_t merged = 0, refused = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::vector<std::string> texts = RandomTables(random);
    const MergeOptions options{.threads = 1 + random() % 4, .chunk_bytes = 1 + random() % 1500};
    const std::string expected = Expected(texts);
    ASSERT_EQ(Merge(texts, options), expected) << "round " << round << ", " << options.threads
                                               << " threads, " << options.chunk_bytes << " bytes";
    ++(expected.starts_with(test::kBlockscaleHeader) ? merged : refused);
  }
  EXPECT_GT(merged, 500u);
  EXPECT_GT(refused, 50u);
}

// A second implementation of each row's standing, on AITER's real tables.
// tests/e2e/tables/aiter_merge.py contains AITER's merge of the tables.

using test::AiterRow;

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

std::string_view PlainStanding(const Family& family, const AiterRow& row) {
  // This row's columns are shifted. The missing field is not the last one, the empty tag.
  if (row.ragged && row.At("bw").empty()) return "quarantined";
  if (LargestError(family, row) > family.error_limit || row.Number("us") < 0) {
    return "quarantined";
  }
  if (family.objective == kNoColumn) return "measured";
  const double us = row.Number("us");
  const bool placeholder = us == 1 && row.Number("tflops") == 0;
  const bool believed = us > 0 && std::isfinite(us) && !placeholder && !IsImplausible(family, row);
  return believed ? "measured" : "unmeasured";
}

std::vector<std::string> TextsOf(const Family& family) {
  std::vector<std::string> texts;
  for (const auto& file : test::AiterFilesOf(family)) texts.push_back(test::ReadText(file));
  return texts;
}

TEST(RealMerge, every_row_has_the_plainly_stated_standing) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  for (const auto& family : test::AiterFamilies()) {
    for (const std::string& text : TextsOf(*family)) {
      const auto rows = test::AiterRows({text});
      const auto table = ReadTunedTable(*family, test::ShippedTargets(), text);
      ASSERT_TRUE(table.ok() && table->rows.size() == rows.size()) << family->name;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = table->rows[i];
        const std::string_view standing =
            row.standing == Standing::kDeclared ? "measured" : Name(row.standing);
        ASSERT_EQ(standing, PlainStanding(*family, rows[i])) << row.line << '\n' << row.reason;
      }
    }
  }
}

}  // namespace
}  // namespace tunehub::core
