// The flags and variables of AITER's tuning guide. The agent supports each, or refuses it with a
// reason.
#include <cstdlib>
#include <set>
#include <sstream>

#include "agent/install/commands.h"
#include "agent/tune/commands.h"
#include "build_info.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

struct GuideFlag {
  const char* flags;  // after --tuner aiter and a file of shapes or a model
  const char* says;   // kPast if all flags pass, else the reason of a refusal
};
constexpr char kPast[] = " is not a folder of AITER";
const GuideFlag kGuideFlags[] = {
    {"--tuner aiter --input_file FILE", kPast},
    {"--tuner aiter -i FILE --tuned_file FOLDER/t.csv", kPast},
    {"--tuner aiter -i FILE --profile_file FOLDER/p.csv", kPast},
    {"--tuner aiter -i FILE --mp 2", kPast},
    {"--tuner aiter -i FILE --errRatio 0.05", kPast},
    {"--tuner aiter -i FILE --libtype all", kPast},
    {"--tuner aiter -i FILE --libtype asm", kPast},
    {"--tuner aiter -i FILE --libtype hipblaslt", kPast},
    {"--tuner aiter -i FILE --libtype triton", kPast},
    {"--tuner aiter -i FILE --all", kPast},
    {"--tuner aiter -i FILE --batch 100", kPast},
    {"--tuner aiter -i FILE --verbose", kPast},
    {"--tuner aiter --model_dir FOLDER --tp 8 --nsets 1,512,1024,2048,4096", kPast},
    {"--tuner aiter --model qwen3-32b --tp 8", kPast},
    {"--tuner aiter --model nowhere", "unknown model 'nowhere'"},
    {"--tuner aiter --model FOLDER --nsets 0", "--nsets 0: expected numbers of tokens from 1"},
    {"--tuner aiter --model FOLDER -i FILE", "pass either a file or --model"},
    {"--tuner aiter -i FILE --tp 8",
     "--tp: pass --model, too, because this option applies to a model's shapes"},
    {"--tuner aiter", "pass a file of the shapes to tune, or --model"},
    {"-i FILE --libtype hipblaslt", "--libtype hipblaslt: expected all or tunehub"},
};

TEST(TuningGuide, each_flag_works_or_is_refused_with_the_reason) {
  const TempFolder folder;
  const std::string file =
      folder.Write("bf16_untuned_gemm.csv",
                   "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n"
                   "1,256,5120,False,torch.bfloat16,torch.bfloat16,False,False\n");
  folder.Write(
      "config.json",
      R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
                   "intermediate_size": 14336, "num_hidden_layers": 2, "vocab_size": 32000})");
  for (const GuideFlag& row : kGuideFlags) {
    std::vector<std::string> words = {"tune"};
    std::istringstream text(row.flags);
    for (std::string word; text >> word;) {
      if (word == "FILE") word = file;
      if (word.starts_with("FOLDER")) word.replace(0, 6, folder.path().string());
      words.push_back(word);
    }
    words.insert(words.end(), {"--aiter", folder / "none", "--spool", folder / "spool", "--state",
                               folder / "state"});
    const Ran ran = RunCommand(RunTune, words);
    EXPECT_EQ(ran.code, kFailed) << row.flags;
    EXPECT_THAT(ran.err, HasSubstr(row.says)) << row.flags;
  }
}

// A variable, and the command whose --help names it. null: only AITER reads the variable.
struct GuideVariable {
  const char* name;
  int (*command)(int, char**, Console&) = nullptr;
};
const GuideVariable kGuideVariables[] = {
    {"AITER_CONFIG_GEMM_BF16"},
    {"AITER_CONFIG_GEMM_A8W8"},
    {"AITER_CONFIG_GEMM_A8W8_BPRESHUFFLE"},
    {"AITER_CONFIG_GEMM_A8W8_BLOCKSCALE"},
    {"AITER_CONFIG_GEMM_A4W4"},
    {"AITER_CONFIG_A8W8_BATCHED_GEMM"},
    {"AITER_CONFIG_BF16_BATCHED_GEMM"},
    {"AITER_CONFIG_FMOE"},
    {"AITER_TUNE_GEMM"},
    {"AITER_LOG_TUNED_CONFIG"},
    {"HIP_ONLINE_TUNING"},
    {"GPU_ARCHS", RunInstall},
    {"PRETUNE_MODULES", RunPretune},
};

TEST(TuningGuide, each_variable_is_read_or_a_page_says_whose_it_is) {
  std::set<std::string> of_families;
  for (const auto& family : tunehub::test::ShippedFamilies().all()) of_families.insert(family->env);
  const std::string page = ReadText(TUNEHUB_SOURCE_DIR "/docs/tuning.md");
  for (const GuideVariable& variable : kGuideVariables) {
    const std::string name = variable.name;
    if (name.starts_with("AITER_CONFIG_")) {
      EXPECT_TRUE(of_families.contains(name)) << name;
      continue;
    }
    EXPECT_THAT(page, HasSubstr("| `" + name + "` |"));
    if (variable.command == nullptr) continue;
    const Ran ran = RunCommand(variable.command, {"x", "--help"});
    EXPECT_EQ(ran.code, kGood);
    EXPECT_THAT(ran.out, HasSubstr(name));
  }
}

TEST(TuningGuide, pretune_takes_its_modules_from_the_variable) {
  const TempFolder folder;
  ::setenv("PRETUNE_MODULES", "gemm_a8w8", 1);
  const Ran ran =
      RunCommand(RunPretune, {"pretune", "--aiter", folder / "none", "--spool", folder / "spool"});
  ::unsetenv("PRETUNE_MODULES");
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.err, HasSubstr(kPast));
}

}  // namespace
}  // namespace tunehub::agent::test
