// For every M, lookups in the pruned table and in the whole table find the same.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/lookup/table.h"
#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/table/table_writer.h"
#include "tests/support/aiter_merge.h"
#include "tests/support/lookup.h"
#include "tests/support/shipped.h"
#include "tests/support/tables.h"

namespace tunehub::lookup {
namespace {

// The candidates of rows that differ only in M, and lookups of them.
struct Group {
  std::int64_t n = 0;
  std::map<std::int64_t, std::string> candidate;  // by M

  std::string Find(std::int64_t m) const {
    for (const std::int64_t tried : {m, test::PaddedM(m, n, 0), test::PaddedM(m, n, 1)}) {
      const auto found = candidate.find(tried);
      if (found != candidate.end()) return found->second;
    }
    return "";
  }
  // AITER's compiled tables try M, then a padded M: 16, a power of two, 20480, or none.
  std::string FindCompiled(std::int64_t m) const {
    std::int64_t padded = m;
    if (m > 1 && m <= 16) padded = 16;
    if (m > 16 && m <= 16384) padded = test::PaddedM(m, 0, 1);
    if (m > 16384 && m <= 20480) padded = 20480;
    for (const std::int64_t tried : {m, padded}) {
      const auto found = candidate.find(tried);
      if (found != candidate.end()) return found->second;
    }
    return "";
  }
};

using Groups = std::map<std::string, Group>;

Groups GroupsOf(const core::Family& family, const std::vector<std::string_view>& lines,
                const std::vector<bool>* needed = nullptr) {
  Groups groups;
  std::string scratch;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (needed != nullptr && !(*needed)[i]) continue;
    const core::Cells cells = core::SplitLine(lines[i], scratch);
    std::string key, candidate;
    for (const std::size_t column : family.key_columns) {
      if (column != family.lookup.m) key += std::string(cells[column]) + "|";
    }
    core::AppendCandidateText(candidate, family, cells);
    Group& group = groups[key];
    group.n = *core::ParseInt64(cells[family.metric.n]);
    group.candidate.emplace(*core::ParseInt64(cells[family.lookup.m]), candidate);
  }
  return groups;
}

// Looks up every M up to `limit` in both tables. Returns the number of pruned rows.
std::size_t ExpectUnchanged(const core::Family& family, const std::vector<std::string_view>& lines,
                            std::int64_t limit) {
  const auto needed = NeededRows(family, lines);
  const Groups whole = GroupsOf(family, lines), pruned = GroupsOf(family, lines, &needed);
  EXPECT_EQ(whole.size(), pruned.size());
  for (const auto& [key, group] : whole) {
    const Group& rest = pruned.at(key);
    for (std::int64_t m = 1; m <= limit; ++m) {
      const std::string found = rest.Find(m);
      if (found != group.Find(m)) {
        ADD_FAILURE() << family.name << " " << key << " at M=" << m;
        break;
      }
      if (family.lookup.compiled_pow2 && rest.FindCompiled(m) != group.FindCompiled(m)) {
        ADD_FAILURE() << family.name << " " << key << " compiled at M=" << m;
        break;
      }
    }
  }
  return static_cast<std::size_t>(std::count(needed.begin(), needed.end(), false));
}

std::vector<std::string_view> LinesOf(const core::TunedTable& table) {
  std::vector<std::string_view> lines;
  for (const TableRow& row : test::ServedRows(table)) lines.push_back(row.line);
  return lines;
}

// `typed`: a table of a8w8, whose rows have a dtype in place of the libtype.
std::string Csv(const std::map<std::int64_t, int>& kernels, int n, bool typed = false) {
  std::string csv =
      typed ? "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
            : test::kBlockscaleHeader;
  for (const auto& [m, kernel] : kernels) {
    csv += "gfx942,304," + std::to_string(m) + "," + std::to_string(n) + ",5120," +
           (typed ? "torch.int8" : "ck") + ",0,0,90000.0,k" + std::to_string(kernel) + ",0,0,0.0\n";
  }
  return csv;
}

std::string Left(const std::map<std::int64_t, int>& kernels, int n) {
  const core::Family& family = test::ShippedFamily("a8w8_blockscale");
  const auto table = test::ReadTable(family.name, Csv(kernels, n));
  const auto needed = NeededRows(family, LinesOf(table));
  std::string left;
  std::size_t i = 0;
  for (const auto& [m, kernel] : kernels) {
    if (needed[i++]) left += (left.empty() ? "" : " ") + std::to_string(m);
  }
  return left;
}

TEST(DispatchPrune, drops_what_the_padded_lookup_answers_with_the_same_kernel) {
  EXPECT_EQ(Left({{100, 1}, {112, 1}, {128, 2}}, 4096), "112 128") << "by the fine grid";
  EXPECT_EQ(Left({{100, 1}, {112, 2}, {128, 1}}, 4096), "100 112 128") << "the fine grid is first";
  EXPECT_EQ(Left({{112, 1}, {128, 1}}, 4096), "128") << "by the coarse grid";
  EXPECT_EQ(Left({{100, 1}, {112, 1}, {128, 1}}, 4096), "128") << "by the coarse grid in two steps";
  EXPECT_EQ(Left({{128, 1}, {256, 1}}, 4096), "128 256") << "no lookup replaces a power of two";
  EXPECT_EQ(Left({{1, 1}, {2, 1}, {4, 2}, {8, 1}, {16, 1}}, 4096), "4 16");
  EXPECT_EQ(Left({{1, 1}, {2, 1}, {8, 1}}, 4096), "1 2 8")
      << "without 16, lookups find no padded M";
  EXPECT_EQ(Left({{8192, 1}, {16384, 1}, {70016, 1}}, 5120), "8192");
  EXPECT_EQ(Left({{8192, 1}, {16384, 1}, {70016, 1}}, 4096), "8192 16384 70016");
}

TEST(DispatchPrune, another_split_k_is_another_kernel) {
  const core::Family& family = test::ShippedFamily("a8w8_blockscale");
  const auto table =
      test::ReadTable(family.name, test::kBlockscaleHeader +
                                       "gfx942,304,100,1280,5120,ck,0,1,500.0,k,0,0,0.0\n"
                                       "gfx942,304,112,1280,5120,ck,0,0,500.0,k,0,0,0.0\n"
                                       "gfx942,304,111,1280,5120,ck,7,0,900.0,k,0,0,0.0\n");
  EXPECT_EQ(NeededRows(family, LinesOf(table)), (std::vector<bool>{true, true, false}))
      << "a named kernel's id does not count";
}

TEST(DispatchPrune, shapes_that_a_compiled_table_cannot_tell_apart_stay_whole) {
  const core::Family& family = test::ShippedFamily("a8w8_bpreshuffle");
  const std::string header =
      "gfx,cu_num,M,N,K,q_dtype_w,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  const auto row = [](const char* m, const char* n, const char* dtype) {
    return std::string("gfx942,304,") + m + "," + n + ",5120,torch." + dtype +
           ",ck,0,0,500.0,k,0,0,0.0\n";
  };
  const auto table = test::ReadTable(
      family.name, header + row("100", "1280", "float8_e4m3fnuz") +
                       row("112", "1280", "float8_e4m3fnuz") + row("64", "1280", "int8") +
                       row("100", "2560", "int8") + row("112", "2560", "int8"));
  EXPECT_EQ(NeededRows(family, LinesOf(table)), (std::vector<bool>{true, true, true, false, true}));
}

TEST(DispatchPrune, tables_that_are_not_padded_stay_whole) {
  const core::Family& family = test::ShippedFamily("batched_a8w8");
  const auto table =
      test::ReadTable(family.name,
                      "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                      "gfx942,304,16,15,1280,8192,1,0,500.0,k,0,0,0.0\n"
                      "gfx942,304,16,16,1280,8192,1,0,500.0,k,0,0,0.0\n");
  EXPECT_EQ(NeededRows(family, LinesOf(table)), (std::vector<bool>{true, true}));
}

TEST(DispatchPrune, changes_no_lookup_of_random_tables) {
  std::mt19937 random(7);
  std::size_t dropped = 0;
  for (int round = 0; round < 60; ++round) {
    std::map<std::int64_t, int> kernels;
    const int few = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < 150; ++i) {
      const std::int64_t m =
          1 + static_cast<std::int64_t>(random() % (round % 2 == 0 ? 600 : 18000));
      const int place = static_cast<int>(random() % 4);
      const std::int64_t at = place == 0   ? m
                              : place == 1 ? test::PaddedM(m, 4096, 1)
                                           : test::PaddedM(m, 4096, 0);
      kernels[at] = static_cast<int>(random() % static_cast<unsigned>(few));
    }
    for (const char* name : {"a8w8_blockscale", "a8w8"}) {
      const core::Family& family = test::ShippedFamily(name);
      const auto table = test::ReadTable(
          name, Csv(kernels, round % 4 < 2 ? 4096 : 4224, family.lookup.compiled_pow2));
      dropped += ExpectUnchanged(family, LinesOf(table), 21'000);
    }
  }
  EXPECT_GT(dropped, 1000U);
}

TEST(DispatchPrune, changes_no_lookup_of_the_real_tables) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  for (const auto& family : test::AiterFamilies()) {
    if (family->lookup.kind != "padded_m") continue;
    std::vector<core::TunedTable> tables;
    std::vector<std::string_view> lines;
    for (const auto& file : test::AiterFilesOf(*family)) {
      tables.push_back(test::ReadTable(family->name, test::ReadText(file)));
    }
    for (const auto& table : tables) {
      const auto part = LinesOf(table);
      lines.insert(lines.end(), part.begin(), part.end());
    }
    ExpectUnchanged(*family, lines, 21'000);
  }
}

}  // namespace
}  // namespace tunehub::lookup
