// gpu-bench [--all] [--check] [--samples N] < SHAPES: for each line "family dtype M N K" it
// compares every candidate with float64, times it on this host's first GPU and prints CSV. Then it
// times the best candidates again, in turns. With --check it times nothing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "kernels/device.h"
#include "kernels/gpu/kernel_set.h"
#include "kernels/gpu/workbench.h"
#include "kernels/sets/gpu_sets.h"
#include "kernels/timer.h"
#include "tests/bench/gpu_bench/report.h"

namespace tunehub::bench {
namespace {

using kernels::gpu::Cache;
using kernels::gpu::GpuWorkbench;

struct Options {
  bool all = false, check = false;
  int samples = 9;
  double sample_us = 1500;
  std::string only;  // part of a kernel's name; the default always runs
};

constexpr std::size_t kFinalists = 4;
constexpr int kScreenSamples = 3, kMostCalls = 400;

kernels::Problem ProblemOf(const std::string& family, const std::string& dtype, int m, int n,
                           int k) {
  using kernels::Format;
  using kernels::Scaling;
  kernels::Problem problem;
  problem.family = family;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.a = problem.w = dtype == "int8"   ? Format::kInt8
                          : dtype == "bf16" ? Format::kBf16
                                            : Format::kE4m3;
  problem.scaling = family == "bf16"              ? Scaling::kNone
                    : family == "a8w8_blockscale" ? Scaling::kBlock128
                                                  : Scaling::kRowColumn;
  return problem;
}

int CallsFor(double us, double sample_us) {
  return static_cast<int>(std::clamp(std::ceil(sample_us / us), 1.0, double{kMostCalls}));
}

bool IsFatal(const core::Error& error) {
  return error.code == kernels::gpu::kGpuFailed;
}

// Fails only if the device's context is lost.
core::Status Screen(GpuWorkbench& bench, const Options& options, ShapeReport& report) {
  for (std::size_t i = 0; i < bench.candidates().size(); ++i) {
    Timed timed;
    timed.candidate = bench.candidates()[i];
    if (i != 0 && timed.candidate.kernel_name.find(options.only) == std::string::npos) continue;
    const auto check = bench.Verify(i);
    if (!check.ok()) {
      timed.failed = check.error().detail;
      report.timed.push_back(timed);
      if (IsFatal(check.error())) return check.error();
      continue;
    }
    timed.err_ratio = check->err_ratio;
    timed.frobenius = check->frobenius;
    if (!check->ok(0.05)) timed.failed = "wrong";
    if (timed.failed.empty() && !options.check) {
      const auto first = bench.TimeMicroseconds(i, 2);
      if (!first.ok()) return first.error();
      const int calls = CallsFor(*first, options.sample_us / 3);
      kernels::TimeSamples samples;
      for (int j = 0; j < kScreenSamples; ++j) {
        const auto us = bench.TimeMicroseconds(i, calls);
        if (!us.ok()) return us.error();
        samples.us.push_back(*us);
      }
      timed.us = samples.median();
    }
    report.timed.push_back(timed);
  }
  return core::Ok();
}

// Times the best few candidates and the default in turns.
core::Status Finals(GpuWorkbench& bench, const Options& options, ShapeReport& report) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < report.timed.size(); ++i) {
    if (report.timed[i].us > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return report.timed[a].us < report.timed[b].us; });
  if (order.size() > kFinalists) order.resize(kFinalists);
  if (std::ranges::count(order, 0U) == 0 && report.timed.front().us > 0) order.push_back(0);
  std::vector<kernels::TimeSamples> samples(order.size());
  const auto index_of = [&](std::size_t i) {
    return static_cast<std::size_t>(
        std::ranges::find(bench.candidates(), report.timed[i].candidate) -
        bench.candidates().begin());
  };
  for (int round = 0; round < options.samples; ++round) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int calls = CallsFor(report.timed[order[i]].us, options.sample_us);
      const auto us = bench.TimeMicroseconds(index_of(order[i]), calls);
      if (!us.ok()) return us.error();
      samples[i].us.push_back(*us);
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    report.timed[order[i]].us = samples[i].median();
    report.timed[order[i]].finalist = true;
  }
  for (std::size_t i : order) {
    auto& timed = report.timed[i];
    if (&timed != report.best() && i != 0) continue;
    const int calls = CallsFor(timed.us, options.sample_us / 2);
    const auto hot = bench.TimeMicroseconds(index_of(i), calls, Cache::kHot);
    const auto cold = bench.TimeMicroseconds(index_of(i), 5, Cache::kCold);
    if (!hot.ok()) return hot.error();
    if (!cold.ok()) return cold.error();
    timed.hot = *hot;
    timed.cold = *cold;
  }
  return core::Ok();
}

core::Status RunShape(const kernels::gpu::ThisGpu& gpu, const Options& options,
                      ShapeReport& report) {
  kernels::gpu::GpuWorkbenchOptions bench_options;
  bench_options.threads = kernels::UsableCores();
  auto bench =
      GpuWorkbench::Make(report.problem, *gpu.kernels, *gpu.driver, gpu.device, bench_options);
  if (!bench.ok()) return bench.error();
  report.sets = bench->input_sets();
  auto status = Screen(*bench, options, report);
  if (status.ok() && !options.check) status = Finals(*bench, options, report);
  report.load_ms = bench->load_ms();
  Print(report, options.all || options.check);
  return status;
}

int Run(const Options& options) {
  const auto gpu = kernels::gpu::OpenGpu(0, kernels::GpuSets());
  if (!gpu.ok()) {
    std::fprintf(stderr, "gpu-bench: %s (%s)\n", gpu.error().detail.c_str(),
                 gpu.error().code.c_str());
    return 2;
  }
  std::fprintf(stderr, "gpu-bench: %s, %s with %d processors, driver %d, cache %llu MiB\n",
               gpu->device.name.c_str(), gpu->device.target.gfx.c_str(), gpu->device.target.cu_num,
               gpu->device.driver_version,
               static_cast<unsigned long long>(gpu->device.cache_bytes >> 20));
  PrintHeader();
  int failed = 0;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string family, dtype;
    int m = 0, n = 0, k = 0;
    if (!(words >> family >> dtype >> m >> n >> k)) continue;
    ShapeReport report;
    report.problem = ProblemOf(family, dtype, m, n, k);
    report.dtype = dtype;
    const auto status = RunShape(*gpu, options, report);
    if (status.ok()) {
      for (const auto& timed : report.timed) failed += timed.failed.empty() ? 0 : 1;
      continue;
    }
    ++failed;
    std::fprintf(stderr, "gpu-bench: %s: %s (%s)\n", line.c_str(), status.error().detail.c_str(),
                 status.error().code.c_str());
    if (IsFatal(status.error())) return 2;  // the context is lost
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tunehub::bench

int main(int argc, char** argv) {
  tunehub::bench::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--all") options.all = true;
    if (argument == "--check") options.check = true;
    if (argument == "--samples" && i + 1 < argc) options.samples = std::atoi(argv[++i]);
    if (argument == "--sample-us" && i + 1 < argc) options.sample_us = std::atof(argv[++i]);
    if (argument == "--only" && i + 1 < argc) options.only = argv[++i];
  }
  return tunehub::bench::Run(options);
}
