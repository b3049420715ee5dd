// Which of AITER's tables an engine reads for a model's products, as configs/engines.json says it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/products.h"

namespace tunehub::core {

struct ReadRule {
  ProductKind of = ProductKind::kDense;
  std::vector<std::string> schemes;   // of core/shapes/quantization.h; empty: any
  std::vector<std::string> gfx;       // of the devices; empty: any
  std::vector<std::string> families;  // all of them are read
};

struct EngineReads {
  std::string name;   // "vllm"
  std::string title;  // "vLLM"
  std::vector<ReadRule> rules;

  // The product's rule for this family; null: the engine does not read it for that.
  const ReadRule* RuleOf(std::string_view family, ProductKind of, std::string_view scheme,
                         std::string_view gfx) const;
  // How a model may be stored that makes the engine read this family there; empty: it never does,
  // or does however the model is stored.
  std::vector<std::string> SchemesOf(std::string_view family, std::string_view gfx) const;
};

// In the file's order: the first is the usual one. `name` stands for the file in errors. Error
// bad_engines.
Result<std::vector<EngineReads>> ParseEngineReads(std::string_view name, std::string_view json);

}  // namespace tunehub::core
