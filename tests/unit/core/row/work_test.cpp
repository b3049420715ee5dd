#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/row/cell.h"
#include "core/row/roofline.h"
#include "core/table/csv.h"
#include "core/table/detect.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::CellList;

std::optional<Work> WorkOf(std::string_view family_name, const CellList& cells) {
  const Family& family = test::ShippedFamily(family_name);
  return ComputeWork(family, test::CellsOf(family, cells));
}

std::string_view PrecisionOf(std::string_view family_name, const CellList& cells) {
  const Family& family = test::ShippedFamily(family_name);
  return RowPrecision(family, test::CellsOf(family, cells));
}

TEST(Metrics, gemm_counts_each_element_once) {
  const Work work = *WorkOf("a8w8_blockscale", "M=2 N=3 K=5");
  EXPECT_EQ(work.flops, 60);
  EXPECT_EQ(work.bytes, 10 + 15 + 12);
}

TEST(Metrics, bytes_follow_the_operands) {
  const CellList shape = "M=2 N=3 K=5";
  EXPECT_EQ(WorkOf("bf16", shape)->bytes, 20 + 30 + 12);
  EXPECT_EQ(WorkOf("a4w4_blockscale", shape)->bytes, 5 + 7.5 + 12);
  const CellList batched = "B=4 M=2 N=3 K=5";
  EXPECT_EQ(WorkOf("batched_a8w8", batched)->flops, 240);
  EXPECT_EQ(WorkOf("batched_a8w8", batched)->bytes, 4 * (10 + 15 + 12));
  EXPECT_EQ(WorkOf("batched_bf16", batched)->bytes, 4 * (20 + 30 + 12));
}

TEST(Metrics, mxscale_has_lower_case_columns_and_a_batch) {
  const Work work = *WorkOf("batched_a8w8_blockscale_mxscale", "b=2 m=1 n=1024 k=4096");
  EXPECT_EQ(work.flops, 2.0 * 2 * 1024 * 4096);
  EXPECT_NEAR(Tflops(work, 7.8), 2.2, 0.05);
  EXPECT_NEAR(GigabytesPerSecond(work, 7.8), 1076.95, 0.2);
}

std::optional<Work> WorkFmoe(const std::string& gated, const std::string& topk = "8") {
  return WorkOf("fmoe",
                "token=64 model_dim=7168 inter_dim=256 expert=256 dtype=torch.bfloat16 "
                "q_dtype_a=torch.float8_e4m3fn q_dtype_w=torch.int4 topk=" +
                    topk + " use_g1u1=" + gated);
}

TEST(Metrics, fmoe_counts_both_stages_and_every_experts_weights) {
  EXPECT_EQ(WorkFmoe("1")->flops, 2.0 * 64 * 8 * 7168 * (512 + 256));
  EXPECT_EQ(WorkFmoe("1")->bytes,
            64.0 * 7168 * 1 + 256.0 * 7168 * (512 + 256) * 0.5 + 64.0 * 7168 * 2);
  EXPECT_EQ(WorkFmoe("0")->flops, 2.0 * 64 * 8 * 7168 * (256 + 256));
}

TEST(Metrics, nothing_is_computed_from_what_is_not_known_and_elements_have_aiters_bytes) {
  EXPECT_FALSE(WorkOf("a8w8_blockscale", {{"M", "2"}, {"N", ""}, {"K", "5"}}));
  EXPECT_FALSE(WorkOf("a8w8_blockscale", "M=2 N=x K=5"));
  EXPECT_FALSE(WorkOf("a8w8_blockscale", "M=0 N=3 K=5"));
  EXPECT_FALSE(WorkOf("batched_bf16", "B=? M=2 N=3 K=5"));
  EXPECT_FALSE(WorkFmoe("1", "-1")) << "topk is unknown under expert parallelism";
  EXPECT_FALSE(WorkOf("fhmoe", {{"token", "1"}}));
  EXPECT_FALSE(WorkOf("chunk_gdn_h", "N=1 K=128"));
  EXPECT_EQ(BytesPerElement("torch.bfloat16"), 2);
  EXPECT_EQ(BytesPerElement("torch.float16"), 2);
  EXPECT_EQ(BytesPerElement("torch.float32"), 4);
  EXPECT_EQ(BytesPerElement("torch.float8_e4m3fn"), 1);
  EXPECT_EQ(BytesPerElement("torch.float8_e4m3fnuz"), 1);
  EXPECT_EQ(BytesPerElement("torch.int8"), 1);
  EXPECT_EQ(BytesPerElement("torch.float4_e2m1fn_x2"), 1);
  EXPECT_EQ(BytesPerElement("torch.int4"), 0.5);
  EXPECT_EQ(BytesPerElement("torch.complex64"), std::nullopt);
}

TEST(Metrics, precision_is_that_of_the_operands) {
  EXPECT_EQ(PrecisionOf("a8w8", {{"q_dtype_w", "torch.int8"}}), "int8");
  EXPECT_EQ(PrecisionOf("a8w8_bpreshuffle", {{"q_dtype_w", "torch.float8_e4m3fnuz"}}), "fp8");
  EXPECT_EQ(PrecisionOf("a8w8_blockscale", {}), "fp8");
  EXPECT_EQ(PrecisionOf("a8w8_blockscale_bpreshuffle", {}), "fp8");
  EXPECT_EQ(PrecisionOf("a4w4_blockscale", {}), "fp4");
  EXPECT_EQ(PrecisionOf("bf16", {{"dtype", "torch.bfloat16"}}), "bf16");
  EXPECT_EQ(PrecisionOf("bf16", {{"dtype", "torch.float16"}}), "fp16");
  EXPECT_EQ(PrecisionOf("batched_a8w8", {}), "int8");
  EXPECT_EQ(PrecisionOf("batched_bf16", {}), "bf16");
  EXPECT_EQ(PrecisionOf("batched_a8w8_blockscale_mxscale", {}), "fp8");
  EXPECT_EQ(PrecisionOf("fmoe", {{"q_dtype_a", "torch.float4_e2m1fn_x2"}}), "fp4");
  EXPECT_EQ(PrecisionOf("grouped_fmoe", {{"q_dtype_a", "torch.float8_e4m3fn"}}), "fp8");
  EXPECT_EQ(PrecisionOf("fhmoe", {{"q_dtype_a", "torch.float8_e4m3fn"}}), "");
  EXPECT_EQ(PrecisionOf("chunk_gdn_h", {{"dtype", "torch.bfloat16"}}), "");
}

// Counts real rows whose tflops and bw follow from their shape and time.
struct Agreement {
  int rows = 0;  // with a time above 0
  int tflops = 0, bw = 0;
};

bool Agrees(double computed, std::string_view stated, double rounding) {
  const std::optional<double> value = ParseNumber(stated);
  return value && std::abs(*value - computed) <= rounding + 2e-3 * computed;
}

Cells InFamilyOrder(const Family& family, const CsvRecord& record,
                    const std::vector<std::size_t>& column_of_field) {
  Cells cells(family.columns.size());
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    if (column_of_field[i] != kNoColumn) cells[column_of_field[i]] = record.fields[i];
  }
  return cells;
}

void AddTable(const Family& family, std::string_view text, Agreement& agreement) {
  CsvReader reader(text);
  CsvRecord record;
  std::vector<std::size_t> column_of_field;
  if (!*reader.Next(record)) return;
  for (const std::string_view field : record.fields) column_of_field.push_back(family.Find(field));
  while (*reader.Next(record)) {
    if (record.fields.size() != column_of_field.size()) continue;
    const Cells cells = InFamilyOrder(family, record, column_of_field);
    const std::optional<double> us = ParseNumber(cells[family.objective]);
    const std::optional<Work> work = ComputeWork(family, cells);
    if (!us || !work || *us <= 0 || !std::isfinite(*us)) continue;
    ++agreement.rows;
    // Tables of mxscale round tflops to one decimal, other families to two.
    if (Agrees(Tflops(*work, *us), cells[family.Find("tflops")], 0.051)) ++agreement.tflops;
    if (Agrees(GigabytesPerSecond(*work, *us), cells[family.Find("bw")], 0.51)) ++agreement.bw;
  }
}

std::map<std::string, Agreement> AgreementOfRealTables() {
  std::map<std::string, Agreement> agreements;
  for (const auto& file : test::RealTunedFiles()) {
    const auto family = DetectFamily(test::ShippedFamilies(), file.string(), "");
    if (!family.ok() || (*family)->metric.formula == "none") continue;
    AddTable(**family, test::ReadText(file), agreements[(*family)->name]);
  }
  return agreements;
}

// The minimum share of rows that agree. If it is below 1, AITER's tables are stale or count other
// bytes:
//  - bpreshuffle of DeepSeek-V3 and fmoe copies of smaller tokens are stale.
//  - batched_a8w8 counts two bytes per operand element, blockscale_bpreshuffle counts TB/s.
struct Share {
  double tflops, bw;
};

const std::map<std::string, Share> kShares = {
    {"a4w4_blockscale", {1, 1}},
    {"a8w8", {1, 1}},
    {"a8w8_blockscale", {0.99, 0.99}},
    {"a8w8_blockscale_bpreshuffle", {1, 0.3}},
    {"a8w8_bpreshuffle", {0.7, 0.8}},
    {"batched_a8w8", {1, 0}},
    {"batched_a8w8_blockscale_mxscale", {1, 1}},
    {"batched_bf16", {1, 1}},
    {"bf16", {1, 1}},
    {"fmoe", {0.7, 0.9}},
    {"grouped_fmoe", {0, 0}},  // rows of this family state 0 for both
};

TEST(Metrics, real_tables_state_what_follows_from_their_shapes) {
  const auto agreements = AgreementOfRealTables();
  if (agreements.empty()) GTEST_SKIP() << test::NoRealTables();
  for (const auto& [family, share] : kShares) {
    ASSERT_TRUE(agreements.contains(family)) << family;
    const Agreement& found = agreements.at(family);
    EXPECT_GE(found.tflops, share.tflops * found.rows) << family << " of " << found.rows;
    EXPECT_GE(found.bw, share.bw * found.rows) << family << " of " << found.rows;
  }
}

std::optional<Roofline> On(std::string_view product, std::string_view family_name,
                           const CellList& given) {
  const Family& family = test::ShippedFamily(family_name);
  const Devices& devices = test::ShippedTargets().devices();
  const Device* const device = devices.Find(product);
  return RooflineOf(family, test::CellsOf(family, given), devices, device->gfx, device->cu_num,
                    device);
}

TEST(Roofline, is_the_slower_of_memory_and_matrix_units_and_nothing_where_a_figure_is_not_known) {
  // With one row of activations, reading 5120 * 1280 bytes of weights takes nearly all of the time.
  const auto small = On("MI300X", "a8w8_blockscale", "M=1 N=1280 K=5120");
  EXPECT_TRUE(small->by_memory);
  EXPECT_DOUBLE_EQ(small->us, (5120.0 + 1280 * 5120 + 2 * 1280) / 5300e3);
  const auto large = On("MI300X", "a8w8_blockscale", "M=16384 N=8192 K=8192");
  EXPECT_FALSE(large->by_memory);
  EXPECT_DOUBLE_EQ(large->us, 2.0 * 16384 * 8192 * 8192 / 2614.9e6);
  EXPECT_DOUBLE_EQ(large->Share(2 * large->us), 0.5);
  const CellList given = "M=1 N=1280 K=5120";
  const Family& family = test::ShippedFamily("a8w8_blockscale");
  const Devices& devices = test::ShippedTargets().devices();
  const Cells cells = test::CellsOf(family, given);
  const auto any = RooflineOf(family, cells, devices, "gfx942", 304);
  EXPECT_EQ(any->product->product, "MI300X") << "MI300X has 5.3 TB/s, less than MI325X's 6";
  EXPECT_LT(On("MI325X", "a8w8_blockscale", given)->us, any->us);
  EXPECT_EQ(On("MI325X", "a8w8_blockscale", given)->product->product, "MI325X");
  EXPECT_FALSE(On("MI308X", "a8w8_blockscale", given)) << "MI308X's memory bandwidth is unknown";
  EXPECT_FALSE(On("MI300X", "a4w4_blockscale", given)) << "MI300X has no fp4";
  EXPECT_TRUE(On("MI355X", "a4w4_blockscale", given));
  EXPECT_FALSE(RooflineOf(family, cells, devices, "cpu-x86-64-v4", 8));
  EXPECT_FALSE(On("MI300X", "a8w8_blockscale", {{"M", ""}, {"N", "1280"}, {"K", "5120"}}));
}

std::optional<Work> LeastExperts(const std::string& token, const std::string& weights) {
  const Family& family = test::ShippedFamily("fmoe");
  return LeastWork(family, test::CellsOf(family,
                                         "model_dim=7168 inter_dim=256 expert=256 topk=8 "
                                         "dtype=torch.bfloat16 q_dtype_a=torch.float8_e4m3fn "
                                         "use_g1u1=1 token=" +
                                             token + " q_dtype_w=" + weights));
}

TEST(Roofline, reads_the_experts_that_tokens_reach_in_the_type_of_the_row) {
  const double one = 7168.0 * 3 * 256;
  EXPECT_EQ(LeastExperts("2", "torch.float8_e4m3fn")->bytes, 2 * 7168 * 3.0 + 16 * one);
  EXPECT_EQ(LeastExperts("64", "torch.float8_e4m3fn")->bytes, 64 * 7168 * 3.0 + 256 * one);
  EXPECT_EQ(LeastExperts("64", "torch.float4_e2m1fn_x2")->bytes, 64 * 7168 * 3.0 + 128 * one)
      << "a byte contains two fp4 weights";
  EXPECT_EQ(LeastExperts("64", "torch.float8_e4m3fn")->flops, 2.0 * 64 * 8 * one);
  const Family& family = test::ShippedFamily("bf16");
  const auto bytes = [&](std::string_view dtype) {
    return LeastWork(family,
                     test::CellsOf(family, {{"M", "2"}, {"N", "3"}, {"K", "5"}, {"dtype", dtype}}))
        ->bytes;
  };
  EXPECT_EQ(bytes("torch.bfloat16"), 20 + 30 + 12);
  EXPECT_EQ(bytes("torch.float8_e4m3fnuz"), 10 + 15 + 12);
}

}  // namespace
}  // namespace tunehub::core
