// A contribution to a copy of AITER's real tree, judged by upstream's rules as tests/support says
// them again: no code of the command takes part in the judgement.
#include <algorithm>
#include <map>
#include <set>

#include "tests/support/aiter_merge.h"
#include "tests/support/aiter_table_rules.h"
#include "tests/support/shipped.h"
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

// AITER's rule by which a file is a family's: the token anywhere, and not "untuned".
bool IsRead(const core::Family& family, const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.find("untuned") != std::string::npos) return false;
  if (path == "aiter/configs/" + family.file) return true;
  return path.starts_with("aiter/configs/model_configs/") && name.ends_with(".csv") &&
         name.find(family.token) != std::string::npos;
}

// How often each key stands in the files that AITER merges for the family.
std::map<std::string, int> KeysOf(const core::Family& family,
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

  // The last rows of the default file, and the same with sizes that nobody tuned: N or the experts'
  // width moved far away.
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
      cells[us] = "0.5";  // so fast that a merge would take it
      rows += Join(cells);
      cells[moved] = std::to_string(std::stoi(cells[moved]) + 1'000'000);
      cells[us] = "1000000.5";  // which no peak forbids
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
    // A fused MoE's are told apart by their operand types too.
    EXPECT_TRUE(files == 1 || (files > 1 && name == "fmoe")) << name << ": " << files;
    const auto old_keys = KeysOf(family, before_), keys = KeysOf(family, after);
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
  for (const auto& [key, count] : KeysOf(family, after)) EXPECT_EQ(count, 1) << key;
}

}  // namespace
}  // namespace tunehub::agent::test
