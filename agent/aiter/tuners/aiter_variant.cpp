#include "agent/aiter/tuners/aiter_variant.h"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "agent/aiter/private_tree.h"

namespace tunehub::agent::tuners {
namespace {

// Two variants of one script (--preshuffle, --grouped-gemm) share a row: the family's tune_script
// says the rest. opus_bmm_mxscale_tune.py takes --libtype no more than the batched ones do, and its
// -k is K. Not here: chunk_gdn_h_opt_tune.py, whose cases are not shapes.
constexpr std::array<AiterVariant, 10> kVariants = {{
    {"gemm_a8w8_tune.py", false, true, 0.05},
    {"gemm_a8w8_bpreshuffle_tune.py", true, true, 0.05},
    {"gemm_a8w8_blockscale_tune.py", true, true, 0.05},
    {"gemm_a4w4_blockscale_tune.py", false, true, 0.05},
    {"batched_gemm_a8w8_tune.py", false, true, 0.05},
    {"batched_gemm_bf16_tune.py", false, true, 0.05},
    {"gemm_a16w16_tune.py", true, true, 1.0},
    {"gemm_tuner.py", true, true, 0.05},
    {"gemm_moe_tune.py", false, false, 0.1},
    {"opus_bmm_mxscale_tune.py", false, false, 0.02},
}};

// Tunes bf16 in a tree without csrc/: gradlib alone, or a release before that script.
constexpr char kBf16Script[] = "csrc/gemm_a16w16/gemm_a16w16_tune.py";
constexpr char kGradlibScript[] = "gradlib/gradlib/gemm_tuner.py";

// Families that one architecture alone runs.
constexpr std::pair<std::string_view, std::string_view> kOnlyOn[] = {{"a4w4_blockscale", "gfx950"},
                                                                     {"grouped_fmoe", "gfx1250"}};

}  // namespace

std::string ScriptOf(const core::Family& family, const std::filesystem::path& tree) {
  const bool gradlib = family.tune_script == kBf16Script && FindScript(tree, kBf16Script).empty() &&
                       !FindScript(tree, kGradlibScript).empty();
  return gradlib ? kGradlibScript : family.tune_script;
}

std::string_view VariantName(const core::Family& family) {
  return family.name == "fmoe" ? std::string_view("moe_2stages") : std::string_view(family.name);
}

std::string WhyNotOn(const core::Family& family, std::string_view gfx) {
  for (const auto& [name, only] : kOnlyOn) {
    if (family.name == name && gfx != only)
      return fmt::format("AITER tunes it on {} alone, and the GPU is {}", only, gfx);
  }
  return "";
}

const AiterVariant* VariantOf(std::string_view script) {
  const std::string_view path = script.substr(0, script.find(' '));
  const std::string_view file = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  for (const AiterVariant& variant : kVariants) {
    if (variant.script == file) return &variant;
  }
  return nullptr;
}

const AiterVariant* VariantOf(const core::Family& family) {
  return VariantOf(family.tune_script);
}

}  // namespace tunehub::agent::tuners
