// A table for a model. If AITER's lookup cannot tell rows apart, the table contains one of the
// rows.
#include "server/tables/table_narrowing.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/table/tuned_table.h"
#include "server/tables/provenance.h"
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

// The kernels, in order, of the table for a model with eight experts and this activation.
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

TEST(TableOfAModel, holds_its_own_activation_or_another_where_that_is_all_there_is) {
  // AITER's lookup compares everything but the activation and takes the first row that fits.
  const std::string both = NarrowLine(16, "Silu", "k_silu") + NarrowLine(16, "Gelu", "k_gelu");
  EXPECT_EQ(KernelsFor("silu", both), "silu ");
  EXPECT_EQ(KernelsFor("gelu", both), "gelu ");
  EXPECT_EQ(KernelsFor("gelu_pytorch_tanh", both), "gelu ");
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
      << "another tag counts as no tag";
}

constexpr const char* kRun = R"({"rocm":"6.4.1","aiter":"e4048607a5b1"})";
constexpr const char* kNone = R"({"provenance":"unknown"})";

TEST(Provenance, a_version_takes_those_below_it_a_commit_its_beginning_and_an_engine_either) {
  EXPECT_TRUE(IsVersionOf("6.4", "6.4"));
  EXPECT_TRUE(IsVersionOf("6.4", "6.4.1"));
  EXPECT_TRUE(IsVersionOf("6.4", "6.4-rc1"));
  EXPECT_FALSE(IsVersionOf("6.4", "6.40"));
  EXPECT_FALSE(IsVersionOf("6.4.1", "6.4"));
  EXPECT_TRUE(IsVersionOf("e404860", "e4048607a5b1"));
  EXPECT_FALSE(IsVersionOf("e4048", "e4048607a5b1")) << "too short for a commit hash";
  EXPECT_FALSE(IsVersionOf("e404861", "e4048607a5b1"));
  EXPECT_TRUE(IsVersionOf("vllm", "vllm@0.11.2"));
  EXPECT_TRUE(IsVersionOf("vllm@0.11", "vllm@0.11.2"));
  EXPECT_FALSE(IsVersionOf("vllm@0.1", "vllm@0.11.2"));
  EXPECT_FALSE(IsVersionOf("vllm@0.11", "sglang@0.11"));
  const char* run = R"({"triton":"3.5.1","pytorch":"2.9.0+rocm7.0","engine":"vllm@0.11.0"})";
  EXPECT_EQ(Judge({.triton = "3.5.1", .pytorch = "2.9", .engine = "vllm"}, run, 0),
            Provenance::kMatches);
  EXPECT_EQ(Judge({.triton = "3.4"}, run, 0), Provenance::kOther);
  EXPECT_EQ(Judge({.rocm = "7.0", .triton = "3.5"}, run, 0), Provenance::kUnknown);
}

TEST(Provenance, a_run_matches_in_all_that_is_asked_and_what_it_does_not_say_is_unknown) {
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = ""}, kRun, 0), Provenance::kMatches);
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = "e404860"}, kRun, 0), Provenance::kMatches);
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = "0.1"}, kRun, 0), Provenance::kOther);
  EXPECT_EQ(Judge({.rocm = "", .aiter = "", .since = 5}, kRun, 5), Provenance::kMatches);
  EXPECT_EQ(Judge({.rocm = "", .aiter = "", .since = 5}, kRun, 4), Provenance::kOther);
  const char* only_rocm = R"({"rocm":"6.4.1"})";
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = "e404860"}, only_rocm, 0), Provenance::kUnknown);
  EXPECT_EQ(Judge({.rocm = "7.0", .aiter = "e404860"}, only_rocm, 0), Provenance::kOther);
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = ""}, R"({"rocm":6.4})", 0), Provenance::kUnknown);
  EXPECT_EQ(Judge({.rocm = "6.4", .aiter = ""}, kNone, 0), Provenance::kUnknown);
  EXPECT_EQ(Judge({.rocm = "", .aiter = "", .since = 5}, kNone, 9), Provenance::kUnknown)
      << "the run states no start, only the time of receipt is known";
}

TEST(Provenance, a_run_is_of_the_device_that_it_names_most_exactly) {
  const core::Devices& devices = test::ShippedTargets().devices();
  const ProvenanceFilter filter{.devices = {"MI325X"}};
  const auto judge = [&](const char* run) { return Judge(filter, run, 0, devices); };
  EXPECT_EQ(judge(R"({"product":"MI325X"})"), Provenance::kMatches);
  EXPECT_EQ(judge(R"({"product":"MI300X"})"), Provenance::kOther);
  EXPECT_EQ(judge(R"({"gpu":"ip discovery","pci_id":"1002:74a5"})"), Provenance::kMatches);
  EXPECT_EQ(judge(R"({"gpu":"AMD Instinct MI300X","gfx":"gfx942","cu_num":304})"),
            Provenance::kOther)
      << "a sibling is another device";
  EXPECT_EQ(judge(R"({"gpu":"AMD Radeon Graphics","cu_num":304})"), Provenance::kUnknown);
  EXPECT_EQ(judge(kNone), Provenance::kUnknown);
}

}  // namespace
}  // namespace tunehub::server
