#include "tests/amd/emu/make_functions.h"

namespace tunehub::kernels::emu {
namespace {

constexpr auto kElement = amd::Element::kFp8;
constexpr auto kScales = amd::Scales::kBlock128;

}  // namespace

#define TK_FAMILY a8w8_blockscale
#define TK_SUFFIX
std::vector<Function> FunctionsOfA8w8Blockscale() {
  std::vector<Function> functions;
#include "kernels/amd/table/a8w8_blockscale.inc"
  AddReductions<float>("tk_reduce_a8w8_blockscale", functions);
  return functions;
}
#undef TK_FAMILY
#undef TK_SUFFIX

}  // namespace tunehub::kernels::emu
