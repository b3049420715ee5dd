#include "tests/amd/emu/make_functions.h"

namespace tunehub::kernels::emu {
namespace {

constexpr auto kElement = amd::Element::kFp8;
constexpr auto kScales = amd::Scales::kRowColumn;

}  // namespace

#define TK_FAMILY a8w8
#define TK_SUFFIX _fp8
std::vector<Function> FunctionsOfA8w8Fp8() {
  std::vector<Function> functions;
#include "kernels/amd/table/a8w8.inc"
  AddReductions<float>("tk_reduce_a8w8_fp8", functions);
  return functions;
}
#undef TK_FAMILY
#undef TK_SUFFIX

}  // namespace tunehub::kernels::emu
