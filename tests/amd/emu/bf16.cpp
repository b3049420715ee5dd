#include "tests/amd/emu/make_functions.h"

namespace tunehub::kernels::emu {
namespace {

constexpr auto kElement = amd::Element::kBf16;
constexpr auto kScales = amd::Scales::kNone;

}  // namespace

#define TK_FAMILY bf16
#define TK_SUFFIX
std::vector<Function> FunctionsOfBf16() {
  std::vector<Function> functions;
#include "kernels/amd/table/bf16.inc"
  AddReductions<float>("tk_reduce_bf16", functions);
  return functions;
}
#undef TK_FAMILY
#undef TK_SUFFIX

#define TK_FAMILY batched_bf16
#define TK_SUFFIX
std::vector<Function> FunctionsOfBatchedBf16() {
  std::vector<Function> functions;
#include "kernels/amd/table/batched_bf16.inc"
  AddReductions<float>("tk_reduce_batched_bf16", functions);
  return functions;
}
#undef TK_FAMILY
#undef TK_SUFFIX

}  // namespace tunehub::kernels::emu
