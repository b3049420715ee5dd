// A wrong figure of a model file is a wrong number of weights. How many there are was published
// apart from the config: by each model's card or its makers' report.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "build_info.h"
#include "core/shapes/model.h"
#include "core/shapes/products.h"

namespace tunehub::core {
namespace {

struct Published {
  const char* model;
  double total;  // billions of weights
  // Input and output embeddings are one matrix, or two.
  int embeddings;
  double active = 0;          // per token; 0: not published, or dense
  int active_embeddings = 0;  // how many of the two its makers count in that
};

// Without vision, and without the layers that predict further words.
constexpr Published kPublished[] = {
    {"deepseek-r1", 671, 2, 37, 2},
    {"deepseek-v3", 671, 2, 37, 2},
    {"deepseek-v3.2", 671, 2, 37, 1},
    {"gemma-2-27b", 27.2, 1},
    {"gemma-3-27b", 27.0, 1},
    {"glm-4.5-air", 106, 2, 12, 0},
    {"glm-4.7", 355, 2, 32, 0},
    {"glm-4.7-flash", 30, 2},
    {"glm-5", 744, 2, 40, 0},
    {"gpt-oss-120b", 116.8, 2, 5.1, 1},
    {"gpt-oss-20b", 20.9, 2, 3.6, 1},
    {"kimi-k2", 1026, 2, 32.6, 2},
    {"kimi-k2-thinking", 1026, 2, 32.6, 2},
    {"kimi-k2.5", 1026, 2, 32.6, 2},
    {"llama-3.1-405b", 405.9, 2},
    {"llama-3.1-8b", 8.03, 2},
    {"llama-3.3-70b", 70.6, 2},
    {"llama-4-maverick", 400, 2, 17, 2},
    {"llama-4-scout", 108, 2, 17, 2},
    {"minimax-m2.5", 229, 2, 10, 0},
    {"mixtral-8x22b", 140.6, 2, 39.1, 2},
    {"mixtral-8x7b", 46.7, 2, 12.9, 2},
    {"qwen3-14b", 14.8, 2},
    {"qwen3-235b-a22b", 235, 2, 22, 2},
    {"qwen3-30b-a3b", 30.5, 2, 3.3, 2},
    {"qwen3-32b", 32.8, 2},
    {"qwen3-8b", 8.2, 2},
    {"qwen3-coder-480b-a35b", 480, 2, 35, 2},
    {"qwen3-next-80b-a3b", 80, 2},
    {"qwen3-vl-235b-a22b", 235, 2, 22, 2},
    {"qwen3-vl-32b", 32.8, 2},
    {"qwen3.5-27b", 27, 2},
    {"qwen3.5-397b-a17b", 397, 2, 17, 2},
    {"qwen3.6-27b", 27, 2},
};

// The copy of its config that was read says none: those of Qwen3.5.
constexpr std::int64_t kWordsOfQwen36 = 248'320;

// Billions of weights that all layers have in the products, and those that one token goes through.
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

void ExpectAbout(double ours, double published, double share, const std::string& what) {
  EXPECT_LE(std::abs(ours - published), share * published)
      << what << ": " << ours << ", published are " << published;
}

TEST(ModelWeights, every_shipped_model_has_as_many_as_its_makers_say) {
  std::set<std::string> named;
  for (const Published& it : kPublished) {
    named.insert(it.model);
    const auto model = LoadModel(TUNEHUB_SOURCE_DIR "/configs/models", it.model);
    ASSERT_TRUE(model.ok()) << model.error().detail;
    const Weights weights = WeightsOf(*model);
    ExpectAbout(weights.total + it.embeddings * weights.embedding, it.total, 0.009, it.model);
    if (it.active == 0) continue;
    ExpectAbout(weights.active + it.active_embeddings * weights.embedding, it.active, 0.021,
                std::string(it.model) + ", active");
  }
  for (const std::string& name : ModelNames(TUNEHUB_SOURCE_DIR "/configs/models")) {
    EXPECT_TRUE(named.contains(name)) << name << ": how many weights does it have?";
  }
}

}  // namespace
}  // namespace tunehub::core
