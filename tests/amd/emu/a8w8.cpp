#include "tests/amd/emu/make_functions.h"

namespace tunehub::kernels::emu {
namespace {

constexpr auto kElement = amd::Element::kInt8;
constexpr auto kScales = amd::Scales::kRowColumn;

}  // namespace

#define TK_FAMILY a8w8
#define TK_SUFFIX
std::vector<Function> FunctionsOfA8w8() {
  std::vector<Function> functions;
#include "kernels/amd/table/a8w8.inc"
  AddReductions<int>("tk_reduce_a8w8", functions);
  return functions;
}
#undef TK_FAMILY
#undef TK_SUFFIX

#define TK_FAMILY batched_a8w8
#define TK_SUFFIX
std::vector<Function> FunctionsOfBatchedA8w8() {
  std::vector<Function> functions;
#include "kernels/amd/table/batched_a8w8.inc"
  AddReductions<int>("tk_reduce_batched_a8w8", functions);
  return functions;
}
#undef TK_FAMILY
#undef TK_SUFFIX

}  // namespace tunehub::kernels::emu
