// Says which of AITER's tables an engine reads for a model's matrix products. Source:
// configs/engines.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/products.h"

namespace tunehub::core {

struct ReadRule {
  ProductKind of = ProductKind::kDense;
  std::vector<std::string> schemes;  // schemes of core/shapes/quantization.h; empty: any
  std::vector<std::string> gfx;      // gfx of the devices; empty: any
  std::string rocm_from;             // the oldest ROCm version, "7.2"; "": any
  std::string family;                // the family whose table the engine reads
};

struct EngineReads {
  std::string name;    // "vllm"
  std::string title;   // "vLLM"
  std::string source;  // the source of the rules
  std::vector<ReadRule> rules;

  // Returns the first rule whose conditions are true, so a layer reads at most one table. Null: the
  // engine reads none of AITER's tables for the matrix product. `rocm`: a version; "": the newest.
  const ReadRule* RuleFor(ProductKind of, std::string_view scheme, std::string_view gfx,
                          std::string_view rocm) const;
  // Returns the schemes with which the engine reads this family on `gfx`. Empty: the engine never
  // reads it, or reads it with any scheme.
  std::vector<std::string> SchemesOf(std::string_view family, std::string_view gfx,
                                     std::string_view rocm) const;
};

// Returns the leading numbers of a version: 0, 1, 16 of "0.1.16.post3".
std::vector<std::int64_t> VersionNumbers(std::string_view text);

// True for numbers with points between them: "7.2", "7.2.1", "7.10.0".
bool IsRocmVersion(std::string_view text);

// Returns the engines in the file's order; the first is the default. `name`: the file's name, for
// errors. Errors: bad_engines.
Result<std::vector<EngineReads>> ParseEngineReads(std::string_view name, std::string_view json);

}  // namespace tunehub::core
