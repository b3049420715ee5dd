// Every AMD instance on every architecture, executed lane by lane and compared with the float64
// reference.
#include "tests/amd/emu/instances.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "kernels/amd/catalog.h"
#include "kernels/amd/plan.h"
#include "kernels/buffer.h"
#include "kernels/operands.h"
#include "kernels/reference.h"

namespace tunehub::kernels::emu {
namespace {

constexpr int kUnits = 304;  // enough compute units for every split-K

struct Case {
  std::string_view family;
  Format format;
  Scaling scaling;
  int batch;
};
const std::vector<Case> kCases = {
    {"bf16", Format::kBf16, Scaling::kNone, 1},
    {"a8w8", Format::kInt8, Scaling::kRowColumn, 1},
    {"a8w8", Format::kE4m3, Scaling::kRowColumn, 1},
    {"a8w8_blockscale", Format::kE4m3, Scaling::kBlock128, 1},
    {"batched_bf16", Format::kBf16, Scaling::kNone, 2},
    {"batched_a8w8", Format::kInt8, Scaling::kRowColumn, 2},
};

Problem InstanceProblem(const Case& each, amd::Arch arch, int m, int n, int k) {
  Problem problem;
  problem.family = each.family;
  problem.batch = each.batch;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.a = problem.w = each.format;
  problem.scaling = each.scaling;
  return amd::InEncodingOf(arch, problem);
}

// One problem with its operands and its reference. Any candidate can run it.
class Trial {
 public:
  explicit Trial(const Problem& problem)
      : problem_(problem),
        operands_(MakeOperands(problem, 3)),
        reference_(MakeReference(problem, operands_, ~std::uint64_t{0}, 1, 2)),
        out_(U(problem.batch) * U(problem.m) * U(problem.n) * BytesOf(problem.out, 1)) {}

  // The output's error; "" if it is right.
  std::string Run(amd::Arch arch, const Candidate& candidate, std::uint64_t seed = 1) {
    const auto workspace_bytes = amd::WorkspaceBytes(problem_, arch, candidate);
    if (!workspace_bytes) return workspace_bytes.error().detail;
    Buffer workspace(*workspace_bytes);
    std::memset(out_.data(), 0xff, out_.size());
    if (workspace.size() > 0) std::memset(workspace.data(), 0xff, workspace.size());
    const amd::Buffers buffers = {operands_.a.data(),
                                  operands_.w.data(),
                                  operands_.a_scale.as<float>(),
                                  operands_.w_scale.as<float>(),
                                  out_.data(),
                                  workspace.data()};
    const auto launches = amd::PlanOf(problem_, arch, kUnits, candidate, buffers);
    if (!launches) return launches.error().detail;
    const Memory memory = MemoryWith(workspace);
    LaunchOptions options;
    options.seed = seed;
    options.workers = 2;
    for (const auto& launch : *launches) {
      if (const auto error = emu::Run(launch, arch, memory, options)) {
        return error->code + ": " + error->detail;
      }
    }
    return Compared();
  }

 private:
  Memory MemoryWith(const Buffer& workspace) const {
    return Memory({{"a", operands_.a.data(), operands_.a.size(), false},
                   {"w", operands_.w.data(), operands_.w.size(), false},
                   {"a_scale", operands_.a_scale.data(), operands_.a_scale.size(), false},
                   {"w_scale", operands_.w_scale.data(), operands_.w_scale.size(), false},
                   {"out", out_.data(), out_.size(), true},
                   {"workspace", workspace.data(), workspace.size(), true}});
  }

  std::string Compared() const {
    std::vector<float> values(reference_.values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = problem_.out == Format::kF32 ? out_.as<float>()[i]
                                               : FromBf16(out_.as<std::uint16_t>()[i]);
    }
    const Check check = Compare(values, reference_.values);
    if (check.ok(0)) return "";
    return std::to_string(check.err_ratio) + " wrong, Frobenius " +
           std::to_string(check.frobenius) + ", largest difference " +
           std::to_string(check.max_delta);
  }

  Problem problem_;
  Operands operands_;
  Reference reference_;
  Buffer out_;
};

class EmuInstances : public testing::TestWithParam<amd::Arch> {
 protected:
  // Runs each instance once: without splitting K, or with its first split of K.
  static void RunEach(const Case& each, int m, int n, int k, bool splits) {
    const amd::Arch arch = GetParam();
    const auto problem = InstanceProblem(each, arch, m, n, k);
    const auto candidates = amd::Candidates(problem, arch, kUnits);
    if (candidates.empty()) return;  // fp8 on gfx90a; the catalog's test counts these cases
    Trial trial(problem);
    std::map<int, int> runs;
    for (const auto& candidate : candidates) {
      if ((candidate.split_k > 0) != splits || (splits && runs[candidate.kernel_id] > 0)) continue;
      ++runs[candidate.kernel_id];
      EXPECT_EQ(trial.Run(arch, candidate), "")
          << candidate.kernel_name << " on " << amd::NameOf(arch) << ", splitK "
          << candidate.split_k << ", " << m << " x " << n << " x " << k;
    }
    if (!splits) {
      EXPECT_EQ(runs.size(), amd::Instances(each.family, arch).size());
    }
  }
};

// For most instances: several tiles in each direction, and several tiles of K, so that a pipeline
// repeats.
TEST_P(EmuInstances, are_right_on_aligned_shapes) {
  for (const auto& each : kCases) RunEach(each, 256, 256, 512, false);
}

// Here M, N and K end within a tile.
TEST_P(EmuInstances, are_right_on_ragged_shapes) {
  for (const auto& each : kCases) RunEach(each, 77, 268, 336, false);
}

TEST_P(EmuInstances, are_right_with_a_split_k) {
  for (const auto& each : kCases) RunEach(each, 21, 76, 4112, true);
}

TEST_P(EmuInstances, write_float32_where_that_is_asked_for) {
  auto problem = InstanceProblem(kCases.front(), GetParam(), 40, 72, 2048);
  problem.out = Format::kF32;
  Trial trial(problem);
  for (const auto& candidate : amd::Candidates(problem, GetParam(), kUnits)) {
    if (candidate.kernel_id != 8) continue;  // this instance runs without and with every split of K
    EXPECT_EQ(trial.Run(GetParam(), candidate), "") << "splitK " << candidate.split_k;
  }
}

TEST_P(EmuInstances, are_right_in_other_orders_of_lanes) {
  for (const auto& each : kCases) {
    const auto problem = InstanceProblem(each, GetParam(), 100, 140, 384);
    const auto candidates = amd::Candidates(problem, GetParam(), kUnits);
    if (candidates.empty()) continue;
    Trial trial(problem);
    for (std::uint64_t seed = 2; seed < 5; ++seed) {
      EXPECT_EQ(trial.Run(GetParam(), candidates.front(), seed), "")
          << candidates.front().kernel_name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, EmuInstances, testing::ValuesIn(amd::kArchs),
                         [](const auto& arch) { return std::string(amd::NameOf(arch.param)); });

}  // namespace
}  // namespace tunehub::kernels::emu
