// What `shapes` prints without a family: the products of a model, who takes each, and what an
// engine would say of the split.
#pragma once

#include <iosfwd>
#include <span>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/shapes/products.h"

namespace tunehub::agent {

// A line a product. `quantized`: core::RulesOf.
void PrintProducts(std::ostream& out, const core::ProductPlan& plan, const core::Families& families,
                   bool quantized);

// "refused: ... (block)", "note: ... (kv_heads_copied)"; answers whether an engine would refuse.
bool PrintFindings(std::ostream& out, std::span<const core::SplitFinding> findings);

// "note: ... (unknown_member)" of each member that is not known. `strict`: the first is the error.
core::Status SayNotes(const core::Model& model, bool strict, std::ostream& out);

}  // namespace tunehub::agent
