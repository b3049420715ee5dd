// An error in a model file changes the computed number of weights. Makers publish this number
// outside the config, in a model card, a README or a report. Each number below is as printed at its
// address, or in a copy or quotation of that page.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "build_info.h"
#include "core/shapes/known_models.h"
#include "core/shapes/products.h"
#include "tests/support/result.h"

namespace tunehub::core {
namespace {

// The source does not say how many of the two embeddings count as active weights.
constexpr int kNotSaid = -1;

struct Published {
  const char* model;
  const char* total;   // "671B", "1.04T"; "": not published, or only as 1T (too coarse)
  const char* active;  // weights that one token uses; "": not published, or dense
  const char* source;
  int embeddings = 2;  // 1 if input and output embeddings are one matrix, else 2
  int active_embeddings = kNotSaid;
};

constexpr Published kPublished[] = {
    {"deepseek-r1", "671B", "37B", "github.com/deepseek-ai/DeepSeek-R1"},
    // The README counts both embeddings as active, but its number fits only one embedding.
    {"deepseek-v3", "671B", "36.7B",
     "github.com/deepseek-ai/DeepSeek-V3/blob/main/README_WEIGHTS.md"},
    // The config file's name contains the number.
    {"deepseek-v3.2", "671B", "",
     "huggingface.co/deepseek-ai/DeepSeek-V3.2/blob/main/inference/config_671B_v3.2.json"},
    // The sum of 1,180,237,824 weights in embeddings and 26,047,480,320 other weights.
    {"gemma-2-27b", "27.2277B", "", "arxiv.org/abs/2408.00118, table 2", 1},
    // The sum of 1,416M weights in embeddings and 25,600M other weights, without vision.
    {"gemma-3-27b", "27.016B", "", "arxiv.org/abs/2503.19786, table 1", 1},
    {"glm-4.5-air", "106B", "12B", "github.com/zai-org/GLM-4.5"},
    {"glm-4.7", "355B", "32B", "github.com/zai-org/GLM-4.5"},
    {"glm-4.7-flash", "30B", "3B", "github.com/zai-org/GLM-4.5"},
    {"glm-5", "744B", "40B", "github.com/zai-org/GLM-5"},
    // The report counts the output embeddings as active, but not the input embeddings.
    {"gpt-oss-120b", "116.83B", "5.13B", "arxiv.org/abs/2508.10925, table 1", 2, 1},
    {"gpt-oss-20b", "20.91B", "3.61B", "arxiv.org/abs/2508.10925, table 1", 2, 1},
    {"kimi-k2", "1.04T", "32.6B", "arxiv.org/abs/2507.20534, table 2"},
    {"kimi-k2-thinking", "", "32B", "huggingface.co/moonshotai/Kimi-K2-Thinking"},
    {"kimi-k2.5", "", "32B", "github.com/MoonshotAI/Kimi-K2.5"},
    // The checkpoints contain these numbers. The three model cards say 405B, 8B and 70B.
    {"llama-3.1-405b", "405.853B", "", "huggingface.co/meta-llama/Llama-3.1-405B"},
    {"llama-3.1-8b", "8.030B", "", "huggingface.co/meta-llama/Llama-3.1-8B"},
    {"llama-3.3-70b", "70.554B", "", "huggingface.co/meta-llama/Llama-3.3-70B-Instruct"},
    {"llama-4-maverick", "400B", "17B",
     "github.com/meta-llama/llama-models/blob/main/models/llama4/MODEL_CARD.md"},
    {"llama-4-scout", "109B", "17B",
     "github.com/meta-llama/llama-models/blob/main/models/llama4/MODEL_CARD.md"},
    // The report describes M2, the first model of the series.
    {"minimax-m2.5", "229.9B", "9.8B", "arxiv.org/abs/2605.26494"},
    {"mixtral-8x22b", "140.6B", "39.1B",
     "github.com/mistralai/platform-docs-public, docs/getting-started/models/weights.md"},
    {"mixtral-8x7b", "46.7B", "12.9B",
     "github.com/mistralai/platform-docs-public, docs/getting-started/models/weights.md"},
    {"qwen3-14b", "14.8B", "", "huggingface.co/Qwen/Qwen3-14B"},
    {"qwen3-235b-a22b", "235B", "22B", "huggingface.co/Qwen/Qwen3-235B-A22B"},
    {"qwen3-30b-a3b", "30.5B", "3.3B", "huggingface.co/Qwen/Qwen3-30B-A3B"},
    {"qwen3-32b", "32.8B", "", "huggingface.co/Qwen/Qwen3-32B"},
    {"qwen3-8b", "8.2B", "", "huggingface.co/Qwen/Qwen3-8B"},
    {"qwen3-coder-480b-a35b", "480B", "35B", "github.com/QwenLM/Qwen3-Coder"},
    {"qwen3-next-80b-a3b", "80B", "3B", "huggingface.co/Qwen/Qwen3-Next-80B-A3B-Thinking"},
    {"qwen3-vl-235b-a22b", "235B", "22B", "arxiv.org/abs/2511.21631, abstract"},
    {"qwen3-vl-32b", "32B", "", "arxiv.org/abs/2511.21631, abstract"},
    {"qwen3.5-27b", "27B", "", "huggingface.co/Qwen/Qwen3.5-27B"},
    {"qwen3.5-397b-a17b", "397B", "17B", "huggingface.co/Qwen/Qwen3.5-397B-A17B"},
    {"qwen3.6-27b", "27B", "", "huggingface.co/Qwen/Qwen3.6-27B"},
};

// "Token Embedding: 248320" in the model card. Our copy of the config lacks this number.
constexpr std::int64_t kWordsOfQwen36 = 248'320;

// The share of weights outside products: norms and biases. Some sources also count vision, or
// layers that predict further tokens.
constexpr double kOutsideProducts = 0.007;

struct Figure {
  double billions = 0, last_digit = 1;
};

Figure ReadFigure(std::string_view printed) {
  const double scale = printed.back() == 'T' ? 1000 : 1;
  Figure figure{std::stod(std::string(printed)) * scale, scale};
  const std::size_t point = printed.find('.');
  if (point == printed.npos) return figure;
  for (std::size_t i = point + 2; i < printed.size(); ++i) figure.last_digit /= 10;
  return figure;
}

// Billions of weights: in all products, in the products that one token uses, in one embedding.
struct Weights {
  double total = 0, active = 0, embedding = 0;
};

Weights WeightsOf(const Model& model) {
  Weights weights;
  const auto plan = ProductsOf(model, {.tp = 1});
  EXPECT_TRUE(plan.ok());
  for (const ModelProduct& it : plan->products) {
    if (it.kind == ProductKind::kBatched || it.layer == "lm_head") continue;
    const double one = static_cast<double>(it.layers * it.k) / 1e9;
    if (it.kind == ProductKind::kExperts) {
      const double expert = one * static_cast<double>(it.n + it.width);
      weights.total += expert * static_cast<double>(it.experts);
      weights.active += expert * static_cast<double>(it.topk);
    } else {
      weights.total += one * static_cast<double>(it.n);
      weights.active += one * static_cast<double>(it.n);
    }
  }
  const std::int64_t words = model.vocab > 0 ? model.vocab : kWordsOfQwen36;
  weights.embedding = static_cast<double>(words * model.hidden) / 1e9;
  return weights;
}

// Sources round their figures, sometimes down.
void ExpectAbout(double least, double most, const char* published, const std::string& what) {
  const Figure figure = ReadFigure(published);
  const double slack = figure.last_digit + kOutsideProducts * figure.billions;
  EXPECT_TRUE(figure.billions > least - slack && figure.billions < most + slack)
      << what << ": " << least << " to " << most << ", published are " << published;
}

TEST(ModelWeights, every_shipped_model_has_about_as_many_as_its_makers_published) {
  std::set<std::string> named;
  for (const Published& it : kPublished) {
    named.insert(it.model);
    const std::string what = std::string(it.model) + " (" + it.source + ")";
    const auto model = Must(LoadModel(TUNEHUB_SOURCE_DIR "/configs/models", it.model));
    const Weights weights = WeightsOf(model);
    const double total = weights.total + it.embeddings * weights.embedding;
    if (*it.total != 0) ExpectAbout(total, total, it.total, what);
    if (*it.active == 0) continue;
    const bool said = it.active_embeddings != kNotSaid;
    ExpectAbout(weights.active + (said ? it.active_embeddings : 0) * weights.embedding,
                weights.active + (said ? it.active_embeddings : 2) * weights.embedding, it.active,
                what + ", active");
  }
  for (const std::string& name : ModelNames(TUNEHUB_SOURCE_DIR "/configs/models")) {
    EXPECT_TRUE(named.contains(name)) << name << ": this list lacks the model's number of weights";
  }
}

}  // namespace
}  // namespace tunehub::core
