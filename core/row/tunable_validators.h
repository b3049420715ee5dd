// The validators of a TunableOp file: PyTorch takes a file only where its own set is the same, name
// by name and value by value.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::core {

using Validators = std::map<std::string, std::string>;

inline constexpr std::string_view kPtVersion = "PT_VERSION";  // no file is taken without it
inline constexpr std::string_view kGcnArchName = "GCN_ARCH_NAME";

// "NAME=VALUE;NAME=VALUE", by name: one text for one set.
std::string ValidatorsText(const Validators& validators);

// Why a name and its value cannot stand in that text; "": they can.
std::string WhyNoValidator(std::string_view name, std::string_view value);

// Errors: bad_validators, with the part.
Result<Validators> ParseValidators(std::string_view text);

// "gfx942" of GCN_ARCH_NAME gfx942:sramecc+:xnack-; "" where a set has none (NVIDIA).
std::string TargetGfxOf(const Validators& validators);

}  // namespace tunehub::core
