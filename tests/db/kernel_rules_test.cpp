// The rights of the sending API key decide which kernels its results may name.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <deque>
#include <map>

#include "core/table/table_writer.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;
using KernelRules = RegistryTest;

const std::string kListed = "a8w8_blockscale_1x128x128_x", kForeign = "a8w8_rowwise_x";

// Returns a batch sent with an admin's key, or with a key of scope submit.
Post SentBy(bool admin = false) {
  static int sent = 0;
  return {.digest = std::to_string(++sent), .by = {.api_key = 1, .admin = admin}};
}

core::Families WithPrefix(const std::string& prefix, double error_limit) {
  return FamiliesWith("a8w8_blockscale", [&](auto& json) {
    json["error_limit"] = error_limit;
    json["signature"]["kernel_prefixes"].push_back(prefix);
  });
}

TEST_F(KernelRules, another_familys_kernel_is_rejected_with_both_names_and_changes_nothing) {
  registry.Send(Csv({{.kernel = kListed, .us = "20"}}), SentBy());
  const std::string hostile = Csv({{.kernel = kForeign, .us = "10"}});
  const auto receipt = Receipt(registry.Send(hostile, SentBy()));
  EXPECT_EQ(receipt.at("stored"), 0);
  const auto& rejected = receipt.at("rejected").at(0);
  EXPECT_EQ(rejected.at("row"), 2);
  EXPECT_EQ(rejected.at("column"), "kernelName");
  EXPECT_EQ(rejected.at("code"), "kernel_of_another_family");
  EXPECT_EQ(rejected.at("detail"), "a8w8_rowwise_x is a kernel of a8w8, not of a8w8_blockscale");
  Post atomic = SentBy();
  atomic.atomic = true;
  EXPECT_EQ(Refusal(registry.Send(hostile, atomic)), "rejected_rows");
  EXPECT_EQ(registry.Winners(), "16 " + kListed + " 20 only_candidate");
  EXPECT_EQ(registry.Revision(), 1);

  const core::TarFile file{kTreeFile, hostile};
  const auto imported = registry.Import("mine", {file}, SentBy());
  EXPECT_EQ(Refusal(imported), "nothing_to_import");
  EXPECT_EQ(imported.refusal->issues.at(0).code, "kernel_of_another_family");
  EXPECT_EQ(registry.Winners(), "16 " + kListed + " 20 only_candidate");
  registry.Import("aiter", {file}, SentBy(true));
  EXPECT_EQ(registry.Winners(), "16 " + kForeign + " 10 lowest_time") << "upstream's rows compete";
  registry.Send(Csv({{.kernel = kForeign + "y", .us = "9"}}), SentBy(true));
  EXPECT_EQ(registry.Winners(), "16 " + kForeign + "y 9 lowest_time") << "an admin's rows compete";
}

TEST_F(KernelRules, an_unknown_kernel_never_displaces_a_known_one_and_serves_what_nobody_measured) {
  registry.Send(Csv({{.kernel = kListed, .us = "20"}}), SentBy());
  const auto receipt =
      Receipt(registry.Send(Csv({{.kernel = "evil", .us = "10"},
                                 {.m = 32, .kernel = "evil", .us = "10"},
                                 {.m = 64, .kernel = kListed, .us = "10", .libtype = "evil"}}),
                            SentBy()));
  EXPECT_EQ(receipt.at("measured"), 0);
  EXPECT_EQ(receipt.at("unmeasured").at(0).at("code"), "unknown_kernel");
  EXPECT_EQ(receipt.at("unmeasured").at(2).at("detail"),
            "evil is not a known libtype in a8w8_blockscale");
  EXPECT_EQ(registry.Winners(), "16 " + kListed + " 20 only_measured\n" +
                                    "32 evil 10 nothing_measured\n" + "64 " + kListed +
                                    " 10 nothing_measured");
  registry.Send(Csv({{.m = 32, .kernel = kListed, .us = "nan"}}), SentBy());
  EXPECT_THAT(registry.Winners(), HasSubstr("32 " + kListed + " nan nothing_measured"))
      << "a known kernel without a time ranks first";
  registry.Send(Csv({{.m = 32, .kernel = kListed, .us = "20"}}), SentBy());
  EXPECT_THAT(registry.Winners(), HasSubstr("32 " + kListed + " 20 only_measured"));
}

TEST_F(KernelRules, judging_again_says_the_same_until_the_family_lists_the_kernel) {
  registry.Send(Csv({{.kernel = kListed, .us = "20"}, {.kernel = "evil", .us = "10"}}), SentBy());
  registry.Import("aiter", {{kTreeFile, Csv({{.m = 32, .kernel = "evil", .us = "20"}})}},
                  SentBy(true));
  registry.Send(Csv({{.m = 32, .kernel = kListed, .us = "30"}}), SentBy());
  const std::string before = registry.Winners();
  EXPECT_EQ(before, "16 " + kListed + " 20 only_measured\n32 evil 20 lowest_time");
  EXPECT_EQ(Registry(registry.url, WithPrefix("other_", 0.15)).Winners(), before);
  EXPECT_EQ(Registry(registry.url, WithPrefix("ev", 0.15)).Winners(),
            "16 evil 10 lowest_time\n32 evil 20 lowest_time");
}

// Cells of a TunableOp row, by column.
const std::map<std::string, std::string> kOfALine = {{"validators", "PT_VERSION=2.11.0"},
                                                     {"op", "GemmTunableOp_float_NN"},
                                                     {"params", "nn_{}_16_16_ld_16_16_16"},
                                                     {"solution", "Gemm_Rocblas_{}"}};

// A row of the `i`-th shape key, as the family's own tuner could send it.
core::Cells Honest(const core::Family& family, int i, std::deque<std::string>& texts) {
  // Prefixes of kernel names, each with its libtype.
  std::vector<std::pair<std::string, std::string>> kernels;
  for (const core::Module& it : family.modules) {
    for (const std::string& prefix : it.kernels)
      kernels.emplace_back(prefix, it.libtypes.empty() ? "" : it.libtypes.front());
  }
  for (const std::string& prefix : family.signature.kernel_prefixes) {
    if (prefix.starts_with("tk_")) kernels.emplace_back(prefix, "tunehub");
    if (kernels.empty()) kernels.emplace_back(prefix, "opus");
  }
  core::Cells cells;
  for (const core::Column& column : family.columns) {
    std::string text;
    if (family.tunable_lines && kOfALine.contains(column.name)) {
      text = fmt::format(fmt::runtime(kOfALine.at(column.name)), i + 1);
    } else if (column.role == core::Role::kDevice) {
      text = "AMD_Instinct_MI300X";
    } else if (column.type == core::Type::kEnum) {
      text = column.name == "libtype" ? kernels[i % kernels.size()].second : column.values[0];
    } else if (column.type == core::Type::kKernel) {
      text = kernels.empty() ? "k" : kernels[i % kernels.size()].first + std::to_string(i);
    } else if (column.role == core::Role::kObjective) {
      text = "90000.5";
    } else if (column.type == core::Type::kGfx) {
      text = "gfx942";
    } else if (column.type == core::Type::kInteger) {
      const int value = column.role == core::Role::kTarget  ? 304
                        : column.role == core::Role::kShape ? 1 + i
                                                            : 16;
      text = std::to_string(std::min<std::int64_t>(value, column.max));
    } else if (column.type == core::Type::kFlag || column.type == core::Type::kError) {
      text = "0";
    } else if (column.type == core::Type::kBoolean) {
      text = "False";
    } else if (core::IsJson(column.type)) {
      text = R"({"BLOCK_SIZE_M":16,"BLOCK_SIZE_N":16,"BLOCK_SIZE_K":16})";
    } else if (column.is_shape() || column.role == core::Role::kConfig) {
      text = "t" + std::to_string(i);
    }
    cells.push_back(texts.emplace_back(std::move(text)));
  }
  return cells;
}

TEST_F(KernelRules, a_hundred_honest_rows_of_every_family_come_in_beside_hostile_ones) {
  constexpr int kRows = 100;
  for (const auto& family : ShippedFamilies().all()) {
    if (family->csv_lines) continue;  // only imports may write its rows
    std::string csv = family->Header(true) + "\n";
    std::deque<std::string> texts;
    int hostile = 0;
    for (int i = 0; i < kRows; ++i) csv += core::JoinCells(Honest(*family, i, texts)) + "\n";
    for (const std::size_t column : family->kernel_columns) {
      for (const char* kernel : {"evil_x", family->name == "bf16" ? "tk_fmoe_x" : "tk_bf16_x"}) {
        core::Cells cells = Honest(*family, 0, texts);
        cells[column] = kernel;
        if (family->objective != core::kNoColumn) cells[family->objective] = "80000.5";
        csv += core::JoinCells(cells) + "\n";
      }
      ++hostile;
    }
    const auto receipt = Receipt(registry.Send(csv, SentBy(), family->name));
    const bool is_bench = family->name == "triton_bench";  // a benchmark's rows name no candidate
    EXPECT_EQ(receipt.at(is_bench ? "compared_count" : "measured").get<int>() +
                  receipt.at("declared").get<int>(),
              kRows)
        << family->name << receipt.dump();
    EXPECT_EQ(receipt.at("unmeasured_count"), hostile) << family->name;
    EXPECT_EQ(receipt.at("rejected_count"), hostile) << family->name;
    EXPECT_EQ(receipt.at("won"), is_bench ? 0 : kRows) << family->name;
  }
  EXPECT_EQ(QueryText(registry.url, "SELECT count(*) FROM tuned WHERE standing = 2"), "0");
}

}  // namespace
}  // namespace tunehub::test
