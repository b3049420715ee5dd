#include "kernels/cpu/catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/base/text.h"
#include "kernels/cpu/gemm.h"

namespace tunehub::kernels {
namespace {

using core::Error;

#define TK_GEMM(block_m, block_n, block_k, tile_m, tile_v, order, share) \
  Config{0, block_m, block_n, block_k, tile_m, tile_v, Order::order, Share::share},

constexpr Config kA8w8[] = {
#include "kernels/cpu/table/a8w8.inc"
};
constexpr Config kA8w8Blockscale[] = {
#include "kernels/cpu/table/a8w8_blockscale.inc"
};
constexpr Config kBf16[] = {
#include "kernels/cpu/table/bf16.inc"
};
constexpr Config kBatchedA8w8[] = {
#include "kernels/cpu/table/batched_a8w8.inc"
};
constexpr Config kBatchedBf16[] = {
#include "kernels/cpu/table/batched_bf16.inc"
};
constexpr Config kA4w4Blockscale[] = {
#include "kernels/cpu/table/a4w4_blockscale.inc"
};
constexpr Config kFmoe[] = {
#include "kernels/cpu/table/fmoe.inc"
};
#undef TK_GEMM

struct Table {
  std::string_view family;
  std::span<const Config> rows;  // threads are 0; the candidate sets them
};

constexpr std::array<Table, 7> kTables = {{
    {"a4w4_blockscale", kA4w4Blockscale},
    {"a8w8", kA8w8},
    {"a8w8_blockscale", kA8w8Blockscale},
    {"batched_a8w8", kBatchedA8w8},
    {"batched_bf16", kBatchedBf16},
    {"bf16", kBf16},
    {"fmoe", kFmoe},
}};

// Slicing K helps if a problem has too few tiles for the threads, or mostly reads weights.
constexpr std::array<int, 2> kSplits = {2, 4};
constexpr int kMaxSplitRows = 64;
constexpr int kMinSliceK = 512;
// With less work, fewer threads may win, because starting and joining threads costs microseconds.
constexpr double kFewThreadsWork = 8e6;  // multiply-adds

std::span<const Config> RowsOf(std::string_view family) {
  const auto found = std::find_if(kTables.begin(), kTables.end(),
                                  [&](const Table& table) { return table.family == family; });
  return found == kTables.end() ? std::span<const Config>() : found->rows;
}

bool HasTile(const Problem& problem, const Config& config, const Machine& machine) {
  return cpu::TileFunctionOf(machine.isa, cpu::KindOf(problem.w), config.tile_m, config.tile_v) !=
         nullptr;
}

// True if every thread has work.
bool Occupies(const Problem& problem, const Config& config, const Machine& machine, int slices) {
  const int width = config.tile_v * cpu::LanesOf(machine.isa);
  const int parts = config.share == Share::kColumns
                        ? (problem.n + width - 1) / width
                        : (problem.m + config.tile_m - 1) / config.tile_m;
  return static_cast<double>(parts) * problem.batch * slices >= config.threads;
}

bool MaySplit(const Problem& problem, int split_k) {
  if (split_k == 0) return true;
  return split_k <= cpu::kMaxSplitK && !problem.is_moe() && problem.m <= kMaxSplitRows &&
         problem.k / split_k >= kMinSliceK;
}

// All cores; for a small problem also a half, a quarter and so on.
std::vector<int> ThreadCounts(const Problem& problem, const Machine& machine) {
  std::vector<int> counts = {machine.cores};
  const double work = 1.0 * problem.batch * problem.m * problem.n * problem.k;
  if (work > kFewThreadsWork) return counts;
  for (int threads = machine.cores / 2; threads > 0; threads /= 2) counts.push_back(threads);
  return counts;
}

}  // namespace

const std::vector<std::string_view>& CoveredFamilies() {
  static const std::vector<std::string_view> families = core::Mapped(kTables, &Table::family);
  return families;
}

Machine ThisMachine() {
  return {*BestIsa(), UsableCores()};
}

std::vector<Candidate> Candidates(const Problem& problem, const Machine& machine) {
  std::vector<Candidate> candidates;
  if (problem.w == Format::kE4m3Fnuz) return candidates;  // only gfx942 has this format
  int id = 0;
  for (Config config : RowsOf(problem.family)) {
    const int row = id++;
    if (!HasTile(problem, config, machine)) continue;
    for (const int threads : ThreadCounts(problem, machine)) {
      config.threads = threads;
      const std::string name = KernelName(problem.family, config);
      const bool is_default = row == 0 && threads == machine.cores;
      if (is_default || Occupies(problem, config, machine, 1)) candidates.push_back({name, row, 0});
      for (const int split_k : kSplits) {
        if (MaySplit(problem, split_k) && Occupies(problem, config, machine, split_k)) {
          candidates.push_back({name, row, split_k});
        }
      }
    }
  }
  return candidates;
}

std::vector<std::string> Names(std::string_view family, const Machine& machine) {
  std::vector<std::string> names;
  for (Config config : RowsOf(family)) {
    config.threads = machine.cores;
    names.push_back(KernelName(family, config));
  }
  return names;
}

Candidate DefaultCandidate(const Problem& problem, const Machine& machine) {
  Config config = RowsOf(problem.family).front();
  config.threads = machine.cores;
  return {KernelName(problem.family, config), 0, 0};
}

core::Result<Config> ConfigOf(const Problem& problem, const Candidate& candidate,
                              const Machine& machine) {
  const auto named = ParseKernelName(candidate.kernel_name);
  const auto rows = RowsOf(problem.family);
  const auto unknown = [&](const std::string& reason) {
    return Error{"unknown_kernel", candidate.kernel_name + ": " + reason};
  };
  if (!named || named->kernel != problem.family) {
    return unknown("no kernel of " + problem.family);
  }
  Config row = named->config;
  row.threads = 0;
  const auto id = static_cast<std::size_t>(candidate.kernel_id);
  if (candidate.kernel_id < 0 || id >= rows.size() || !(rows[id] == row)) {
    return unknown(fmt::format("the kernel is not row {} of the table of {}", candidate.kernel_id,
                               problem.family));
  }
  const auto not_valid = [&](const std::string& reason) {
    return Error{"kernel_not_valid", candidate.kernel_name + ": " + reason};
  };
  const auto& config = named->config;
  if (config.threads < 1 || config.threads > machine.cores) {
    return not_valid(
        fmt::format("the kernel is for another number of cores; this host has {}", machine.cores));
  }
  if (!HasTile(problem, config, machine)) {
    return not_valid(fmt::format("its tile needs more registers than {}", NameOf(machine.isa)));
  }
  if (!MaySplit(problem, candidate.split_k)) {
    return not_valid(fmt::format("splitK {} does not fit this shape", candidate.split_k));
  }
  return config;
}

}  // namespace tunehub::kernels
