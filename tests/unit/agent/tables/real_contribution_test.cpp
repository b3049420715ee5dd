// A contribution to a copy of AITER's real tree. tests/support implements upstream's rules
// separately and checks the contribution with them.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "agent/tables/commands.h"
#include "agent/tables/contribution.h"
#include "tests/support/aiter_merge.h"
#include "tests/support/aiter_table_rules.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/tables/contribute_support.h"

namespace tunehub::agent::test {
namespace {

namespace fs = std::filesystem;
using tunehub::test::AiterKeyColumns;
using tunehub::test::AiterRow;
using tunehub::test::AiterRows;
using tunehub::test::ShippedFamily;

constexpr std::string_view kFamilies[] = {"a4w4_blockscale",  "a8w8", "a8w8_blockscale",
                                          "a8w8_bpreshuffle", "bf16", "fmoe"};

std::string Join(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : ",") + cell;
  return line + "\n";
}

std::vector<std::string> SplitRow(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

// AITER reads a file for a family if the file's name contains the family's token but not "untuned".
bool IsRead(const core::Family& family, const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.find("untuned") != std::string::npos) return false;
  if (path == "aiter/configs/" + family.file) return true;
  return path.starts_with("aiter/configs/model_configs/") && name.ends_with(".csv") &&
         name.find(family.token) != std::string::npos;
}

// Counts the rows of each shape key in the files that AITER merges for the family.
std::map<std::string, int> KeyCounts(const core::Family& family,
                                     const std::map<std::string, std::string>& files) {
  std::vector<std::string> texts;
  for (const auto& [path, bytes] : files) {
    if (IsRead(family, path)) texts.push_back(bytes);
  }
  std::map<std::string, int> keys;
  for (const AiterRow& row : AiterRows(texts)) ++keys[KeyOf(row, AiterKeyColumns(family))];
  return keys;
}

class RealContribution : public ContributeTest {
 protected:
  void SetUp() override {
    const auto files = tunehub::test::RealTunedFiles();
    if (files.empty()) GTEST_SKIP() << tunehub::test::NoRealTables();
    const fs::path configs = tunehub::test::AiterFilesOf(ShippedFamily("bf16")).at(0).parent_path();
    fs::create_directories(tree_.path() / "aiter");
    fs::copy(configs, tree_.path() / "aiter/configs", fs::copy_options::recursive);
    before_ = tunehub::test::FilesBelow(tree_.path());
  }

  // Returns the default file's last rows, and copies whose N or inter_dim is larger than in any
  // row.
  std::string ResultsFor(const core::Family& family) {
    const std::string text = before_.at("aiter/configs/" + family.file);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    const auto header = SplitRow(lines.front());
    const bool moe = family.name == "fmoe";
    const auto place = [&](const char* column) {
      return static_cast<std::size_t>(std::ranges::find(header, column) - header.begin());
    };
    const std::size_t moved = place(moe ? "inter_dim" : "N"), us = place("us");
    std::string rows = lines.front() + "\n";
    for (std::size_t i = lines.size() - 20; i < lines.size(); ++i) {
      auto cells = SplitRow(lines[i]);
      if (cells.size() != header.size()) continue;
      cells[us] = "0.5";  // fast enough to win a merge
      rows += Join(cells);
      cells[moved] = std::to_string(std::stoi(cells[moved]) + 1'000'000);
      cells[us] = "1000000.5";  // slow enough for any roofline
      rows += Join(cells);
    }
    return results_.Write(std::string(family.token) + ".csv", rows);
  }

  std::map<std::string, std::string> before_;
};

TEST_F(RealContribution, upstreams_rules_hold_of_the_tree_as_they_did_before) {
  std::vector<std::string> arguments = {"--model", "newmodel", "--in-place", "--results"};
  for (const std::string_view family : kFamilies) {
    arguments.push_back(ResultsFor(ShippedFamily(family)));
  }
  const auto failures_before = tunehub::test::TableTestFailures(tree_.path() / "aiter/configs");
  ASSERT_EQ(Contribute(arguments), kGood) << console_.err.str();
  const auto after = tunehub::test::FilesBelow(tree_.path());

  EXPECT_EQ(tunehub::test::TableTestFailures(tree_.path() / "aiter/configs"), failures_before);
  for (const auto& [path, bytes] : before_) EXPECT_EQ(after.at(path), bytes) << path;
  std::set<std::string> fresh;
  for (const auto& [path, bytes] : after) {
    if (!before_.contains(path)) fresh.insert(path);
  }
  for (const std::string_view name : kFamilies) {
    const core::Family& family = ShippedFamily(name);
    const auto files =
        std::ranges::count_if(fresh, [&](const std::string& path) { return IsRead(family, path); });
    // Fused MoE has an additional file for each combination of operand types.
    EXPECT_TRUE(files == 1 || (files > 1 && name == "fmoe")) << name << ": " << files;
    const auto old_keys = KeyCounts(family, before_), keys = KeyCounts(family, after);
    int added = 0;
    for (const auto& [key, count] : keys) {
      const auto old = old_keys.find(key);
      if (old == old_keys.end()) {
        ++added;
        EXPECT_EQ(count, 1) << name << ": AITER raises at a duplicate of " << key;
      } else {
        EXPECT_EQ(count, old->second) << name << ": " << key;
      }
    }
    EXPECT_GE(added, 10) << name;
  }
}

TEST_F(RealContribution, a_file_that_is_there_keeps_its_bytes) {
  const std::string grown = "aiter/configs/model_configs/dsv3_bf16_tuned_gemm.csv";
  if (!before_.contains(grown)) GTEST_SKIP() << "the tree has no " << grown;
  const core::Family& family = ShippedFamily("bf16");
  ASSERT_EQ(Contribute({"--model", "DSv3", "--in-place", "--results", ResultsFor(family)}), kGood)
      << console_.err.str();
  const auto after = tunehub::test::FilesBelow(tree_.path());
  EXPECT_EQ(after.size(), before_.size());
  for (const auto& [path, bytes] : before_) {
    if (path == grown) {
      EXPECT_TRUE(after.at(path).starts_with(bytes)) << path;
      EXPECT_GT(after.at(path).size(), bytes.size()) << path;
    } else {
      EXPECT_EQ(after.at(path), bytes) << path;
    }
  }
  for (const auto& [key, count] : KeyCounts(family, after)) EXPECT_EQ(count, 1) << key;
}

// tunehub-agent check --upstream reports the parts of a tree that this version does not know.

class UpstreamDrift : public CommandTest {
 protected:
  std::string Text() {
    const auto drift = DriftOf(configuration_, folder_.path());
    if (!drift.ok()) return drift.error().code;
    std::ostringstream out;
    PrintDriftText(*drift, out);
    return out.str();
  }
};

TEST_F(UpstreamDrift, says_nothing_of_a_tree_that_is_known) {
  folder_.Write("aiter/configs/a8w8_blockscale_tuned_gemm.csv",
                kBlockscaleHeader + BlockscaleRow(16, "4.5", "a8w8_blockscale_1x128x128_256x16"));
  folder_.Write("aiter/ops/gemm.py",
                "logger.info(f\"shape is M:{M}, not found tuned config in {file}, will use\")\n"
                "# no tuned config for it\n");
  EXPECT_EQ(Text(), "0 unknown things\n");
  CheckOptions options{{folder_.path()}, ""};
  options.upstream = true;
  EXPECT_EQ(Check(configuration_, options, console_.console), kGood);
}

TEST_F(UpstreamDrift, lists_each_thing_once_with_its_first_place) {
  folder_.Write("aiter/configs/a8w8_blockscale_tuned_gemm.csv",
                "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio,mood\n"
                "gfx942,80,16,2048,3072,quark,8,2,7.5,frob_fast_1,2.61,1304.22,0.0,blue\n"
                "gfx942,80,32,2048,3072,quark,8,2,8.5,frob_fast_2,2.61,1304.22,0.0,blue\n");
  folder_.Write("aiter/configs/frob_tuned_gemm.csv", "gfx,M\ngfx942,1\n");
  folder_.Write("aiter/configs/model_configs/deep/x_tuned_fmoe.csv", "gfx,M\ngfx942,1\n");
  folder_.Write("aiter/ops/gemm.py", "\nlogger.info('FROB shape M:1 has no tuned entry here')\n");
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("column: a8w8_blockscale: mood (1, first: "
                              "a8w8_blockscale_tuned_gemm.csv)\n"));
  EXPECT_THAT(text, HasSubstr("libtype: a8w8_blockscale: libtype=quark (2, first: "
                              "a8w8_blockscale_tuned_gemm.csv:2)\n"));
  EXPECT_THAT(text, HasSubstr("kernel: a8w8_blockscale: frob_fast_... (2, first: "
                              "a8w8_blockscale_tuned_gemm.csv:2)\n"));
  EXPECT_THAT(text, HasSubstr("table: stored line by line: frob_tuned_gemm.csv (1, "));
  EXPECT_THAT(text, HasSubstr("table: not read: model_configs/deep/x_tuned_fmoe.csv (1, "));
  EXPECT_THAT(text, HasSubstr("log line: aiter/ops/gemm.py: logger.info('FROB shape M:1 has no "
                              "tuned entry here') (1, first: aiter/ops/gemm.py:2)\n"));
  EXPECT_THAT(text, HasSubstr("6 unknown things\n"));
}

TEST_F(UpstreamDrift, a_folder_without_tables_is_refused) {
  EXPECT_EQ(Text(), "no_aiter_configs");
}

}  // namespace
}  // namespace tunehub::agent::test
