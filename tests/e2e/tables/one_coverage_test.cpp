// Overview, Coverage, Trends, Build and the agent must report the same coverage for the same stored
// model, TP, target and engine.
#include <fmt/core.h>

#include <algorithm>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

constexpr std::int64_t kTps[] = {1, 8};
constexpr const char* kTargets[][2] = {{"gfx942", "304"}, {"gfx950", "256"}};
// One model for each way to store weights. Over 8 GPUs, glm-4.7-flash cannot be split, and engines
// refuse to split the blocks of Qwen3-235B.
constexpr const char* kStored[] = {
    "Qwen/Qwen3-VL-32B-Instruct-FP8",
    "Qwen/Qwen3-235B-A22B-FP8",
    "RedHatAI/Qwen3-32B-FP8-dynamic",
    "RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8",
    "amd/Llama-3.3-70B-Instruct-MXFP4-Preview",
    "deepseek-v3",
    "gpt-oss-20b",
    "glm-4.7-flash",
    "qwen3-8b",
};
// Schemes for a model without a stored checkpoint. Overview and Trends show only stored models.
constexpr const char* kDtypes[] = {"fp8_block", "fp8", "int8"};

// A coverage as text, or a refusal's code. "none" if the engine reads no table.
using Number = std::string;
constexpr const char* kNoStart = "no start";  // no engine starts with this split

Number NumberOf(const Json& coverage) {
  if (coverage.is_null() || coverage.at("shapes") == 0) return "none";
  return fmt::format("{:.9f} {}/{}", coverage.at("covered").get<double>(),
                     coverage.at("found").get<int>(), coverage.at("shapes").get<int>());
}

struct Asked {
  std::string model, gfx, cu_num, dtype, engine;
  std::int64_t tp = 1;

  std::string Query() const {
    std::string query =
        fmt::format("model={}&gfx={}&cu_num={}&tp={}&engine={}", model, gfx, cu_num, tp, engine);
    return dtype.empty() ? query : query + "&dtype=" + dtype;
  }
};

class OneCoverageTest : public HubTest {
 protected:
  // Stores rows for a third of the shapes of some models.
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    for (const auto& [gfx, cu_num] : kTargets) {
      for (const std::int64_t tp : kTps) {
        for (const char* model : {kStored[0], kStored[1], "deepseek-v3"}) {
          const std::string rows = RowsOf({model, gfx, cu_num, "", "vllm", tp});
          ASSERT_EQ(Verdict(Submitter().Post(kResults, kHeader + rows)), "200");
        }
      }
    }
    table_ =
        dir_->Write("a8w8_blockscale_tuned_gemm.csv", Open().Get("/tuned/a8w8_blockscale").body);
  }

  static std::string RowsOf(const Asked& it) {
    const std::string csv =
        Open().Get("/coverage?" + it.Query() + "&family=a8w8_blockscale&format=csv").body;
    std::string rows;
    int line = 0;
    for (std::size_t at = csv.find('\n') + 1; at < csv.size(); at = csv.find('\n', at) + 1) {
      std::size_t end = at;
      for (int i = 0; i < 3; ++i) end = csv.find(',', end) + 1;
      if (line++ % 3 != 0) continue;
      rows += fmt::format("{},{},{}ck,8,0,900000.0,{},0.0,0.0,0.0\n", it.gfx, it.cu_num,
                          csv.substr(at, end - at), kKernel);
    }
    return rows;
  }

  static Number Answered(const RawAnswer& answer) {
    const Json json = JsonOf(answer);
    return answer.status == 200 ? NumberOf(json.at("coverage"))
                                : json.at("code").get<std::string>();
  }
  static Number Coverage(const Asked& it) {
    return Answered(Open().Get("/coverage?" + it.Query()));
  }
  static Number Build(const Asked& it) { return Answered(Open().Get("/verdict?" + it.Query())); }
  static Number Agent(const Asked& it) {
    std::vector<std::string> arguments = {"coverage", "--table", table_, "--json"};
    for (const auto& [option, value] : {std::pair("--model", it.model),
                                        {"--gfx", it.gfx},
                                        {"--cu-num", it.cu_num},
                                        {"--tp", std::to_string(it.tp)},
                                        {"--engine", it.engine}}) {
      arguments.insert(arguments.end(), {option, value});
    }
    if (!it.dtype.empty()) arguments.insert(arguments.end(), {"--dtype", it.dtype});
    const Finished ran = RunToEnd({AgentBinary(), arguments, {}});
    if (!ran.out.empty()) return NumberOf(Json::parse(ran.out).at("coverage"));
    const std::size_t open = ran.err.find('(');
    return ran.err.substr(open + 1, ran.err.find(')') - open - 1);
  }
  // `overview` is for this TP and engine. A refused model has a reason instead of cells.
  static Number OverviewOf(const Json& overview, const Asked& it) {
    std::size_t place = 0;
    while (overview.at("targets").at(place).at("gfx") != it.gfx) ++place;
    for (const Json& model : overview.at("models")) {
      if (model.at("model") != it.model) continue;
      const Json& cell = model.at("cells").at(place);
      if (!model.contains("refused")) return NumberOf(cell);
      EXPECT_TRUE(cell.is_null()) << model;
      return kNoStart;
    }
    return "no such model";
  }
  static bool IsRefused(const Asked& it) {
    const RawAnswer answer = Open().Get("/coverage?" + it.Query());
    const Json json = JsonOf(answer);
    if (answer.status != 200) return json.at("code") == "bad_tp";
    return std::ranges::any_of(json.at("findings"),
                               [](const Json& finding) { return finding.value("refused", false); });
  }

  static void ExpectOneNumber(const Asked& it, const Number& first) {
    SCOPED_TRACE(it.Query());
    EXPECT_EQ(Coverage(it), first);
    EXPECT_EQ(Build(it), first);
    EXPECT_EQ(Agent(it), first);
  }

  static inline std::unique_ptr<TempDir> dir_ = std::make_unique<TempDir>();
  static inline std::string table_;
};

TEST_F(OneCoverageTest, every_question_has_one_answer) {
  int asked = 0, covered = 0, refused = 0;
  for (const char* engine : {"vllm", "sglang"}) {
    for (const std::int64_t tp : kTps) {
      const Json overview =
          JsonOf(Open().Get(fmt::format("/overview?tp={}&engine={}", tp, engine)));
      for (const auto& [gfx, cu_num] : kTargets) {
        for (const char* model : kStored) {
          const Asked it{model, gfx, cu_num, "", engine, tp};
          const Number first = OverviewOf(overview, it);
          EXPECT_EQ(first == kNoStart, IsRefused(it)) << it.Query();
          ExpectOneNumber(it, first == kNoStart ? Coverage(it) : first);
          refused += first == kNoStart ? 1 : 0;
          covered += first.starts_with("0.") && !first.starts_with("0.000000000") ? 1 : 0;
          ++asked;
        }
      }
    }
  }
  EXPECT_GE(asked, 70);
  EXPECT_EQ(refused, 8) << "two models at TP 8, for two targets and two engines";
  EXPECT_GT(covered, 12) << "a test compares nothing if every coverage is 0";
}

TEST_F(OneCoverageTest, however_the_model_is_asked_to_be_stored) {
  for (const char* dtype : kDtypes) {
    for (const auto& [gfx, cu_num] : kTargets) {
      const Asked it{"qwen3-vl-32b", gfx, cu_num, dtype, "vllm", 8};
      ExpectOneNumber(it, Coverage(it));
    }
  }
  // A stored checkpoint must have the same coverage as its model asked with the checkpoint's
  // quantization (fp8_block).
  const Asked stored{"Qwen/Qwen3-VL-32B-Instruct-FP8", "gfx942", "304", "", "vllm", 8};
  EXPECT_EQ(Coverage({"qwen3-vl-32b", "gfx942", "304", "fp8_block", "vllm", 8}), Coverage(stored));
}

TEST_F(OneCoverageTest, trends_say_of_now_what_the_overview_says) {
  const Json overview = JsonOf(Open().Get("/overview?tp=8"));
  int compared = 0;
  for (const auto& [gfx, cu_num] : kTargets) {
    for (const char* model : kStored) {
      const Json trends =
          JsonOf(Open().Get(fmt::format("/trends?model={}&gfx={}&cu_num={}", model, gfx, cu_num)));
      const Json& now = trends.at("now");
      if (now.at("models") == 0 || now.at("tp") != 8) continue;
      const Asked it{model, gfx, cu_num, "", "vllm", 8};
      const Number first = OverviewOf(overview, it);
      if (first == kNoStart) continue;
      EXPECT_EQ(NumberOf(now), first) << model << " " << gfx;
      ++compared;
    }
  }
  EXPECT_GT(compared, 6);
}

// SGLang's table depends on its ROCm version, which a request may name.
TEST_F(OneCoverageTest, of_sglang_on_gfx950_depends_on_rocm) {
  const std::string query =
      "/coverage?model=Qwen/Qwen3-32B-FP8&gfx=gfx950&tp=8&engine=sglang&rocm=";
  const auto tables = [&](const std::string& rocm) {
    const Json json = JsonOf(Open().Get(query + rocm));
    std::string names;
    for (const Json& it : json.at("families")) {
      names += it.at("family").get<std::string>() + " ";
    }
    return names;
  };
  EXPECT_EQ(tables("7.2"), "a8w8_blockscale_bpreshuffle bf16 ");
  EXPECT_EQ(tables("7.1"), "a8w8_blockscale bf16 ");
  EXPECT_EQ(Verdict(Open().Get(query + "new")), "400 bad_parameter");
}

}  // namespace
}  // namespace tunehub::test
