// TunableOp's files. The expected results come from torch.cuda.tunable.read_file and get_results of
// PyTorch 2.11 on an H200.
#include "core/readers/tunable_file.h"

#include <gmock/gmock.h>

#include "core/readers/tree_reader.h"
#include "core/row/tunable_line.h"
#include "core/table/tuned_table.h"
#include "tests/support/readers.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

const std::string kHead = "Validator,PT_VERSION,2.11.0\n";
const std::string kRow = "GemmTunableOp_float_NN,nn_50_33_70_ld_50_70_50,Default,0.0123\n";

std::vector<std::string> CodesOf(const TunableFile& file) {
  std::vector<std::string> codes;
  for (const TunableIssue& issue : file.issues) codes.push_back(issue.code);
  return codes;
}

TEST(TunableFile, a_written_file_is_read_and_written_byte_for_byte) {
  const std::string file =
      "Validator,GCN_ARCH_NAME,gfx942:sramecc+:xnack-\n"
      "Validator,HIPBLASLT_VERSION,1000-f0ce10ed8e\n" +
      kHead +
      "Validator,ROCBLAS_VERSION,5.0.0.60fb9eee04-dirty\n"
      "GemmTunableOp_BFloat16_TN,tn_1024_64_4096_ld_4096_4096_1024,Gemm_Hipblaslt_220,0.0119901\n"
      "GemmStridedBatchedTunableOp_Half_NN,nn_256_16_4096_B_4_ld_256_4096_256,Default,1e-05\n"
      "ScaledGemmTunableOp_Float8_e4m3fn_Float8_e4m3fn_BFloat16_TN,"
      "tn_48_32_64_ld_64_64_48_rw_0_bias_None,Gemm_Hipblaslt_TN_7,0.0079056,"
      "BLAS_PARAMS: {function: matmul, M: 48, N: 32}\n";
  const TunableFile read = ReadTunableFile(file);
  EXPECT_TRUE(read.issues.empty()) << read.issues[0].detail;
  ASSERT_EQ(read.rows.size(), 3U);
  EXPECT_EQ(MicrosecondsOf(read.rows[0]), "11.9901");
  EXPECT_EQ(MicrosecondsOf(read.rows[1]), "0.01");
  EXPECT_EQ(read.rows[2].blas_params, "BLAS_PARAMS: {function: matmul, M: 48, N: 32}");
  EXPECT_EQ(read.rows[2].line, 7U);
  EXPECT_EQ(TargetGfxOf(read.validators), "gfx942");
  EXPECT_EQ(WriteTunableFile(read.validators, read.rows), file);
}

TEST(TunableFile, rows_without_a_time_and_lines_without_a_solution) {
  const TunableFile read =
      ReadTunableFile(kHead + "GemmTunableOp_float_NN,nn_1_2_3_ld_1_3_1,Default\n\n" +
                      "GemmTunableOp_float_NN,nn_1_2_4_ld_1_4_1\n" +
                      "GemmTunableOp_float_NN,nn_1_2_5_ld_1_5_1,BLAS_PARAMS: {a: 1, b: 2}\n" +
                      "GemmTunableOp_float_NN,nn_1_2_6_ld_1_6_1,Default,abc\n" +
                      "GemmTunableOp_float_NN,nn_1_2_7_ld_1_7_1,Default,-1\n" +
                      "GemmTunableOp_float_NN,nn_1_2_8_ld_1_8_1,Default,inf\n");
  ASSERT_EQ(read.rows.size(), 4U);
  for (const TunableRow& row : read.rows) EXPECT_EQ(MicrosecondsOf(row), "") << row.shape.params;
  ASSERT_EQ(read.untuned.size(), 2U);
  EXPECT_EQ(read.untuned[1].params, "nn_1_2_5_ld_1_5_1");
  EXPECT_THAT(CodesOf(read), testing::ElementsAre("untuned_line", "untuned_line", "bad_time",
                                                  "bad_time", "bad_time"));
  EXPECT_THAT(WriteTunableFile(read.validators, read.rows),
              testing::HasSubstr("nn_1_2_3_ld_1_3_1,Default\n"));
}

TEST(TunableFile, the_first_row_of_a_shape_counts_and_the_last_of_a_validator) {
  const TunableFile read = ReadTunableFile(
      "Validator,PT_VERSION,2.10.0\n" + kRow +
      "GemmTunableOp_float_NN,nn_50_33_70_ld_50_70_50,Gemm_Rocblas_7,0.5\n" + kHead);
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(read.rows[0].solution, "Default");
  EXPECT_EQ(read.validators.at("PT_VERSION"), "2.11.0");
  EXPECT_THAT(CodesOf(read), testing::ElementsAre("repeated_row", "repeated_validator"));
  EXPECT_EQ(read.issues[0].line, 3U);
}

TEST(TunableFile, what_pytorch_takes_nothing_of_says_why) {
  for (const std::string& file :
       {std::string(), kRow, "Validator,HIP_VERSION,6.4\n" + kRow,
        "Validator,PT_VERSION,2.11.0\r\n" + kRow, kHead + "Validator,A,1;2\n" + kRow}) {
    const TunableFile read = ReadTunableFile(file);
    EXPECT_TRUE(read.rows.empty()) << file;
    ASSERT_FALSE(read.issues.empty()) << file;
    EXPECT_THAT(CodesOf(read), testing::Contains("refused_file")) << file;
  }
}

TEST(TunableFile, what_no_lookup_asks_for_is_kept_aside) {
  for (const std::string row :
       {"# comment, a, b, c", "GemmTunableOp_float_NN, nn_50_33_70_ld_50_70_50,Default,0.1",
        "GemmTunableOp_float_NN,nt_50_33_70_ld_50_70_50,Default,0.1",
        "GemmTunableOp_float_NX,nx_50_33_70_ld_50_70_50,Default,0.1",
        "GemmTunableOp_float_NN,nn_50_33,Default,0.1",
        "GemmTunableOp_float_NN,nn_50_0_70_ld_50_70_50,Default,0.1",
        "GemmTunableOp_float_NN,nn_50_x_70_ld_50_70_50,Default,0.1",
        "TunableOp_float_NN,nn_50_33_70,Default,0.1"}) {
    const TunableFile read = ReadTunableFile(kHead + row + "\n" + kRow);
    EXPECT_EQ(read.rows.size(), 1U) << row;
    EXPECT_THAT(CodesOf(read), testing::ElementsAre("not_asked")) << row;
    EXPECT_EQ(read.issues[0].line, 2U);
  }
}

TEST(TunableFile, a_pattern_is_served_and_has_no_time) {
  const std::string pattern = "GemmTunableOp_float_NN,nn_*_33_70_ld_*_70_*,Gemm_Rocblas_3,0.5\n";
  const TunableFile read = ReadTunableFile(kHead + pattern);
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(MicrosecondsOf(read.rows[0]), "");
  EXPECT_THAT(CodesOf(read), testing::ElementsAre("pattern"));
  EXPECT_EQ(WriteTunableFile(read.validators, read.rows), kHead + pattern);
}

TEST(TunableFile, lines_that_end_like_windows_keep_their_rows_where_no_validator_has_them) {
  const TunableFile read =
      ReadTunableFile(kHead + "GemmTunableOp_float_NN,nn_50_33_70_ld_50_70_50,Default,0.0123\r\n" +
                      "GemmTunableOp_float_NN,nn_51_33_70_ld_51_70_51,Default\r\n");
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(read.rows[0].ms, "0.0123");
  EXPECT_EQ(read.rows[1].solution, "Default");
  EXPECT_THAT(CodesOf(read), testing::ElementsAre("carriage_return"));
}

TEST(TunableTime, the_point_moves_and_no_digit_changes) {
  const std::pair<std::string, std::string> times[] = {
      {"0.0123", "12.3"}, {"1.262", "1262"},
      {"12", "12000"},    {"1e-3", "1"},
      {"1E+2", "100000"}, {"0.00001", "0.01"},
      {".5", "500"},      {"5.", "5000"},
      {"007", "7000"},    {"0.1234567890123456789", "123.4567890123456789"},
      {"1e-7", "0.0001"}};
  for (const auto& [ms, us] : times) {
    EXPECT_EQ(MicrosecondsOf(std::string_view(ms)), us) << ms;
    EXPECT_EQ(MicrosecondsOf(MillisecondsOf(us)), us);
  }
  for (const char* none : {"", "0", "0.000", "-1", "abc", "1e", "1e400", "inf", "nan", " 1", "1 ",
                           ".", "1.2.3", "0x10", "1e99999999999"}) {
    EXPECT_EQ(MicrosecondsOf(std::string_view(none)), "") << none;
  }
}

TEST(TunablePath, a_path_tells_device_and_validators) {
  const TunablePlace places[] = {{"NVIDIA_H200", "PT_VERSION=2.11.0"},
                                 {"", "GCN_ARCH_NAME=gfx942:sramecc+:xnack-;PT_VERSION=2.9.1"},
                                 {"A/B%d", "HIP_VERSION=a/b%2F;PT_VERSION=2"}};
  for (const TunablePlace& place : places) {
    const auto parsed = Must(ParseTunablePath(TunablePathOf(place)));
    EXPECT_EQ(parsed.device, place.device);
    EXPECT_EQ(parsed.validators, place.validators);
  }
  EXPECT_EQ(TunablePathOf(places[0]), "NVIDIA_H200/PT_VERSION=2.11.0/tunableop_results%d.csv");
  EXPECT_TRUE(ParseTunablePath("PT_VERSION=2/tunableop_results0.csv").ok());
  EXPECT_TRUE(ParseTunablePath("PT_VERSION=2/tunableop_results.csv").ok());
  // Validators in another order form the same set.
  EXPECT_EQ(ParseTunablePath("PT_VERSION=2;A=1/tunableop_results.csv")->validators,
            "A=1;PT_VERSION=2");
}

TEST(TunablePath, another_name_says_which_part_is_wrong) {
  const std::pair<std::string, std::string> bad[] = {
      {"tunableop_results0.csv", "part 1"},
      {"PT_VERSION=2/results.csv", "part 2 'results.csv'"},
      {"PT_VERSION=2/tunableop_resultsx.csv", "part 2"},
      {"PT_VERSION=2/tunableop_results1234.csv", "part 2"},
      {"D/A=1/tunableop_results.csv", "part 2 'A=1'"},
      {"D/PT_VERSION/tunableop_results.csv", "has no '='"},
      {"D/PT_VERSION=1;PT_VERSION=2/tunableop_results.csv", "repeats a name"},
      {"/PT_VERSION=2/tunableop_results.csv", "part 1 ''"},
      {"a/b/PT_VERSION=2/tunableop_results.csv", "part 1"},
      {"", "part 1"}};
  for (const auto& [path, why] : bad) {
    const auto parsed = ParseTunablePath(path);
    EXPECT_EQ(ErrorCode(parsed), "bad_file_name") << path;
    EXPECT_THAT(parsed.error().detail, testing::HasSubstr(why)) << path;
  }
}

TEST(TunablePath, pytorch_puts_the_gpus_number_into_the_name) {
  EXPECT_EQ(TunableFileName("/x/tunableop_results%d.csv", 3), "/x/tunableop_results3.csv");
  EXPECT_EQ(TunableFileName("/x/tunableop_results.csv", 0), "/x/tunableop_results0.csv");
  EXPECT_EQ(TunableFileName("results", 7), "results7");
}

TEST(TunableShape, lines_of_an_untuned_file) {
  EXPECT_EQ(ReadUntunedLine("GemmTunableOp_float_NN,nn_50_33_70_ld_50_70_50\n")->params,
            "nn_50_33_70_ld_50_70_50");
  EXPECT_EQ(
      ReadUntunedLine("GemmTunableOp_float_NN,nn_50_33_70_ld_50_70_50,BLAS_PARAMS: {a, b}")->op,
      "GemmTunableOp_float_NN");
  for (const char* none : {"", "x", "a,b", "GemmTunableOp_float_NN,garbage_x",
                           "GemmTunableOp_float_NN,nn_50_33_70_ld_50_70_50,Default,0.1",
                           "Validator,PT_VERSION,2.11.0"}) {
    EXPECT_FALSE(ReadUntunedLine(none).has_value()) << none;
  }
}

// TunableOp's files become rows of TunableOp's family.

using test::ShippedFamily;
using test::ShippedReaders;
using test::ShippedTargets;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kAmd = "Validator,GCN_ARCH_NAME,gfx942:sramecc+:xnack-\nValidator,PT_VERSION,2\n";
const std::string kTunableShape = "GemmTunableOp_float_NN,nn_50_33_70_ld_50_70_50,";

TreeReading ReadTunable(const std::vector<TreeEntry>& entries, std::string_view device = "") {
  return ReadTree(*ShippedReaders().Find("tunableop"), ShippedTargets(), entries, device);
}

std::vector<std::string> CodesIn(const TreeReading& reading) {
  std::vector<std::string> codes;
  for (const Finding& finding : reading.findings) codes.push_back(finding.code);
  return codes;
}

TEST(TunableTree, a_row_has_its_files_validators_and_its_time_in_microseconds) {
  const TreeReading reading =
      ReadTunable({{"a/x.csv", "x.csv",
                    kAmd + kTunableShape + "Gemm_Rocblas_7,0.0123,BLAS_PARAMS: {M: 1, N: 2}\n"}});
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
  const TreeReading reading = ReadTunable({{"x.csv", "x.csv", kAmd + kTunableShape + "Default\n"}});
  const auto table =
      Must(ReadTunedTable(ShippedFamily("tunableop"), ShippedTargets(), reading.tables.at(0).csv));
  EXPECT_EQ(table.rows.at(0).standing, Standing::kDeclared);
}

TEST(TunableTree, the_device_is_what_is_said_then_the_path_then_the_gfx) {
  const std::string nvidia = "Validator,PT_VERSION,2.11.0\n" + kTunableShape + "Default,1\n";
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
  const std::vector<TreeEntry> file = {{"x.csv", "x.csv", kAmd + kTunableShape + "Default,1\n"}};
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
      {{"tunableop_results1.csv", "tunableop_results1.csv", kAmd + kTunableShape + "Default,2\n"},
       {"tunableop_results0.csv", "tunableop_results0.csv", kAmd + kTunableShape + "Default,1\n"},
       {"tunableop_results2.csv", "tunableop_results2.csv",
        kAmd + kTunableShape + "Gemm_Rocblas_1,3\n"}});
  EXPECT_EQ(reading.tables.at(0).rows, 2U);
  EXPECT_THAT(reading.tables[0].csv, HasSubstr("Default,1000,1,"));
  EXPECT_THAT(reading.tables[0].csv, HasSubstr("Gemm_Rocblas_1,3000,3,"));
}

TEST(TunableTree, another_file_is_none_of_its_and_a_refused_one_is_aside) {
  const TreeReading reading = ReadTunable(
      {{"d/a.csv", "d/a.csv", "M,N,K\n1,2,3\n"},
       {"tunableop_untuned0.csv", "tunableop_untuned0.csv", "GemmTunableOp_float_NN,nn_1_2_3\n"},
       {"tunableop_results0.csv", "tunableop_results0.csv", kTunableShape + "Default,1\n"}});
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
