#include "examples/dispatch_gemms/gemm_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "examples/dispatch_gemms/gemms.h"
#include "kernels/check.h"
#include "kernels/device.h"
#include "kernels/gpu/output.h"
#include "kernels/operands.h"

namespace tunehub::example {
namespace {

using kernels::gpu::Memory;

// All bits set is NaN in bf16 and in float32: what a kernel did not write shows.
constexpr unsigned char kPoison = 0xff;
// A model's other layers have used the cache meanwhile.
constexpr std::uint64_t kLeastRotatingBytes = std::uint64_t{128} << 20;
constexpr std::uint64_t kReferenceWork = 100'000'000, kSeed = 1;
constexpr double kMostWrong = 0.05;  // of a correct output's elements, by rounding

}  // namespace

core::Result<GemmRun> GemmRun::Make(const kernels::gpu::Driver& driver,
                                    const kernels::gpu::DeviceProperties& device,
                                    const kernels::Problem& problem, const th_layer& layer) {
  const auto operands = kernels::MakeOperands(problem, kSeed);
  auto sets = kernels::gpu::InputSets::Make(driver, problem, operands,
                                            std::max(2 * device.cache_bytes, kLeastRotatingBytes));
  if (!sets.ok()) return sets.error();
  GemmRun run(
      problem, layer, *std::move(sets),
      kernels::MakeReference(problem, operands, kReferenceWork, kSeed, kernels::UsableCores()));
  const auto status = run.Ask();
  if (!status.ok()) return status.error();
  return run;
}

core::Status GemmRun::Ask() {
  auto status = Checked(th_find(layer_, problem_.m, &row_));
  if (status.ok()) status = Checked(th_default(layer_, problem_.m, &standard_));
  if (!status.ok()) return status;
  tuned_ = row_.own_kernel != 0 ? row_ : standard_;
  for (const th_answer* kernel : {&standard_, &tuned_}) {
    std::size_t bytes = 0;
    status = Checked(
        th_workspace_bytes(layer_, problem_.m, kernel->kernel_name, kernel->split_k, &bytes));
    if (!status.ok()) return status;
    workspace_bytes_ = std::max(workspace_bytes_, bytes);
  }
  return core::Ok();
}

core::Status GemmRun::Launch(const th_answer& kernel, std::size_t set, const Memory& workspace,
                             hipStream_t stream) const {
  const auto at = sets_.At(set % sets_.count());
  const th_operands operands = {at.a, at.a_scale, at.w, at.w_scale, at.out};
  return Checked(th_launch(layer_, problem_.m, kernel.kernel_name, kernel.split_k, &operands,
                           workspace.data(), workspace.size(), stream));
}

core::Status GemmRun::Verify(const th_answer& kernel, const Memory& workspace,
                             kernels::gpu::Stream& stream) {
  auto status = sets_.output().Fill(kPoison);
  if (status.ok()) status = Launch(kernel, 0, workspace, stream.get());
  if (status.ok()) status = stream.Wait();
  if (!status.ok()) return status;
  const auto output = kernels::gpu::ReadRows(problem_, sets_.output(), reference_.rows);
  if (!output.ok()) return output.error();
  const auto check = kernels::Compare(*output, reference_.values);
  if (check.ok(kMostWrong)) return core::Ok();
  return core::Error{"wrong_result",
                     fmt::format("{} computed {:f} % of the elements wrong at M={}",
                                 kernel.kernel_name, 100 * check.err_ratio, problem_.m)};
}

}  // namespace tunehub::example
