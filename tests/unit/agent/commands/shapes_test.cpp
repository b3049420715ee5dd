#include <gtest/gtest.h>

#include "agent/commands/tables/command_shapes.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

Ran ShapesSay(const ShapesOptions& options) {
  RecordingConsole recorded;
  const int code = Shapes(RealConfiguration(), options, recorded.console);
  return recorded.Ended(code);
}

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
  const Ran ran = ShapesSay(options);
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
  const Ran ran = ShapesSay(options);
  EXPECT_EQ(ran.code, kGood);
  EXPECT_EQ(ran.err,
            "note: num_zeta_layers is not known: it may change a shape or how a layer is stored "
            "(unknown_member)\n");
  options.strict = true;
  const Ran strict = ShapesSay(options);
  EXPECT_EQ(strict.code, kFailed);
  EXPECT_EQ(strict.out, "");
  EXPECT_NE(strict.err.find("num_zeta_layers is not known"), std::string::npos);
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
  EXPECT_EQ(ShapesSay(options).code, kGood);
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
  EXPECT_EQ(ShapesSay(options).code, kFailed);
  EXPECT_EQ(ShapesSay(options).err,
            "tunehub-agent shapes: tp 3 does not divide the 64 attention heads of qwen3-32b "
            "(bad_tp)\n");
  options.tp = 8;
  options.columns = {"bias"};
  EXPECT_NE(ShapesSay(options).err.find("bad_column"), std::string::npos);
  options.columns.clear();
  options.gfx = "gfx1";
  EXPECT_NE(ShapesSay(options).err.find("bad_gfx"), std::string::npos);
  options.gfx.clear();
  options.model = folder.Write("config.json", R"({"model_type": "llama"})");
  EXPECT_NE(
      ShapesSay(options).err.find("lacks hidden_size, num_attention_heads, intermediate_size"),
      std::string::npos);
  options.model = folder.path().string();  // whose config.json it is
  EXPECT_NE(ShapesSay(options).err.find("/config.json: lacks"), std::string::npos);
  options.family = "a9w9";
  EXPECT_NE(ShapesSay(options).err.find("unknown_family"), std::string::npos);
}

}  // namespace
}  // namespace tunehub::agent::test
