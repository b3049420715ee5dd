#include "kernels/nvidia/sm90_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "core/row/row.h"
#include "kernels/buffer.h"

namespace tunehub::kernels::nvidia {
namespace {

// From cuda.h: CU_TENSOR_MAP_DATA_TYPE_UINT8 and _BFLOAT16, _SWIZZLE_128B, _L2_PROMOTION_L2_256B.
constexpr int kBytes = 0, kBfloat16 = 9, kNoInterleave = 0, kSwizzle128 = 3, kPromotion256 = 3,
              kZeros = 0;

#define TK_SM90(block_m, block_n, stages, cluster_m, cluster_n, group) \
  Sm90Config{block_m, block_n, stages, cluster_m, cluster_n, group, false},
#define TK_SM90_T(block_m, block_n, stages, group) \
  Sm90Config{block_m, block_n, stages, 1, 1, group, true},

constexpr Sm90Config kA8w8[] = {
#include "kernels/nvidia/table/a8w8.inc"
};
constexpr Sm90Config kA8w8Blockscale[] = {
#include "kernels/nvidia/table/a8w8_blockscale.inc"
};
constexpr Sm90Config kBatchedA8w8[] = {
#include "kernels/nvidia/table/batched_a8w8.inc"
};
constexpr Sm90Config kBatchedBf16[] = {
#include "kernels/nvidia/table/batched_bf16.inc"
};
constexpr Sm90Config kBf16[] = {
#include "kernels/nvidia/table/bf16.inc"
};
#undef TK_SM90_T
#undef TK_SM90

struct Table {
  std::string_view family;
  std::span<const Sm90Config> rows;
};
constexpr std::array<Table, 5> kTables = {{{"a8w8", kA8w8},
                                           {"a8w8_blockscale", kA8w8Blockscale},
                                           {"batched_a8w8", kBatchedA8w8},
                                           {"batched_bf16", kBatchedBf16},
                                           {"bf16", kBf16}}};

}  // namespace

core::Status MakeTensorMap(const gpu::Driver& driver, const MatrixBox& matrix, TensorMap& map) {
  const bool wide = matrix.format == Format::kBf16;
  const std::uint64_t sizes[] = {static_cast<std::uint64_t>(matrix.columns),
                                 static_cast<std::uint64_t>(matrix.rows),
                                 static_cast<std::uint64_t>(matrix.batch)};
  const std::uint64_t row_bytes = sizes[0] * (wide ? 2 : 1);
  const std::uint64_t pitches[] = {row_bytes, row_bytes * sizes[1]};
  const unsigned box[] = {matrix.box_columns, matrix.box_rows, 1};
  const unsigned steps[] = {1, 1, 1};
  const int code =
      driver.cuda_tensor_map(&map, wide ? kBfloat16 : kBytes, 3, matrix.at, sizes, pitches, box,
                             steps, kNoInterleave, kSwizzle128, kPromotion256, kZeros);
  return driver.Check(code, fmt::format("describing {} matrices of {} x {} to the copy engine",
                                        matrix.batch, matrix.rows, matrix.columns));
}

namespace {

using core::Error;

// Slicing K helps if a problem has fewer tiles than the device has processors.
constexpr std::array<int, 7> kSplits = {2, 3, 4, 5, 6, 7, 8};
static_assert(kSplits.back() == kMostSlices);
constexpr int kMinSliceBlocks = 4;  // blocks of 128 bytes; fewer do not fill the pipeline
constexpr int kMostRowTilesTransposed = 4;
// The copy engine requires a row pitch that is a multiple of 16 bytes.
constexpr int kPitch = 16;

// The number of blocks and units into which an instance cuts a problem.
struct Cut {
  int batch = 1, k_blocks = 0, m_units = 0, n_units = 0;
  int units() const { return batch * m_units * n_units; }
};

int RowElements(const Problem& problem) {
  return kRowBytes / static_cast<int>(BytesOf(problem.a, 1));
}

Cut CutOf(const Problem& problem, const Sm90Config& config) {
  return {problem.batch, CeilDivide(problem.k, RowElements(problem)),
          CeilDivide(problem.m, config.block_m * config.cluster_m),
          CeilDivide(problem.n, config.block_n * config.cluster_n)};
}

GemmLayout LayoutOf(const Problem& problem, const Sm90Config& config) {
  return {config.block_m, config.block_n, config.stages, problem.scaling == Scaling::kBlock128,
          config.transposed};
}

// The part of a function's name for the format; "" if no instance reads the format.
std::string_view NameOf(Format format) {
  if (format == Format::kInt8) return "int8";
  if (format == Format::kE4m3) return "e4m3";
  return format == Format::kBf16 ? "bf16" : "";
}

std::string FunctionOf(const Problem& problem, const Sm90Config& config) {
  static constexpr std::array<std::string_view, 3> kScales = {"", "_row", "_block"};
  return fmt::format("tk_{}{}_{}x{}_s{}_c{}x{}{}", NameOf(problem.a),
                     kScales[static_cast<std::size_t>(problem.scaling)], config.block_m,
                     config.block_n, config.stages, config.cluster_m, config.cluster_n,
                     config.transposed ? "_t" : "");
}

const Code* CodeOf(const Problem& problem, const Sm90Config& config) {
  const auto function = FunctionOf(problem, config);
  const auto all = AllCode();
  const auto found = std::ranges::find(all, std::string_view(function), &Code::function);
  return found == all.end() ? nullptr : &*found;
}

bool Computes(const Problem& problem) {
  // With block scales, the kernels compute only one batch.
  return (problem.batch == 1 || problem.scaling != Scaling::kBlock128) && !problem.is_moe() &&
         problem.n % 8 == 0 && BytesOf(problem.a, U(problem.k)) % kPitch == 0 &&
         !NameOf(problem.a).empty();
}

// A tile with more rows or columns than the problem only multiplies additional zeros. A transposed
// instance reads W again for each tile of rows.
bool Fits(const Problem& problem, const Sm90Config& config) {
  const auto fits = [](int block, int cluster, int size, int least) {
    return (block <= least || block / 2 < size) && (cluster == 1 || block < size);
  };
  if (config.transposed && problem.m > kMostRowTilesTransposed * config.block_m) return false;
  return fits(config.block_m, config.cluster_m, problem.m, 64) &&
         fits(config.block_n, config.cluster_n, problem.n, 64);
}

bool MaySplit(const Problem& problem, const Sm90Config& config, int split_k, int processors) {
  const Cut cut = CutOf(problem, config);
  return config.cluster() == 1 && cut.k_blocks / split_k >= kMinSliceBlocks &&
         cut.units() < processors && cut.units() * split_k <= 2 * processors;
}

std::optional<Sm90Config> ConfigOf(const Problem& problem, const Candidate& candidate) {
  const auto rows = RowsOf(problem.family);
  const auto id = static_cast<std::size_t>(candidate.kernel_id);
  if (candidate.kernel_id < 0 || id >= rows.size()) return std::nullopt;
  if (KernelName(problem.family, rows[id]) != candidate.kernel_name) return std::nullopt;
  return rows[id];
}

core::Status MakeMaps(const Problem& problem, const Sm90Config& config, const gpu::Driver& driver,
                      const gpu::Addresses& at, GemmArgs& args) {
  // Each block of a pair copies half of the shared operand.
  const unsigned a_rows = static_cast<unsigned>(config.block_m / config.cluster_n);
  const unsigned w_rows = static_cast<unsigned>(config.block_n / config.cluster_m);
  const unsigned columns = static_cast<unsigned>(RowElements(problem));
  const MatrixBox a{problem.a, at.a, problem.batch, problem.m, problem.k, a_rows, columns};
  const MatrixBox w{problem.w, at.w, problem.batch, problem.n, problem.k, w_rows, columns};
  auto status = MakeTensorMap(driver, a, args.a);
  if (status.ok()) status = MakeTensorMap(driver, w, args.w);
  if (!status.ok() || problem.out != Format::kBf16) return status;
  const unsigned out_rows = static_cast<unsigned>(LayoutOf(problem, config).chunk_rows());
  const MatrixBox out{Format::kBf16, at.out, problem.batch, problem.m, problem.n, out_rows, kChunk};
  return MakeTensorMap(driver, out, args.out);
}

}  // namespace

bool Sm90Set::Serves(const gpu::DeviceProperties& device) const {
  return device.api == gpu::Api::kCuda && device.target.gfx == "sm_90" && !AllCode().empty();
}

std::string Sm90Set::Chips() const {
  return AllCode().empty() ? "none of NVIDIA's, because the build found no clang++-22 or clang++-19"
                           : "sm_90";
}

std::vector<std::string> Sm90Set::Names(std::string_view family,
                                        const gpu::DeviceProperties& device) const {
  std::vector<std::string> names;
  if (!Serves(device)) return names;
  for (const Sm90Config& config : RowsOf(family)) names.push_back(KernelName(family, config));
  return names;
}

std::vector<Candidate> Sm90Set::Candidates(const Problem& problem,
                                           const gpu::DeviceProperties& device) const {
  std::vector<Candidate> candidates;
  if (!Computes(problem)) return candidates;
  int id = 0;
  for (const Sm90Config& config : RowsOf(problem.family)) {
    const int row = id++;
    if (CodeOf(problem, config) == nullptr) continue;
    if (row != 0 && !Fits(problem, config)) continue;
    const std::string name = KernelName(problem.family, config);
    candidates.push_back({name, row, 0});
    for (const int split_k : kSplits) {
      if (MaySplit(problem, config, split_k, device.target.cu_num)) {
        candidates.push_back({name, row, split_k});
      }
    }
  }
  return candidates;
}

std::size_t Sm90Set::WorkspaceBytes(const Problem& /*problem*/, const Candidate& /*candidate*/,
                                    const gpu::DeviceProperties& /*device*/) const {
  return 0;  // the cluster adds the slices of K in its shared memory
}

core::Result<gpu::Launches> Sm90Set::Plan(const Problem& problem, const Candidate& candidate,
                                          const gpu::DeviceProperties& device,
                                          const gpu::Driver& driver,
                                          const gpu::Addresses& at) const {
  const auto config = ConfigOf(problem, candidate);
  const Code* const code = config ? CodeOf(problem, *config) : nullptr;
  if (code == nullptr) {
    return Error{"unknown_kernel", candidate.kernel_name + " is not a kernel of this build"};
  }
  const Cut cut = CutOf(problem, *config);
  GemmArgs args{};
  if (auto status = MakeMaps(problem, *config, driver, at, args); !status.ok()) {
    return status.error();
  }
  args.a_scale = static_cast<const float*>(at.a_scale);
  args.w_scale = static_cast<const float*>(at.w_scale);
  if (problem.out == Format::kF32) {
    args.out_f32 = static_cast<float*>(at.out);
  } else {
    args.out_bf16 = static_cast<unsigned short*>(at.out);
  }
  args.batch = problem.batch;
  args.m = problem.m;
  args.n = problem.n;
  args.k_blocks = cut.k_blocks;
  args.scale_columns = CeilDivide(problem.k, 128);
  args.m_units = cut.m_units;
  args.n_units = cut.n_units;
  args.split_k = std::max(candidate.split_k, 1);
  args.group = config->group;

  const GemmLayout layout = LayoutOf(problem, *config);
  // The slices of one tile form a cluster. Without slices, blocks stay resident and walk over the
  // tiles.
  const int cluster = config->cluster() * args.split_k;
  const int resident = device.target.cu_num * layout.blocks() / cluster;
  const int clusters = args.split_k > 1 ? cut.units() : std::min(cut.units(), resident);
  gpu::Launch launch;
  launch.code = code->ptx;
  launch.function = std::string(code->function);
  launch.grid[0] = static_cast<unsigned>(clusters * cluster);
  launch.block[0] = static_cast<unsigned>(layout.threads());
  launch.cluster = static_cast<unsigned>(cluster);
  launch.any_grid = config->cluster() > 1;
  launch.shared_bytes = static_cast<unsigned>(layout.bytes());
  launch.arguments.resize(sizeof args);
  std::memcpy(launch.arguments.data(), &args, sizeof args);
  return gpu::Launches{std::move(launch)};
}

std::span<const Sm90Config> RowsOf(std::string_view family) {
  for (const Table& table : kTables) {
    if (table.family == family) return table.rows;
  }
  return {};
}

std::string KernelName(std::string_view family, const Sm90Config& config) {
  return fmt::format(
      "{}{}_sm90_{}x{}x{}_s{}_c{}x{}_g{}{}", core::kOwnKernelPrefix, family, config.block_m,
      config.block_n, family.ends_with("bf16") ? kRowBytes / 2 : kRowBytes, config.stages,
      config.cluster_m, config.cluster_n, config.group, config.transposed ? "_t" : "");
}

}  // namespace tunehub::kernels::nvidia
