// What AITER's tune scripts have in different ways. The script itself, its table and its variable
// are in the family's file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/family/family.h"

namespace tunehub::agent::tuners {

struct AiterVariant {
  std::string_view script;  // its file name
  bool libtype = false;     // has --libtype
  bool split_k = false;     // has -k/--splitK
  double err_ratio = 0.05;  // its default of --errRatio
};

// The family's script as its file says it, with its flags; gradlib's where the tree has that alone.
std::string ScriptOf(const core::Family& family, const std::filesystem::path& tree);
// Of a script's path and flags. Null: none that reads an untuned table.
const AiterVariant* VariantOf(std::string_view script);
// As the logs of its steps are called: AITER's skill says moe_2stages for fmoe.
std::string_view VariantName(const core::Family& family);

// "" where the script runs on this architecture.
std::string WhyNotOn(const core::Family& family, std::string_view gfx);

// Of the family's script. Null: AITER has none that reads an untuned table.
const AiterVariant* VariantOf(const core::Family& family);

}  // namespace tunehub::agent::tuners
