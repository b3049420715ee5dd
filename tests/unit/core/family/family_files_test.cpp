#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/table/csv.h"
#include "core/table/table_writer.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::AiterFamilies;
using test::ShippedFamilies;
using test::ShippedFamily;
using List = std::vector<std::string>;

// Headers that AITER writes, in addition to TableHeaders.are_read_by_name (table_header_test.cpp).
const std::map<std::string, std::string> kHeaders = {
    {"a8w8_blockscale_bpreshuffle",
     "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    {"a16w8_mxfp8_asm", "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    {"a6w6_blockscale", "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    {"a6w4_asm", "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    {"a4w6_asm", "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    {"a8w8_blockscale_group32",
     "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    {"a8w8_blockscale_abpreshuffle",
     "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    {"a8w8_mxfp8_bpreshuffle",
     "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    {"a8w8_blockscale_mxscale_bpreshuffle",
     "gfx,cu_num,M,N,K,w_scale_block,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
    {"batched_a8w8_blockscale_mxscale_bpreshuffle",
     "gfx,b,m,n,k,w_scale_block,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
};

const std::string kMoeKey =
    "gfx cu_num token model_dim inter_dim expert topk act_type dtype q_dtype_a q_dtype_w q_type "
    "use_g1u1 doweight_stage1";
const std::string kGemmKey = "gfx cu_num M N K";

// The shape key columns by which AITER merges tables.
const std::map<std::string, std::string> kKeys = {
    {"a4w4_blockscale", kGemmKey},
    {"a8w8", kGemmKey + " q_dtype_w"},
    {"a8w8_blockscale", kGemmKey},
    {"a8w8_blockscale_bpreshuffle", kGemmKey},
    {"a8w8_bpreshuffle", kGemmKey + " q_dtype_w"},
    {"batched_a8w8", "gfx cu_num B M N K"},
    {"batched_a8w8_blockscale_mxscale", "gfx b m n k"},
    {"batched_bf16", "gfx cu_num B M N K"},
    {"bf16", kGemmKey + " bias dtype outdtype scaleAB bpreshuffle"},
    {"chunk_gdn_h",
     "gfx cu_num V H Hg is_varlen use_h0 store_fs snapshot_bf16 state_bf16 total_chunks "
     "max_seq_chunks"},
    {"fhmoe",
     "gfx cu_num token model_dim inter_dim expert topk shared_expert_id act_type dtype q_dtype_a "
     "q_dtype_w q_type use_g1u1 doweight_stage1 hidden_pad intermediate_pad gate_mode"},
    {"fmoe", kMoeKey + " _tag"},
    {"grouped_fmoe", kMoeKey + " gate_mode"},
    {"a16w8_mxfp8_asm", kGemmKey},
    {"a6w6_blockscale", kGemmKey},
    {"a6w4_asm", kGemmKey},
    {"a4w6_asm", kGemmKey},
    {"a8w8_blockscale_group32", kGemmKey},
    {"a8w8_blockscale_abpreshuffle", kGemmKey},
    {"a8w8_mxfp8_bpreshuffle", kGemmKey},
    {"a8w8_blockscale_mxscale_bpreshuffle", kGemmKey + " w_scale_block"},
    {"batched_a8w8_blockscale_mxscale_bpreshuffle", "gfx b m n k w_scale_block"},
};

std::string Key(const Family& family) {
  std::string key;
  for (const std::size_t column : family.key_columns) {
    key += (key.empty() ? "" : " ") + family.columns[column].name;
  }
  return key;
}

const Column& ColumnOf(const std::string& family, const std::string& column) {
  return ShippedFamily(family).columns.at(ShippedFamily(family).Find(column));
}

// Returns the cell of a column that a file lacks, for a row of `gfx` with `kernel`.
std::string Missing(const std::string& family, const std::string& column, const std::string& gfx,
                    const std::string& kernel) {
  for (const MissingRule& rule : ColumnOf(family, column).missing) {
    if (!rule.gfx.empty() && rule.gfx != gfx) continue;
    if (kernel.starts_with(rule.kernel_prefix)) return rule.value;
  }
  return "none";
}

// Returns the error of the header, or "" if the header is valid.
std::string HeaderError(const Family& family, std::string_view header) {
  CsvReader reader(header);
  CsvRecord record;
  if (const Result<bool> found = reader.Next(record); !found.ok() || !*found) return "no header";
  const Result<TableHeader> mapped = MapHeader(family, record.fields);
  return mapped.ok() ? "" : mapped.error().detail;
}

TEST(FamilyFiles, all_of_aiter_load_with_its_names_headers_and_keys) {
  EXPECT_EQ(AiterFamilies().size(), kKeys.size());
  for (const auto& [name, key] : kKeys) {
    const Family& family = test::ShippedFamily(name);
    EXPECT_EQ(family.source, test::ReadText(test::ShippedFamilyFolder() / (name + ".json")));
    EXPECT_EQ(family.file, family.token + ".csv");
  }
  for (const auto& [name, header] : kHeaders) EXPECT_EQ(ShippedFamily(name).Header(false), header);
  for (const auto& [name, key] : kKeys) EXPECT_EQ(Key(ShippedFamily(name)), key) << name;
}

TEST(FamilyFiles, optional_columns_error_limits_and_libtypes_of_old_tables_are_aiters) {
  for (const auto& family : AiterFamilies()) {
    EXPECT_EQ(family->has_optional, family->name == "grouped_fmoe");
  }
  const std::string header = ShippedFamily("grouped_fmoe").Header(true);
  EXPECT_NE(header.find(",doweight_stage1,gate_mode,max_m,"), std::string::npos) << header;
  for (const auto& family : AiterFamilies()) {
    const bool moe = family->name.find("moe") != std::string::npos;
    EXPECT_EQ(family->error_limit, moe ? 0.5 : 0.2) << family->name;
  }
  const std::string bpreshuffle = "a8w8_blockscale_bpreshuffle";
  EXPECT_EQ(Missing("a8w8_blockscale", "libtype", "gfx950", "a8w8_blockscale_1x128x128_2"), "ck");
  EXPECT_EQ(Missing("a8w8_blockscale", "libtype", "gfx950", "a8w8_blockscale_cktile_8"), "cktile");
  EXPECT_EQ(Missing(bpreshuffle, "libtype", "gfx942", "_ZN5aiter42fp8gemm"), "asm");
  EXPECT_EQ(Missing(bpreshuffle, "libtype", "gfx942", "flydsl_x"), "flydsl");
  EXPECT_EQ(Missing(bpreshuffle, "libtype", "gfx942", "opus_x"), "opus");
  EXPECT_EQ(Missing(bpreshuffle, "libtype", "gfx942", ""), "ck");
}

TEST(FamilyFiles, row_order_keeps_aiters_dispatch) {
  const List& acts = ColumnOf("fmoe", "act_type").values;
  EXPECT_EQ(acts, (List{"ActivationType.No", "ActivationType.Silu", "ActivationType.Gelu",
                        "ActivationType.Swiglu", "ActivationType.Situv2"}));
  const List& dtypes = ColumnOf("a8w8", "q_dtype_w").values;
  EXPECT_EQ((List{dtypes.begin(), dtypes.begin() + 3}),
            (List{"torch.int8", "torch.float8_e4m3fnuz", "torch.float8_e4m3fn"}));
  for (const auto& family : AiterFamilies()) {
    for (const Column& column : family->columns) {
      if (column.type != Type::kEnum || !column.values.front().starts_with("torch.")) continue;
      EXPECT_EQ(column.values, dtypes) << family->name << " " << column.name;
      EXPECT_EQ(column.prefix, "torch.") << "scripts evaluate the cell as Python";
    }
  }
}

// In these families the shape key names the engine's file.
TEST(FamilyFiles, a_row_of_an_engines_file_has_the_engine_and_the_device_in_its_key) {
  EXPECT_EQ(Key(ShippedFamily("triton_fused_moe")),
            "engine device triton E N dtype block_n block_k per_channel_quant down backend M");
  EXPECT_EQ(Key(ShippedFamily("triton_block_gemm")),
            "engine device N K dtype input_dtype out_dtype block_n block_k M");
  EXPECT_EQ(Key(ShippedFamily("triton_gemm")), "engine gfx layout op B N K sizes CU bucket");
  for (const auto& family : ShippedFamilies().all()) {
    if (family->engine == kNoColumn) continue;
    // Benchmark rows have times. Rows of an engine's file have none.
    EXPECT_EQ(family->declared_without_time, family->name != "triton_bench") << family->name;
    EXPECT_EQ(family->env, "") << family->name << ": AITER has no variable for it";
  }
}

TEST(FamilyFiles, a_key_column_must_not_be_missing) {
  for (const auto& family : AiterFamilies()) {
    EXPECT_TRUE(family->columns[family->gfx].missing.empty()) << family->name;
    EXPECT_NE(HeaderError(*family, "gfx,us"), "") << family->name;
  }
}

TEST(FamilyFiles, real_untuned_files_of_a_family_have_its_untuned_header) {
  const auto files = test::RealUntunedFiles();
  if (files.empty()) GTEST_SKIP() << test::NoRealTables();
  int checked = 0;
  for (const auto& family : AiterFamilies()) {
    const auto file = std::ranges::find(files, family->untuned_file,
                                        [](const auto& path) { return path.filename().string(); });
    if (file == files.end()) continue;
    std::string text = test::ReadText(*file);
    CsvReader reader(text);
    CsvRecord header;
    ASSERT_TRUE(*reader.Next(header)) << *file;
    EXPECT_EQ((List{header.fields.begin(), header.fields.end()}), family->untuned_columns) << *file;
    ++checked;
  }
  EXPECT_EQ(checked, 12) << "only mxscale has no untuned file";
}

}  // namespace
}  // namespace tunehub::core
