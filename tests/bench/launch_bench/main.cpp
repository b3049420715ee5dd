// launch-bench: the host's microseconds for th_launch, and for the driver's launch of the same
// kernel, in turns on this host's first GPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <vector>

#include "dispatch/tunehub_dispatch.h"
#include "kernels/gpu/input_sets.h"
#include "kernels/gpu/kernel_set.h"
#include "kernels/gpu/modules.h"
#include "kernels/gpu/stream.h"
#include "kernels/operands.h"
#include "kernels/sets/gpu_sets.h"

namespace tunehub::bench {
namespace {

constexpr char kFamily[] = "a8w8_blockscale";
constexpr int kM = 16, kN = 1280, kK = 5120;
// A driver queues about a thousand launches before a launch has to wait.
constexpr int kCalls = 200, kTurns = 41;

void Check(th_code code) {
  if (code != TH_OK) throw std::runtime_error(th_last_error());
}
void Check(const core::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().detail);
}
template <typename T>
T Value(core::Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().detail);
  return *std::move(result);
}

double HostUs(const std::function<void()>& launch, kernels::gpu::Stream& stream) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) launch();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  Check(stream.Wait());
  return took.count() / kCalls;
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void Run() {
  const auto gpu = Value(kernels::gpu::OpenGpu(0, kernels::GpuSets()));
  th_table* table = nullptr;
  th_layer* layer = nullptr;
  const th_shape shape = {0, kN, kK, nullptr};
  Check(th_open(nullptr, kFamily, nullptr, &table));
  Check(th_layer_open(table, nullptr, 0, &shape, &layer));
  th_answer kernel{};
  Check(th_default(layer, kM, &kernel));

  kernels::Problem problem;
  problem.family = kFamily;
  problem.scaling = kernels::Scaling::kBlock128;
  problem.m = kM;
  problem.n = kN;
  problem.k = kK;
  problem.a = problem.w = kernels::Format::kE4m3;
  problem = gpu.kernels->InEncoding(problem, gpu.device);
  const auto sets = Value(
      kernels::gpu::InputSets::Make(*gpu.driver, problem, kernels::MakeOperands(problem, 1), 1));
  const auto at = sets.At(0);
  const auto stream = Value(kernels::gpu::Stream::Make(*gpu.driver));
  kernels::gpu::Modules modules(*gpu.driver);
  const auto planned = Value(gpu.kernels->Plan(
      problem, gpu.kernels->Candidates(problem, gpu.device).front(), gpu.device, *gpu.driver, at));
  const auto function = Value(modules.Find(planned.front()));

  const th_operands operands = {at.a, at.a_scale, at.w, at.w_scale, at.out};
  const auto bare = [&] { Check(modules.Start(planned.front(), function, stream->get())); };
  const auto ours = [&] {
    Check(th_launch(layer, kM, kernel.kernel_name, kernel.split_k, &operands, nullptr, 0,
                    stream->get()));
  };
  std::vector<double> bare_us, our_us;
  for (int turn = 0; turn < kTurns; ++turn) {
    bare_us.push_back(HostUs(bare, *stream));
    our_us.push_back(HostUs(ours, *stream));
  }
  const double bare_median = Median(bare_us), our_median = Median(our_us);
  std::printf("%s: driver %.2f us, th_launch %.2f us: %.2f times\n", kernel.kernel_name,
              bare_median, our_median, our_median / bare_median);
  th_layer_close(layer);
  th_close(table);
}

}  // namespace
}  // namespace tunehub::bench

int main() {
  try {
    tunehub::bench::Run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "launch-bench: %s\n", error.what());
    return 2;
  }
}
