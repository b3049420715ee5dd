// A table for a model: which of the rows that AITER's lookup cannot tell apart it holds.
#include "server/tables/table_narrowing.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/table/tuned_table.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::server {
namespace {

const std::string kNarrowHeader =
    "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
    "use_g1u1,doweight_stage1,block_m,kernelName1,us,_tag\n";

std::string NarrowLine(int token, const std::string& act, const std::string& kernel,
                       const std::string& tag = "") {
  return "gfx942,304," + std::to_string(token) + ",1024,512,8,2,ActivationType." + act +
         ",torch.bfloat16,torch.float8_e4m3fnuz,torch.float8_e4m3fnuz,QuantType.per_1x128,1,0,32," +
         kernel + ",20.5," + tag + "\n";
}

// The kernels of the table for a model of eight experts with this activation, in order.
std::string KernelsFor(const std::string& hidden_act, const std::string& rows) {
  const test::TempDir models;
  std::ofstream(models.path() / "moe.json")
      << R"({"model_type": "qwen3_moe", "hidden_size": 1024, "num_attention_heads": 8, "num_experts": 8,)"
      << R"("num_experts_per_tok": 2, "moe_intermediate_size": 512, "hidden_act": ")" << hidden_act
      << R"("})";
  const Definitions definitions{test::ShippedFamilies(), test::ShippedTargets(), {}, models.path()};
  const core::Family& family = *definitions.families.Find("fmoe");
  RowSet set{&family, {}};
  auto table = core::ReadTunedTable(family, definitions.targets, kNarrowHeader + rows);
  for (core::Row& row : table->rows) {
    auto tuned = std::make_shared<TunedRow>();
    tuned->line = std::move(row.line);
    set.rows.push_back(std::move(tuned));
  }
  TunedQuery query;
  query.model = "moe";
  query.tp = 1;
  const auto narrowed = Narrow(std::move(set), query, definitions);
  if (!narrowed.ok()) return narrowed.error().code;
  std::string kernels;
  for (const auto& row : narrowed->set.rows) {
    for (const char* const kernel : {"k_silu", "k_gelu", "k_fallback", "k_exact"}) {
      if (row->line.find(kernel) != std::string::npos) kernels += std::string(kernel + 2) + " ";
    }
  }
  return kernels;
}

// AITER's lookup goes by everything but the activation and takes the first row.
TEST(TableOfAModel, holds_its_own_activation_where_there_is_a_choice) {
  const std::string both = NarrowLine(16, "Silu", "k_silu") + NarrowLine(16, "Gelu", "k_gelu");
  EXPECT_EQ(KernelsFor("silu", both), "silu ");
  EXPECT_EQ(KernelsFor("gelu", both), "gelu ");
  EXPECT_EQ(KernelsFor("gelu_pytorch_tanh", both), "gelu ");
}

TEST(TableOfAModel, holds_another_activation_where_that_is_all_there_is) {
  const std::string rows = NarrowLine(16, "Silu", "k_silu") + NarrowLine(32, "Gelu", "k_gelu");
  EXPECT_EQ(KernelsFor("silu", rows), "silu gelu ");
  EXPECT_EQ(KernelsFor("gelu", rows), "silu gelu ");
}

TEST(TableOfAModel, a_row_that_aiter_drops_at_load_displaces_none) {
  EXPECT_EQ(KernelsFor("gelu", NarrowLine(16, "Silu", "k_silu") +
                                   NarrowLine(16, "Gelu", "k_fallback", "flydsl_fallback")),
            "silu fallback ");
  EXPECT_EQ(KernelsFor("gelu", NarrowLine(16, "Silu", "k_silu") +
                                   NarrowLine(16, "Gelu", "k_exact", "exact")),
            "exact ")
      << "another tag is read as none";
}

}  // namespace
}  // namespace tunehub::server
