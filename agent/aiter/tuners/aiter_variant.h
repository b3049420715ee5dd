// What AITER's tune scripts have in different ways. The script itself, its table and its variable
// are in the family's file.
#pragma once

#include <string_view>

#include "core/family/family.h"

namespace tunehub::agent::tuners {

struct AiterVariant {
  std::string_view script;  // its file name
  bool libtype = false;     // has --libtype
  bool split_k = false;     // has -k/--splitK
  double err_ratio = 0.05;  // its default of --errRatio
};

// Null: AITER has no script for the family that reads an untuned table.
const AiterVariant* VariantOf(const core::Family& family);

}  // namespace tunehub::agent::tuners
