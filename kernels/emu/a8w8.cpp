#include "kernels/emu/make_functions.h"

namespace tunehub::kernels::emu {
namespace {

constexpr auto kElement = amd::Element::kInt8;
constexpr auto kScales = amd::Scales::kRowColumn;

}  // namespace

#define TK_FAMILY a8w8
#define TK_SUFFIX
std::vector<Function> FunctionsOfA8w8() {
  std::vector<Function> functions;
  {
    constexpr auto kArch = amd::Arch::kGfx90a;
#define TK_AMD_GFX950(...)
#include "kernels/amd/table/a8w8.inc"
#undef TK_AMD_GFX950
  }
  {
    constexpr auto kArch = amd::Arch::kGfx942;
#define TK_AMD_GFX950(...)
#include "kernels/amd/table/a8w8.inc"
#undef TK_AMD_GFX950
  }
  {
    constexpr auto kArch = amd::Arch::kGfx950;
#define TK_AMD_GFX950(...) TK_AMD(__VA_ARGS__)
#include "kernels/amd/table/a8w8.inc"
#undef TK_AMD_GFX950
  }
  AddReductions<int>("tk_reduce_a8w8", functions);
  return functions;
}
#undef TK_FAMILY
#undef TK_SUFFIX

#define TK_FAMILY batched_a8w8
#define TK_SUFFIX
std::vector<Function> FunctionsOfBatchedA8w8() {
  std::vector<Function> functions;
  {
    constexpr auto kArch = amd::Arch::kGfx90a;
#define TK_AMD_GFX950(...)
#include "kernels/amd/table/batched_a8w8.inc"
#undef TK_AMD_GFX950
  }
  {
    constexpr auto kArch = amd::Arch::kGfx942;
#define TK_AMD_GFX950(...)
#include "kernels/amd/table/batched_a8w8.inc"
#undef TK_AMD_GFX950
  }
  {
    constexpr auto kArch = amd::Arch::kGfx950;
#define TK_AMD_GFX950(...) TK_AMD(__VA_ARGS__)
#include "kernels/amd/table/batched_a8w8.inc"
#undef TK_AMD_GFX950
  }
  AddReductions<int>("tk_reduce_batched_a8w8", functions);
  return functions;
}
#undef TK_FAMILY
#undef TK_SUFFIX

}  // namespace tunehub::kernels::emu
