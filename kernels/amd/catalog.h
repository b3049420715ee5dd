// The AMD kernels, and the choice of kernels that can run a problem on a chip.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "kernels/amd/config.h"
#include "kernels/config.h"
#include "kernels/problem.h"

namespace tunehub::kernels::amd {

// The chips for which the build compiles the AMD kernels.
inline constexpr std::array<Arch, 3> kArchs = {Arch::kGfx90a, Arch::kGfx942, Arch::kGfx950};

std::string_view NameOf(Arch arch);  // "gfx942"
// Accepts a gcnArchName with or without features (":sramecc+:xnack-"). nullopt for other chips.
std::optional<Arch> ArchOf(std::string_view gfx);

// The number of dies with their own L2 cache. A partitioned device has fewer. The number affects
// only the order of blocks, so a wrong number costs only time.
int XcdsOf(Arch arch, int cu_num);

// The chip's fp8: e4m3fnuz on gfx942, e4m3fn on gfx950, none on gfx90a.
std::optional<Format> Fp8Of(Arch arch);
// The problem with fp8 operands in the chip's encoding.
Problem InEncodingOf(Arch arch, const Problem& problem);

// The families that have AMD kernels, by name.
const std::vector<std::string_view>& Families();

// A row of a family's table. The row's number is the kernel id.
struct Instance {
  int id = 0;
  Config config;
};

// The rows that the build compiles for the chip, in the table's order. The first row is the
// default. Empty if the chip cannot multiply the family's elements.
std::vector<Instance> Instances(std::string_view family, Arch arch);

// A family's kernels for one type of operands: the content of a chip's code object.
struct KernelModule {
  std::string_view family;
  std::string_view file;  // in kernels/amd, without ".hip"; the code object has this name
  Element element;
  Scales scales;
};
const std::vector<KernelModule>& Modules();
// Precondition: the problem belongs to the family.
const KernelModule* ModuleOf(const Problem& problem);

// An instance's function in its module's code object, and the function that adds its slices.
std::string FunctionOf(const KernelModule& module, const Config& config);
std::string ReductionOf(const KernelModule& module);

// Every valid candidate for the problem on a chip with `cu_num` compute units. Each instance is
// followed by its split-K alternatives. Empty if the chip does not support the family, its format
// or the shape.
std::vector<Candidate> Candidates(const Problem& problem, Arch arch, int cu_num);

// The instance of a candidate. Errors: unknown_kernel (the family has no such name or id for the
// chip), kernel_not_valid (wrong shape or split K).
core::Result<Instance> InstanceOf(const Problem& problem, Arch arch, const Candidate& candidate);

// The fields of the name have CK's order:
// "tk_<family>_<threads>x<block_m>x<block_n>x<block_k>_m<atom>_w<wave_m>x<wave_n>_
// s<stages>_<lds>_e<waves_per_eu>_g<group_m>", such as
// "tk_bf16_256x128x128x64_m32_w2x2_s1_swz_e2_g8".
std::string KernelName(std::string_view family, const Config& config);

struct NamedAmdConfig {
  std::string family;
  Config config;

  bool operator==(const NamedAmdConfig&) const = default;
};

// Reads a kernel's name. Returns nullopt unless KernelName writes exactly this text.
std::optional<NamedAmdConfig> ParseKernelName(std::string_view name);

}  // namespace tunehub::kernels::amd
