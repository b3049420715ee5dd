// Makes emu::Functions from tables of AMD kernels. The counterpart of kernels/amd/instances.h.
#pragma once

#include "kernels/amd/catalog.h"
#include "tests/amd/emu/lane.h"
#include "tests/amd/emu/tables.h"

// The kernels' headers need lane.h before them.
#include "kernels/amd/gemm.h"
#include "kernels/amd/reduce.h"

namespace tunehub::kernels::emu {

template <amd::Spec spec>
void RunGemm(const void* arguments, char* lds) {
  amd::GemmBlock<spec>(*static_cast<const amd::GemmArgs*>(arguments), lds).Run();
}
template <typename Number>
void RunReduction(const void* arguments, char*) {
  amd::ReduceSlices<Number>(*static_cast<const amd::ReduceArgs*>(arguments));
}

template <amd::Spec spec>
constexpr Function GemmFunction(std::string_view name) {
  static_assert(amd::IsSound(spec));
  return {name, spec.arch, spec.config.threads, amd::LdsBytes(spec), &RunGemm<spec>};
}

// Adds the kernel for each architecture in `archs` that multiplies the element.
template <amd::Config config, amd::Element element, amd::Scales scales, amd::Arch... archs>
void AddGemms(std::string_view name, std::vector<Function>& functions) {
  const auto add = [&]<amd::Arch arch>() {
    if constexpr (amd::Multiplies(arch, element)) {
      functions.push_back(GemmFunction<amd::Spec{config, element, scales, arch}>(name));
    }
  };
  (add.template operator()<archs>(), ...);
}

template <typename Number>
void AddReductions(std::string_view name, std::vector<Function>& functions) {
  for (const auto arch : amd::kArchs) {
    functions.push_back({name, arch, amd::kReduceThreads, 0, &RunReduction<Number>});
  }
}

}  // namespace tunehub::kernels::emu

#define TK_PASTE(family, suffix, threads, bm, bn, bk, atom, wm, wn, stages, lds, waves, group) \
  "tk_" #family "_" #threads "x" #bm "x" #bn "x" #bk "_m" #atom "_w" #wm "x" #wn "_s" #stages  \
  "_" #lds "_e" #waves "_g" #group #suffix
#define TK_NAME(...) TK_PASTE(__VA_ARGS__)
#define TK_LDS_swz amd::Lds::kSwizzle
#define TK_LDS_pad amd::Lds::kPad
#define TK_CONFIG(threads, bm, bn, bk, atom, wm, wn, stages, lds, waves, group) \
  amd::Config {                                                                 \
    threads, bm, bn, bk, atom, wm, wn, stages, TK_LDS_##lds, waves, group       \
  }
#define TK_AMD(...)                                                                           \
  AddGemms<TK_CONFIG(__VA_ARGS__), kElement, kScales, amd::Arch::kGfx90a, amd::Arch::kGfx942, \
           amd::Arch::kGfx950>(TK_NAME(TK_FAMILY, TK_SUFFIX, __VA_ARGS__), functions);
#define TK_AMD_GFX950(...)                                                 \
  AddGemms<TK_CONFIG(__VA_ARGS__), kElement, kScales, amd::Arch::kGfx950>( \
      TK_NAME(TK_FAMILY, TK_SUFFIX, __VA_ARGS__), functions);
