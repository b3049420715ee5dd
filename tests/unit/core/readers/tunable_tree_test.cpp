// TunableOp's files as rows of their family, and as the family reads them.
#include <gmock/gmock.h>

#include "core/readers/tree_reader.h"
#include "core/table/tuned_table.h"
#include "tests/support/readers.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::ShippedFamily;
using test::ShippedReaders;
using test::ShippedTargets;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kAmd = "Validator,GCN_ARCH_NAME,gfx942:sramecc+:xnack-\nValidator,PT_VERSION,2\n";
const std::string kShape = "GemmTunableOp_float_NN,nn_50_33_70_ld_50_70_50,";

TreeReading ReadTunable(const std::vector<TreeEntry>& entries, std::string_view device = "") {
  return ReadTree(*ShippedReaders().Find("tunableop"), ShippedTargets(), entries, device);
}

std::vector<std::string> CodesIn(const TreeReading& reading) {
  std::vector<std::string> codes;
  for (const Finding& finding : reading.findings) codes.push_back(finding.code);
  return codes;
}

TEST(TunableTree, a_row_has_its_files_validators_and_its_time_in_microseconds) {
  const TreeReading reading = ReadTunable(
      {{"a/x.csv", "x.csv", kAmd + kShape + "Gemm_Rocblas_7,0.0123,BLAS_PARAMS: {M: 1, N: 2}\n"}});
  ASSERT_EQ(reading.tables.size(), 1U);
  EXPECT_EQ(reading.tables[0].csv,
            "engine,device,validators,op,params,solution,us,ms,blas_params\n"
            "rocm,gfx942,GCN_ARCH_NAME=gfx942:sramecc+:xnack-;PT_VERSION=2,GemmTunableOp_float_NN,"
            "nn_50_33_70_ld_50_70_50,Gemm_Rocblas_7,12.3,0.0123,\"BLAS_PARAMS: {M: 1, N: 2}\"\n");
  EXPECT_TRUE(reading.findings.empty()) << reading.findings[0].detail;
  const auto table =
      Must(ReadTunedTable(ShippedFamily("tunableop"), ShippedTargets(), reading.tables[0].csv));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].gfx, "gfx942");
  EXPECT_EQ(table.rows[0].engine, "rocm");
  EXPECT_EQ(table.rows[0].standing, Standing::kMeasured);
  EXPECT_EQ(table.rows[0].us, 12.3);
}

TEST(TunableTree, a_row_without_a_time_is_declared) {
  const TreeReading reading = ReadTunable({{"x.csv", "x.csv", kAmd + kShape + "Default\n"}});
  const auto table =
      Must(ReadTunedTable(ShippedFamily("tunableop"), ShippedTargets(), reading.tables.at(0).csv));
  EXPECT_EQ(table.rows.at(0).standing, Standing::kDeclared);
}

TEST(TunableTree, the_device_is_what_is_said_then_the_path_then_the_gfx) {
  const std::string nvidia = "Validator,PT_VERSION,2.11.0\n" + kShape + "Default,1\n";
  const std::string path = "NVIDIA_H200/PT_VERSION=2.11.0/tunableop_results0.csv";
  const auto device_of = [](const TreeReading& reading) {
    const std::string& csv = reading.tables.at(0).csv;
    const std::size_t begin = csv.find("\nrocm,") + 6;
    return csv.substr(begin, csv.find(',', begin) - begin);
  };
  EXPECT_EQ(device_of(ReadTunable({{path, path, nvidia}})), "NVIDIA_H200");
  EXPECT_EQ(device_of(ReadTunable({{path, path, nvidia}}, "NVIDIA_H100")), "NVIDIA_H100");
  const TreeReading nobody = ReadTunable({{"x.csv", "x.csv", nvidia}});
  EXPECT_EQ(device_of(nobody), "");
  EXPECT_THAT(CodesIn(nobody), ElementsAre("no_device"));
  EXPECT_THAT(CodesIn(ReadTunable({{"x.csv", "x.csv", nvidia}}, "Some_GPU")),
              ElementsAre("unknown_device"));
}

TEST(TunableTree, AFileMadeOnAnotherGpuThanSaidIsAside) {
  const std::vector<TreeEntry> file = {{"x.csv", "x.csv", kAmd + kShape + "Default,1\n"}};
  for (const char* const other : {"AMD_Instinct_MI355X", "gfx950", "NVIDIA_H200"}) {
    const TreeReading reading = ReadTunable(file, other);
    EXPECT_TRUE(reading.tables.empty()) << other;
    EXPECT_EQ(reading.files_aside, 1U) << other;
    ASSERT_THAT(CodesIn(reading), ElementsAre("other_gpu")) << other;
    EXPECT_THAT(reading.findings[0].detail, HasSubstr("made on gfx942 (GCN_ARCH_NAME)"));
  }
  EXPECT_TRUE(ReadTunable(file, "AMD_Instinct_MI308X").findings.empty());
  EXPECT_THAT(CodesIn(ReadTunable(file, "Some_GPU")), ElementsAre("unknown_device"));
}

TEST(TunableTree, what_several_files_have_alike_is_taken_once) {
  const TreeReading reading = ReadTunable(
      {{"tunableop_results1.csv", "tunableop_results1.csv", kAmd + kShape + "Default,2\n"},
       {"tunableop_results0.csv", "tunableop_results0.csv", kAmd + kShape + "Default,1\n"},
       {"tunableop_results2.csv", "tunableop_results2.csv", kAmd + kShape + "Gemm_Rocblas_1,3\n"}});
  EXPECT_EQ(reading.tables.at(0).rows, 2U);
  EXPECT_THAT(reading.tables[0].csv, HasSubstr("Default,1000,1,"));
  EXPECT_THAT(reading.tables[0].csv, HasSubstr("Gemm_Rocblas_1,3000,3,"));
}

TEST(TunableTree, another_file_is_none_of_its_and_a_refused_one_is_aside) {
  const TreeReading reading = ReadTunable(
      {{"d/a.csv", "d/a.csv", "M,N,K\n1,2,3\n"},
       {"tunableop_untuned0.csv", "tunableop_untuned0.csv", "GemmTunableOp_float_NN,nn_1_2_3\n"},
       {"tunableop_results0.csv", "tunableop_results0.csv", kShape + "Default,1\n"}});
  EXPECT_EQ(reading.files, 1U);
  EXPECT_EQ(reading.files_aside, 1U);
  EXPECT_TRUE(reading.tables.empty());
  EXPECT_EQ(reading.unread.at("d"), 1U);
  EXPECT_EQ(reading.unread.at("."), 1U);
  EXPECT_THAT(CodesIn(reading), ElementsAre("refused_file"));
}

TEST(TunableFamily, what_runs_untuned_is_said_by_the_rows_solution) {
  const Family& family = ShippedFamily("tunableop");
  ASSERT_NE(family.default_column, kNoColumn);
  EXPECT_EQ(family.columns[family.default_column].name, "solution");
  EXPECT_EQ(family.default_value, "Default");
  std::string text = family.source;
  const auto with = [&](const std::string& member) {
    std::string changed = text;
    const std::string old = R"("default": {"column": "solution", "value": "Default"})";
    return ParseFamily("x.json", changed.replace(changed.find(old), old.size(), member));
  };
  for (const char* bad : {R"("default": {"column": "none", "value": "Default"})",
                          R"("default": {"column": "op", "value": "Default"})",
                          R"("default": {"column": "solution", "value": ""})"}) {
    EXPECT_FALSE(with(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace tunehub::core
