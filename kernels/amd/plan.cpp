#include "kernels/amd/plan.h"

#include <cstring>

#include "kernels/amd/args.h"
#include "kernels/buffer.h"

namespace tunehub::kernels::amd {
namespace {

struct Slices {
  int count = 1;
  int k = 0;  // elements of each slice except the last
};

// Cuts K into slices of whole tiles, as evenly as possible. No slice is empty.
Slices SlicesOf(int k, const Config& config, int split_k) {
  const int tiles = CeilDivide(k, config.block_k);
  const int each = CeilDivide(tiles, split_k == 0 ? 1 : split_k);
  return {CeilDivide(tiles, each), each * config.block_k};
}

template <typename Args>
std::vector<std::byte> Bytes(const Args& args) {
  std::vector<std::byte> bytes(sizeof(Args));
  std::memcpy(bytes.data(), &args, sizeof(Args));
  return bytes;
}

std::uint32_t Count(int value) {
  return static_cast<std::uint32_t>(value);
}

}  // namespace

core::Result<std::size_t> WorkspaceBytes(const Problem& problem, Arch arch,
                                         const Candidate& candidate) {
  const auto instance = InstanceOf(problem, arch, candidate);
  if (!instance) return instance.error();
  const auto slices = SlicesOf(problem.k, instance->config, candidate.split_k);
  if (slices.count == 1) return std::size_t{0};
  return U(slices.count) * U(problem.batch) * U(problem.m) * U(problem.n) * sizeof(float);
}

core::Result<std::vector<PlannedLaunch>> PlanOf(const Problem& problem, Arch arch, int cu_num,
                                                const Candidate& candidate,
                                                const Buffers& buffers) {
  const auto instance = InstanceOf(problem, arch, candidate);
  if (!instance) return instance.error();
  const KernelModule& module = *ModuleOf(problem);
  const Config& config = instance->config;
  const auto slices = SlicesOf(problem.k, config, candidate.split_k);
  const Out out = problem.out == Format::kF32 ? Out::kF32 : Out::kBf16;
  const bool split = slices.count > 1;

  const GemmArgs gemm = {
      .a = buffers.a,
      .w = buffers.w,
      .a_scale = buffers.a_scale,
      .w_scale = buffers.w_scale,
      .out = split ? buffers.workspace : buffers.out,
      .m = problem.m,
      .n = problem.n,
      .k = problem.k,
      .k_slice = slices.k,
      .group_m = config.group_m,
      .xcds = XcdsOf(arch, cu_num),
      .out_kind = split ? Out::kPartial : out,
      .batch = problem.batch,
  };
  const int tiles = CeilDivide(problem.m, config.block_m) * CeilDivide(problem.n, config.block_n);
  std::vector<PlannedLaunch> launches = {{module.file,
                                          FunctionOf(module, config),
                                          {Count(tiles), Count(slices.count), Count(problem.batch)},
                                          Count(config.threads),
                                          0,
                                          Bytes(gemm)}};
  if (!split) return launches;
  const bool scaled = module.scales == Scales::kRowColumn;
  const ReduceArgs reduce = {
      .partial = buffers.workspace,
      .a_scale = scaled ? buffers.a_scale : nullptr,
      .w_scale = scaled ? buffers.w_scale : nullptr,
      .out = buffers.out,
      .m = problem.m,
      .n = problem.n,
      .slices = slices.count,
      .batch = problem.batch,
      .out_kind = out,
      .unused = 0,
  };
  const auto elements = U(problem.m) * U(problem.n);
  launches.push_back({module.file,
                      ReductionOf(module),
                      {static_cast<std::uint32_t>((elements + kReduceThreads - 1) / kReduceThreads),
                       1, Count(problem.batch)},
                      kReduceThreads,
                      0,
                      Bytes(reduce)});
  return launches;
}

}  // namespace tunehub::kernels::amd
