// dispatch-example shows how an inference engine uses libtunehub_dispatch. It finds the kernel of
// each shape in a tuned table of block-scaled fp8 GEMMs. On this host's GPU it runs that kernel and
// the kernel of untuned shapes, and prints both times.
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/command_line.h"
#include "core/row/cell.h"
#include "dispatch/tunehub_dispatch.h"
#include "kernels/device.h"
#include "kernels/gpu/input_sets.h"
#include "kernels/gpu/stream.h"
#include "kernels/reference.h"
#include "kernels/timer.h"

namespace tunehub::example {
namespace {

constexpr char kFamily[] = "a8w8_blockscale";
constexpr unsigned char kPoison = 0xff;  // NaN, which reveals elements that no kernel wrote
constexpr double kMostWrong = 0.05;      // the share of elements that rounding may make wrong
constexpr std::uint64_t kRotatingBytes = 256 << 20, kReferenceWork = 100'000'000, kSeed = 1;
constexpr std::size_t kCalls = 20;  // in one graph, because events have a resolution of 0.5 us
constexpr int kRepetitions = 15, kBad = 2;

void Check(th_code code) {
  if (code != TH_OK) throw std::runtime_error(th_last_error());
}
template <typename T>
T Value(core::Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().detail);
  return *std::move(result);
}

// One GEMM at one M. An engine has its own memory and stream.
struct Gemm {
  const kernels::gpu::Driver& driver;
  const th_layer& layer;
  kernels::Problem problem;
  kernels::Operands operands = kernels::MakeOperands(problem, kSeed);
  kernels::gpu::InputSets sets =
      Value(kernels::gpu::InputSets::Make(driver, problem, operands, kRotatingBytes));
  kernels::Reference reference =
      kernels::MakeReference(problem, operands, kReferenceWork, kSeed, kernels::UsableCores());
  std::unique_ptr<kernels::gpu::Stream> stream = Value(kernels::gpu::Stream::Make(driver));
};

// Returns the median time of a call, in microseconds. First checks the kernel's output against
// float64.
double Time(Gemm& gemm, const th_answer& kernel) {
  const int m = gemm.problem.m, split_k = kernel.split_k;
  std::size_t bytes = 0;
  Check(th_workspace_bytes(&gemm.layer, m, kernel.kernel_name, split_k, &bytes));
  const auto workspace = Value(kernels::gpu::Memory::Make(gemm.driver, bytes));
  const auto launch = [&](std::size_t call, hipStream_t stream) {
    const auto at = gemm.sets.At(call % gemm.sets.count());
    const th_operands operands = {at.a, at.a_scale, at.w, at.w_scale, at.out};
    Check(th_launch(&gemm.layer, m, kernel.kernel_name, split_k, &operands, workspace.data(), bytes,
                    stream));
  };
  Value(gemm.sets.output().Fill(kPoison));
  launch(0, gemm.stream->get());  // also loads the kernel
  Value(gemm.stream->Wait());
  const auto& reference = gemm.reference;
  const auto output = kernels::gpu::ReadRows(gemm.problem, gemm.sets.output(), reference.rows);
  const auto check = kernels::Compare(Value(output), reference.values);
  if (!check.ok(kMostWrong)) {
    throw std::runtime_error(kernel.kernel_name + (" computed " + std::to_string(check.err_ratio)) +
                             " of the elements wrong at M=" + std::to_string(m));
  }
  const auto graph = Value(gemm.stream->Capture([&](hipStream_t stream) {
    for (std::size_t call = 0; call < kCalls; ++call) launch(call, stream);
    return core::Ok();
  }));
  kernels::TimeSamples samples;
  for (int i = 0; i < kRepetitions; ++i) {
    samples.us.push_back(Value(gemm.stream->Time(*graph)) / static_cast<double>(kCalls));
  }
  return samples.median();
}

// `gpu` null: launches nothing.
void Report(const th_layer& layer, const th_shape& shape, int m, const th_device_info* gpu) {
  th_answer row{}, standard{};
  Check(th_find(&layer, m, &row));
  std::printf("%7d %7d %7d  %-10s %7d %10.4f", m, static_cast<int>(shape.n),
              static_cast<int>(shape.k), row.step, static_cast<int>(row.m), row.us);
  if (gpu != nullptr) {
    Check(th_default(&layer, m, &standard));
    kernels::Problem problem;
    problem.family = kFamily;
    problem.scaling = kernels::Scaling::kBlock128;
    problem.m = m;
    problem.n = static_cast<int>(shape.n);
    problem.k = static_cast<int>(shape.k);
    problem.a = problem.w =
        std::string(gpu->gfx) == "gfx942" ? kernels::Format::kE4m3Fnuz : kernels::Format::kE4m3;
    Gemm gemm{.driver = *kernels::gpu::ThisDriver(), .layer = layer, .problem = problem};
    std::printf(" %10.2f", Time(gemm, standard));
    std::printf(" %10.2f", Time(gemm, row.own_kernel != 0 ? row : standard));
  }
  std::printf("  %s %s splitK=%d\n", row.libtype, row.kernel_name, row.split_k);
}

th_shape ShapeOf(const std::string& text) {
  const std::size_t by = text.find('x');
  const auto n = core::ParseInt(text.substr(0, by));
  const auto k = by == std::string::npos ? std::nullopt : core::ParseInt(text.substr(by + 1));
  if (n && k && *n > 0 && *k > 0) return {0, *n, *k, nullptr};
  throw std::runtime_error("'" + text + "' is not NxK such as 1280x5120");
}

int Main(int argc, char** argv) {
  std::string file, gfx;
  int cu_num = 0;
  std::vector<std::string> gemms;
  std::vector<int> ms = {1, 16, 64, 256, 1024, 4096};
  cli::CommandLine line(
      "Shows a tuned table's rows for GEMMs, and times their kernels and the kernels of "
      "untuned shapes on this host's GPU.",
      "dispatch-example");
  line.Add("TABLE", file, "a file of GET /tuned/a8w8_blockscale").Required();
  line.Add("--gemm", gemms, "NxK: 1280x5120,5120x1024").Required().Delimiter(',');
  line.Add("--m", ms, "rows: 1,16,1024").Delimiter(',').Range(1, 1 << 20).ShowDefault();
  line.Add("--gfx", gfx, "look up for this GPU, and launch nothing");
  line.Add("--cu-num", cu_num, "the GPU's CU count; default: the usual one");
  const cli::Parsed parsed = line.Parse(argc, argv, std::cout, std::cerr);
  if (parsed != cli::Parsed::kGiven) return parsed == cli::Parsed::kAnswered ? 0 : kBad;

  th_device_info gpu{};
  if (gfx.empty()) {
    Check(th_device(&gpu));
    Value(kernels::gpu::UseDevice(*kernels::gpu::ThisDriver(), gpu.id));
    std::printf("%s: %s with %d compute units\n", gpu.name, gpu.gfx, gpu.cu_num);
  }
  th_table* opened = nullptr;
  Check(th_open(file.c_str(), kFamily, nullptr, &opened));
  const std::unique_ptr<th_table, decltype(&th_close)> table(opened, &th_close);
  std::printf("%7s %7s %7s  %-10s %7s %10s%s  kernel\n", "M", "N", "K", "step", "row's M", "us",
              gfx.empty() ? " default us   tuned us" : "");
  for (const std::string& text : gemms) {
    const th_shape shape = ShapeOf(text);
    th_layer* found = nullptr;
    Check(th_layer_open(opened, gfx.empty() ? nullptr : gfx.c_str(), cu_num, &shape, &found));
    const std::unique_ptr<th_layer, decltype(&th_layer_close)> layer(found, &th_layer_close);
    for (const int m : ms) Report(*layer, shape, m, gfx.empty() ? &gpu : nullptr);
  }
  return 0;
}

}  // namespace
}  // namespace tunehub::example

int main(int argc, char** argv) {
  try {
    return tunehub::example::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "dispatch-example: %s\n", error.what());
    return tunehub::example::kBad;
  }
}
