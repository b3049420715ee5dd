#include "kernels/amd/arch.h"

namespace tunehub::kernels::amd {
namespace {

// By Arch. Compute units per die: MI300X and MI300A have 38 (MI308X 20), MI355X 32. The two dies of
// an MI250X are two devices.
struct Chip {
  std::string_view name;
  std::array<int, 2> units_per_xcd;  // tried in this order
  std::optional<Format> fp8;
};
constexpr std::array<Chip, 3> kChips = {{
    {"gfx90a", {0, 0}, std::nullopt},
    {"gfx942", {38, 20}, Format::kE4m3Fnuz},
    {"gfx950", {32, 0}, Format::kE4m3},
}};

const Chip& ChipOf(Arch arch) {
  return kChips[static_cast<std::size_t>(arch)];
}

}  // namespace

std::string_view NameOf(Arch arch) {
  return ChipOf(arch).name;
}

std::optional<Arch> ArchOf(std::string_view gfx) {
  gfx = gfx.substr(0, gfx.find(':'));
  for (const Arch arch : kArchs) {
    if (NameOf(arch) == gfx) return arch;
  }
  return std::nullopt;
}

int XcdsOf(Arch arch, int cu_num) {
  for (const int units : ChipOf(arch).units_per_xcd) {
    if (units > 0 && cu_num >= units && cu_num % units == 0) return cu_num / units;
  }
  return 1;
}

std::optional<Format> Fp8Of(Arch arch) {
  return ChipOf(arch).fp8;
}

Problem InEncodingOf(Arch arch, const Problem& problem) {
  const auto is_fp8 = [](Format format) {
    return format == Format::kE4m3 || format == Format::kE4m3Fnuz;
  };
  Problem encoded = problem;
  if (const auto fp8 = Fp8Of(arch); fp8 && is_fp8(problem.a) && is_fp8(problem.w)) {
    encoded.a = encoded.w = *fp8;
  }
  return encoded;
}

}  // namespace tunehub::kernels::amd
