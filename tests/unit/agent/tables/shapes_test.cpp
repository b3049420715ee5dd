#include <sstream>

#include "agent/tables/commands.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

ShapesOptions Of(const std::string& model, std::int64_t tp, const std::string& family) {
  ShapesOptions options;
  options.model = model;
  options.tp = tp;
  options.family = family;
  return options;
}

TEST(AgentShapes, prints_the_untuned_table_of_a_model) {
  ShapesOptions options = Of("qwen3-vl-235b-a22b", 8, "a8w8_bpreshuffle");
  options.grid = "1,16";
  options.gfx = "gfx942";
  const Ran ran = RunCommand(Shapes, options);
  EXPECT_EQ(ran.code, kGood) << ran.err;
  EXPECT_EQ(ran.out,
            "M,N,K,q_dtype_w\n"
            "1,1280,4096,torch.float8_e4m3fnuz\n16,1280,4096,torch.float8_e4m3fnuz\n"
            "1,4096,1024,torch.float8_e4m3fnuz\n16,4096,1024,torch.float8_e4m3fnuz\n");
}

TEST(AgentShapes, an_unknown_member_is_a_note_and_with_strict_a_refusal) {
  const TempFolder folder;
  ShapesOptions options;
  options.model = folder.Write("config.json", R"({"model_type": "llama", "hidden_size": 1024,
      "num_attention_heads": 8, "intermediate_size": 4096, "num_zeta_layers": 3})");
  const Ran ran = RunCommand(Shapes, options);
  EXPECT_EQ(ran.code, kGood);
  EXPECT_EQ(ran.err,
            "note: num_zeta_layers is an unknown member, which may change a shape or a layer's "
            "storage (unknown_member)\n");
  options.strict = true;
  const Ran strict = RunCommand(Shapes, options);
  EXPECT_EQ(strict.code, kFailed);
  EXPECT_EQ(strict.out, "");
  EXPECT_THAT(strict.err, HasSubstr("num_zeta_layers is an unknown member"));
}

// Since 0.1.16 AITER reduces the top-k by one if an engine passes a mask. Engines may omit the
// mask.
TEST(AgentShapes, the_top_k_under_expert_parallelism_is_what_the_lookup_asks_for) {
  const auto topks = [](const char* engine, const char* aiter, bool fused, std::string* note) {
    ShapesOptions options = Of("glm-4.7", 8, "fmoe");
    options.ep = 8;
    options.grid = "64";
    options.engine = engine;
    options.aiter = aiter;
    options.fuse_shared_experts = fused;
    const Ran ran = RunCommand(Shapes, options);
    EXPECT_EQ(ran.code, kGood) << ran.err;
    if (note != nullptr) *note = ran.err;
    std::string all;
    std::istringstream lines(ran.out);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      EXPECT_TRUE(line.starts_with(fused ? "64,5120,1536,21," : "64,5120,1536,20,")) << line;
      all += (all.empty() ? "" : " ") + line.substr(16, line.find(',', 16) - 16);
    }
    return all;
  };
  std::string note;
  EXPECT_EQ(topks("", "", false, &note), "7 8");
  EXPECT_EQ(note,
            "note: with ep 8, AITER (newest) looks up experts with topk 7 or 8 and the 20 "
            "experts of one GPU; without ep, with topk 8; all are listed, because the right topk "
            "is unknown (ep_topk)\n");
  EXPECT_EQ(topks("vllm", "", false, &note), "7");
  EXPECT_EQ(note,
            "note: with ep 8, AITER (newest) looks up experts with topk 7 and the 20 experts "
            "of one GPU; without ep, with topk 8 (ep_topk)\n");
  EXPECT_EQ(topks("vllm", "0.1.15.post1", false, nullptr), "8");
  EXPECT_EQ(topks("vllm", "0.1.16", false, nullptr), "7");
  EXPECT_EQ(topks("vllm", "0.1.16", true, nullptr), "9 8");
  EXPECT_EQ(topks("sglang", "0.1.20.post1", false, nullptr), "7");
  EXPECT_EQ(topks("sglang", "0.1.14", false, nullptr), "8");
  EXPECT_EQ(topks("atom", "", false, nullptr), "7 8");
  EXPECT_EQ(topks("", "0.1.15", false, nullptr), "8");
  ShapesOptions options = Of("glm-4.7", 8, "fmoe");
  options.aiter = "new";
  EXPECT_THAT(RunCommand(Shapes, options).err, HasSubstr("'new': expected a version"));
  options.aiter.clear();
  options.ep = 8;
  options.grid = "64";
  options.columns = {"topk=5"};  // overrides the top-k of lookups
  EXPECT_EQ(RunCommand(Shapes, options).err, "");
}

TEST(AgentShapes, a_top_k_that_no_row_can_have_is_told) {
  ShapesOptions options = Of("llama-4-maverick", 8, "fmoe");
  options.ep = 8;
  options.grid = "64";
  options.engine = "sglang";
  const Ran ran = RunCommand(Shapes, options);
  EXPECT_THAT(ran.out, HasSubstr("\n64,5120,8192,16,1,"));
  EXPECT_THAT(ran.err, HasSubstr("with topk 0 and the 16 experts of one GPU; without ep, with topk "
                                 "1; no row can have this topk (ep_topk)"));
  options = Of("kimi-k2", 8, "grouped_fmoe");
  options.ep = 8;
  options.grid = "64";
  EXPECT_THAT(RunCommand(Shapes, options).out, HasSubstr(",64,7168,2048,48,-1,"))
      << RunCommand(Shapes, options).out << RunCommand(Shapes, options).err;
}

TEST(AgentShapes, writes_it_where_asked_to_and_takes_a_config_json) {
  const TempFolder folder;
  ShapesOptions options;
  options.model = folder.Write(
      "config.json", R"({"model_type": "llama", "hidden_size": 1024, "num_attention_heads": 8,
                                                  "intermediate_size": 4096})");
  options.family = "bf16";
  options.grid = "1";
  options.columns = {"bias=True"};
  options.output = folder / "bf16_untuned_gemm.csv";
  EXPECT_EQ(RunCommand(Shapes, options).code, kGood);
  EXPECT_EQ(ReadText(options.output),
            "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n"
            "1,3072,1024,True,torch.bfloat16,torch.bfloat16,False,False\n"
            "1,1024,1024,True,torch.bfloat16,torch.bfloat16,False,False\n"
            "1,8192,1024,True,torch.bfloat16,torch.bfloat16,False,False\n"
            "1,1024,4096,True,torch.bfloat16,torch.bfloat16,False,False\n");
}

TEST(AgentShapes, what_is_wrong_is_said_in_one_sentence) {
  const TempFolder folder;
  ShapesOptions options = Of("qwen3-32b", 3, "a8w8");
  EXPECT_EQ(RunCommand(Shapes, options).code, kFailed);
  EXPECT_EQ(RunCommand(Shapes, options).err,
            "tunehub-agent shapes: tp 3 cannot divide the 64 attention heads of qwen3-32b evenly "
            "(bad_tp)\n");
  options.tp = 8;
  options.columns = {"bias"};
  EXPECT_THAT(RunCommand(Shapes, options).err, HasSubstr("bad_column"));
  options.columns.clear();
  options.gfx = "gfx1";
  EXPECT_THAT(RunCommand(Shapes, options).err, HasSubstr("bad_gfx"));
  options.gfx.clear();
  options.model = folder.Write("config.json", R"({"model_type": "llama"})");
  EXPECT_THAT(RunCommand(Shapes, options).err,
              HasSubstr("has no hidden_size, num_attention_heads, intermediate_size"));
  options.model = folder.path().string();  // the folder that contains config.json
  EXPECT_THAT(RunCommand(Shapes, options).err, HasSubstr("/config.json: has no"));
  options.family = "a9w9";
  EXPECT_THAT(RunCommand(Shapes, options).err, HasSubstr("unknown_family"));
}

}  // namespace
}  // namespace tunehub::agent::test
