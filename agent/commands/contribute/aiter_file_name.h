// Which file of AITER's configs a model's rows belong in, by the names that upstream gives.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {

// What upstream calls the operand types of a fused MoE's rows in a file's name, the name for a new
// file first: {"a8w4", "fp8fp4"}. Empty for a family whose files are told apart by model alone.
std::vector<std::string> QuantNames(const core::Family& family, const core::Cells& cells);

// Errors: bad_model_name (a character that no file of upstream's has, "untuned", which AITER passes
// over, or a word that makes the name another family's).
core::Status CheckModelName(const core::Families& families, const core::Family& family,
                            std::string_view model);

// The family's file for the model among `names` (inside the configs folder); where there is none, a
// new one of model_configs/ with the token last, as AITER's code generators match it:
// "model_configs/dsv3_bf16_tuned_gemm.csv". Names are compared without case, and '-', '.' and '_'
// are one. Errors: ambiguous_file (several are the model's).
core::Result<std::string> FileForModel(const core::Family& family, std::string_view model,
                                       const std::vector<std::string>& quants,
                                       std::span<const std::string> names);

// Of a file that was named: that AITER reads it for the family, and for no other. Errors:
// bad_file_name, with the rule.
core::Status CheckFileName(const core::Families& families, const core::Family& family,
                           std::string_view name);

}  // namespace tunehub::agent
