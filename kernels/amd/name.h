// The names of AMD kernels: their config, both ways.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernels/amd/config.h"

namespace tunehub::kernels::amd {

// In CK's field order,
// "tk_<family>_<threads>x<block_m>x<block_n>x<block_k>_m<atom>_w<wave_m>x<wave_n>_
// s<stages>_<lds>_e<waves_per_eu>_g<group_m>": "tk_bf16_256x128x128x64_m32_w2x2_s1_swz_e2_g8".
std::string KernelName(std::string_view family, const Config& config);

struct NamedConfig {
  std::string family;
  Config config;

  bool operator==(const NamedConfig&) const = default;
};

// The reverse; nothing where the text is not exactly what KernelName makes.
std::optional<NamedConfig> ParseKernelName(std::string_view name);

}  // namespace tunehub::kernels::amd
