// The launches that AMD's kernels request from a driver. No kernel runs here; the emulator's tests
// execute the same launches.
#include "kernels/amd/amd_set.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>

#include "kernels/amd/args.h"
#include "kernels/amd/catalog.h"
#include "kernels/amd/objects.h"
#include "kernels/amd/plan.h"
#include "kernels/gpu/kernel_set.h"

namespace tunehub::kernels::amd {
namespace {

gpu::DeviceProperties Chip(std::string_view gfx, int cu_num) {
  gpu::DeviceProperties device;
  device.api = gpu::Api::kHip;
  device.name = "AMD Instinct";
  device.target = {std::string(gfx), cu_num};
  return device;
}
const gpu::DeviceProperties kMi250x = Chip("gfx90a", 104), kMi300x = Chip("gfx942", 304),
                            kMi355x = Chip("gfx950", 256);

Problem ProblemOf(std::string_view family, Format format, Scaling scaling, int m, int n, int k) {
  Problem problem;
  problem.family = family;
  problem.batch = family.starts_with("batched_") ? 3 : 1;
  problem.a = problem.w = format;
  problem.scaling = scaling;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

// The projections of Qwen3-32B over eight ranks, for decode and prefill, in every family and
// format.
std::vector<Problem> RealProblems() {
  std::vector<Problem> problems;
  for (const int m : {1, 16, 77, 4096}) {
    const auto add = [&](std::string_view family, Format format, Scaling scaling) {
      problems.push_back(ProblemOf(family, format, scaling, m, 1280, 5120));
    };
    add("a8w8", Format::kInt8, Scaling::kRowColumn);
    add("a8w8", Format::kE4m3, Scaling::kRowColumn);
    add("a8w8", Format::kE4m3Fnuz, Scaling::kRowColumn);
    add("a8w8_blockscale", Format::kE4m3, Scaling::kBlock128);
    add("batched_a8w8", Format::kInt8, Scaling::kRowColumn);
    add("batched_bf16", Format::kBf16, Scaling::kNone);
    add("bf16", Format::kBf16, Scaling::kNone);
  }
  return problems;
}

// AMDHSA's kernel descriptor, in the layout of LLVM's AMDGPU usage guide.
struct Descriptor {
  std::uint32_t group_segment_bytes, private_segment_bytes, kernarg_bytes;
};

template <typename T>
T At(std::string_view bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size())
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The descriptor of a function in an AMD ELF; nothing if the ELF has no such function.
std::optional<Descriptor> DescriptorOf(std::string_view elf, const std::string& function) {
  const auto header = At<Elf64_Ehdr>(elf, 0);
  const auto section = [&](std::size_t index) {
    return At<Elf64_Shdr>(elf, header.e_shoff + index * header.e_shentsize);
  };
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto symbols = section(i);
    if (symbols.sh_type != SHT_DYNSYM) continue;
    const auto names = section(symbols.sh_link);
    for (std::size_t at = 0; at < symbols.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = At<Elf64_Sym>(elf, symbols.sh_offset + at);
      if (function + ".kd" != elf.data() + names.sh_offset + symbol.st_name) continue;
      const auto holder = section(symbol.st_shndx);
      return At<Descriptor>(elf, holder.sh_offset + symbol.st_value - holder.sh_addr);
    }
  }
  return std::nullopt;
}

#define TUNEHUB_SKIP_WITHOUT_OBJECTS() \
  if (EmbeddedObjects().empty())       \
  GTEST_SKIP() << "this build has no compiler for AMD: NOTHING WAS CHECKED"

TEST(AmdSet, serves_the_chips_of_its_objects_and_no_other) {
  TUNEHUB_SKIP_WITHOUT_OBJECTS();
  const AmdSet set;
  EXPECT_TRUE(set.Serves(kMi300x));
  EXPECT_FALSE(set.Serves(Chip("gfx1100", 96)));
  gpu::DeviceProperties nvidia = kMi300x;
  nvidia.api = gpu::Api::kCuda;
  EXPECT_FALSE(set.Serves(nvidia));
  EXPECT_TRUE(set.Candidates(RealProblems().front(), nvidia).empty());
  const auto error = gpu::NoKernelsFor(Chip("gfx1100", 96), {&set});
  EXPECT_EQ(error.code, gpu::kWrongArch);
  EXPECT_EQ(error.detail,
            "AMD Instinct is gfx1100, for which this build has no kernels; it has kernels for " +
                set.Chips());
  EXPECT_NE(set.Chips().find("gfx942"), std::string::npos);
}

// By problem with M = 16, in RealProblems' order: x: the GPU computes it, z: as fnuz, -: it does
// not.
TEST(AmdSet, offers_what_the_chip_multiplies) {
  TUNEHUB_SKIP_WITHOUT_OBJECTS();
  const AmdSet set;
  const auto computes = [&](const gpu::DeviceProperties& device) {
    std::string text;
    for (const Problem& problem : RealProblems()) {
      if (problem.m != 16) continue;
      const Problem encoded = set.InEncoding(problem, device);
      const auto candidates = set.Candidates(encoded, device);
      if (!candidates.empty()) {
        EXPECT_EQ(candidates.front().kernel_id, 0);
        EXPECT_EQ(candidates.front().split_k, 0) << "the default must be first";
      }
      const bool fnuz = encoded.w == Format::kE4m3Fnuz;
      text += candidates.empty() ? '-' : fnuz ? 'z' : 'x';
    }
    return text;
  };
  // The columns: int8, fp8, fp8 fnuz, blockscale, the batched families, bf16.
  const std::pair<const gpu::DeviceProperties*, const char*> expected[] = {
      {&kMi250x, "x---xxx"}, {&kMi300x, "x-zzxxx"}, {&kMi355x, "xx-xxxx"}};
  for (const auto& [device, text] : expected) {
    if (!set.Serves(*device)) continue;  // this build's compiler does not support it
    EXPECT_EQ(computes(*device), text) << device->target.gfx;
  }
}

TEST(AmdSet, names_every_instance_of_a_family_on_the_chip) {
  TUNEHUB_SKIP_WITHOUT_OBJECTS();
  const AmdSet set;
  for (const auto family : Families()) {
    EXPECT_EQ(set.Names(family, kMi300x).size(), Instances(family, Arch::kGfx942).size());
  }
  EXPECT_TRUE(set.Names("fmoe", kMi300x).empty());
  EXPECT_TRUE(set.Names("bf16", Chip("gfx1100", 96)).empty());
}

// Checks the launches of one candidate, and counts its functions.
void CheckLaunches(const AmdSet& set, const gpu::DeviceProperties& device, const Problem& problem,
                   const Candidate& candidate, std::map<std::string, int>& functions) {
  static int a, w, a_scale, w_scale, out, workspace;
  const gpu::Addresses at = {&a, &a_scale, &w, &w_scale, &out, &workspace};
  const auto launches = set.Plan(problem, candidate, device, gpu::Driver(), at);
  ASSERT_TRUE(launches.ok()) << launches.error().detail;
  const auto planned = PlanOf(problem, *ArchOf(device.target.gfx), device.target.cu_num, candidate,
                              {&a, &w, reinterpret_cast<float*>(&a_scale),
                               reinterpret_cast<float*>(&w_scale), &out, &workspace});
  ASSERT_EQ(launches->size(), planned->size());
  EXPECT_EQ(launches->size() > 1, set.WorkspaceBytes(problem, candidate, device) > 0);
  for (std::size_t i = 0; i < launches->size(); ++i) {
    const gpu::Launch& launch = (*launches)[i];
    EXPECT_EQ(launch.arguments, (*planned)[i].arguments)
        << "the emulator's tests run these launches";
    const auto descriptor = DescriptorOf(launch.code, launch.function);
    ASSERT_TRUE(descriptor) << launch.function << " is not in its code object";
    EXPECT_EQ(descriptor->kernarg_bytes, launch.arguments.size()) << launch.function;
    EXPECT_EQ(descriptor->private_segment_bytes, 0U);
    EXPECT_EQ(launch.shared_bytes, 0U) << "the function itself declares its LDS";
    EXPECT_GT(launch.grid[0] * launch.grid[1] * launch.grid[2], 0U);
    // HIP counts a grid's threads in x with 32 bits.
    EXPECT_LT(std::uint64_t{launch.grid[0]} * launch.block[0], std::uint64_t{1} << 32);
    EXPECT_EQ(launch.block[0] % 64, 0U);
    EXPECT_LE(launch.block[0], 1024U);
    EXPECT_EQ(launch.cluster, 1U);
    ++functions[launch.function];
  }
}

TEST(AmdSet, plans_launches_of_functions_that_take_such_arguments) {
  TUNEHUB_SKIP_WITHOUT_OBJECTS();
  const AmdSet set;
  for (const auto* device : {&kMi250x, &kMi300x, &kMi355x}) {
    if (!set.Serves(*device)) continue;
    std::map<std::string, int> functions;
    std::size_t instances = 0;
    for (const auto family : Families()) instances += set.Names(family, *device).size();
    for (const Problem& problem : RealProblems()) {
      const Problem encoded = set.InEncoding(problem, *device);
      for (const auto& candidate : set.Candidates(encoded, *device)) {
        CheckLaunches(set, *device, encoded, candidate, functions);
      }
    }
    EXPECT_GT(functions.size(), instances) << "every instance and the sums of slices";
  }
}

TEST(AmdSet, what_is_no_candidate_has_no_launch) {
  TUNEHUB_SKIP_WITHOUT_OBJECTS();
  const AmdSet set;
  const Problem problem = RealProblems().front();
  auto candidate = set.Candidates(problem, kMi300x).front();
  candidate.split_k = 3;
  EXPECT_EQ(set.Plan(problem, candidate, kMi300x, gpu::Driver(), {}).error().code,
            "kernel_not_valid");
  candidate = {"tk_a8w8_2x96x512x512_r6x2_nm_tn", 0, 0};
  EXPECT_EQ(set.Plan(problem, candidate, kMi300x, gpu::Driver(), {}).error().code,
            "unknown_kernel");
  EXPECT_EQ(set.Plan(problem, candidate, Chip("gfx1100", 96), gpu::Driver(), {}).error().code,
            gpu::kWrongArch);
}

}  // namespace
}  // namespace tunehub::kernels::amd
