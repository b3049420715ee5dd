// The chips that the AMD kernels are compiled for.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "kernels/amd/config.h"
#include "kernels/problem.h"

namespace tunehub::kernels::amd {

inline constexpr std::array<Arch, 3> kArchs = {Arch::kGfx90a, Arch::kGfx942, Arch::kGfx950};

std::string_view NameOf(Arch arch);  // "gfx942"
// Of a gcnArchName, whose features (":sramecc+:xnack-") are left out; nothing for other chips.
std::optional<Arch> ArchOf(std::string_view gfx);

// Dies with an L2 of their own in a device of so many compute units: a partitioned device has
// fewer. It moves blocks about, so a wrong number costs time and nothing else.
int XcdsOf(Arch arch, int cu_num);

// The fp8 that the chip multiplies: e4m3fnuz on gfx942, e4m3fn on gfx950; none on gfx90a.
std::optional<Format> Fp8Of(Arch arch);
// The problem with fp8 operands in the chip's encoding.
Problem InEncodingOf(Arch arch, const Problem& problem);

}  // namespace tunehub::kernels::amd
