// kernels-bench THREADS int8|bf16 M...: tuned and default kernels of the catalog beside oneDNN.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/workbench.h"
#include "onednn.h"

namespace tunehub::bench {
namespace {

using namespace tunehub::kernels;

struct WeightShape {
  int n, k;
};
// qkv, o, gate_up and down of Qwen3-32B on eight ranks.
constexpr WeightShape kQwen3[] = {{1280, 5120}, {5120, 1024}, {6400, 5120}, {5120, 3200}};

constexpr int kSamples = 5;
constexpr double kScreenUs = 5'000, kSampleUs = 20'000;
// A candidate this much slower than the best at its first call is not looked at again.
constexpr double kHopeless = 1.5;
constexpr std::size_t kFinalists = 4;
// oneDNN's reference implementation takes seconds beyond.
constexpr double kMaxReferenceWork = 2e8;

Problem ProblemOf(bool int8, int m, WeightShape shape) {
  Problem problem;
  problem.family = int8 ? "a8w8" : "bf16";
  problem.m = m;
  problem.n = shape.n;
  problem.k = shape.k;
  problem.a = problem.w = int8 ? Format::kInt8 : Format::kBf16;
  problem.scaling = int8 ? Scaling::kRowColumn : Scaling::kNone;
  return problem;
}

// Every candidate briefly, then the best few in turn.
Candidate BestOf(Workbench& bench, const Timer& timer) {
  std::vector<std::pair<double, Candidate>> screened;
  double best_us = INFINITY;
  TimingOptions options;
  options.warmup_calls = 0;
  options.samples = 3;
  options.min_sample_us = kScreenUs;
  for (const auto& candidate : Candidates(bench.problem(), bench.machine())) {
    const auto launch = bench.LaunchOf(candidate);
    launch(0);
    if (timer.TimeCalls(launch, 0, 1) > kHopeless * best_us) continue;
    const double us = timer.Measure(launch, options).median();
    best_us = std::min(best_us, us);
    screened.emplace_back(us, candidate);
  }
  std::sort(screened.begin(), screened.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  screened.resize(std::min(screened.size(), kFinalists));
  std::vector<TimedCall> launches;
  for (const auto& finalist : screened) launches.push_back(bench.LaunchOf(finalist.second));
  options.samples = kSamples;
  const auto samples = timer.MeasureInterleaved(launches, options);
  const auto best =
      std::min_element(samples.begin(), samples.end(),
                       [](const auto& x, const auto& y) { return x.median() < y.median(); });
  return screened[static_cast<std::size_t>(best - samples.begin())].second;
}

struct Ratios {
  std::map<int, std::vector<double>> by_m;
  void Add(int m, double ratio) { by_m[m].push_back(ratio); }
  static double GeometricMean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += std::log(value);
    return std::exp(sum / static_cast<double>(values.size()));
  }
  void Print(const std::string& what) const {
    std::vector<double> all;
    for (const auto& [m, values] : by_m) all.insert(all.end(), values.begin(), values.end());
    if (all.empty()) return;
    std::printf("%-44s geometric mean %.2f;", what.c_str(), GeometricMean(all));
    for (const auto& [m, values] : by_m) std::printf(" M=%d: %.2f", m, GeometricMean(values));
    std::printf("\n");
  }
};

struct Totals {
  Ratios one_dnn, one_dnn_f32, tuned;
};

void Measure(const Problem& problem, int threads, Totals& totals) {
  const Timer timer;
  WorkbenchOptions options;
  options.machine.cores = threads;
  auto made = Workbench::Make(problem, options);
  if (!made) {
    std::printf("%s\n", made.error().detail.c_str());
    std::exit(1);
  }
  auto& bench = *made;
  const auto chosen = BestOf(bench, timer);
  const auto check = bench.Verify(chosen);
  if (!check || !check->ok(0)) {
    std::printf("%s is wrong\n", chosen.kernel_name.c_str());
    std::exit(1);
  }
  const auto operands = MakeOperands(problem, options.seed);
  const bool int8 = problem.w == Format::kInt8;
  const double work = 1.0 * problem.m * problem.n * problem.k;
  const auto one_dnn = OneDnn::Make(int8 ? OneDnnType::kInt8 : OneDnnType::kBf16, problem, operands,
                                    bench.input_sets(), threads);
  const bool with_one_dnn =
      one_dnn != nullptr && (!one_dnn->is_reference() || work <= kMaxReferenceWork);
  const auto f32 =
      int8 ? nullptr
           : OneDnn::Make(OneDnnType::kF32, problem, operands, bench.input_sets(), threads);
  std::vector<TimedCall> launches = {bench.LaunchOf(chosen),
                                     bench.LaunchOf(DefaultCandidate(problem, bench.machine()))};
  if (with_one_dnn) launches.push_back(one_dnn->launch());
  if (f32) launches.push_back(f32->launch());
  TimingOptions timing;
  timing.samples = kSamples;
  timing.min_sample_us = kSampleUs;
  timing.warmup_calls = 1;
  const auto samples = timer.MeasureInterleaved(launches, timing);
  const double tuned = samples[0].median(), standard = samples[1].median();
  totals.tuned.Add(problem.m, standard / tuned);
  std::printf("%5d %5d %5d %10.1f %10.1f", problem.m, problem.n, problem.k, standard, tuned);
  if (with_one_dnn) {
    const double us = samples[2].median();
    totals.one_dnn.Add(problem.m, us / tuned);
    std::printf(" %12.1f %7.2f %6.3f", us, us / tuned, one_dnn->ErrorOfFirstRow(problem, operands));
  } else {
    std::printf(" %12s %7s %6s", "-", "-", "-");
  }
  if (f32) {
    const double us = samples.back().median();
    totals.one_dnn_f32.Add(problem.m, us / tuned);
    std::printf(" %12.1f %7.2f", us, us / tuned);
  }
  std::printf("  %s splitK %d (%s%s%s)\n", chosen.kernel_name.c_str(), chosen.split_k,
              one_dnn ? one_dnn->implementation().c_str() : "no bf16 in oneDNN here",
              f32 ? ", " : "", f32 ? f32->implementation().c_str() : "");
  std::fflush(stdout);
}

int Run(int argc, char** argv) {
  const int threads = std::atoi(argv[1]);
  const bool int8 = std::string(argv[2]) == "int8";
  std::printf("%s, %s, %d threads; us, medians of %d; rotating inputs; weights packed beforehand\n",
              argv[2], ThisCpu().gfx.c_str(), threads, kSamples);
  std::printf("%5s %5s %5s %10s %10s %12s %7s %6s%s\n", "M", "N", "K", "default", "tuned",
              int8 ? "oneDNN" : "oneDNN bf16", "ratio", "wrong",
              int8 ? "" : "   oneDNN f32   ratio");
  Totals totals;
  for (int i = 3; i < argc; ++i) {
    for (const auto shape : kQwen3)
      Measure(ProblemOf(int8, std::atoi(argv[i]), shape), threads, totals);
  }
  totals.one_dnn.Print("oneDNN's time over tuned (goal 1.0)");
  totals.one_dnn_f32.Print("oneDNN's time in float32 over tuned bf16");
  totals.tuned.Print("default over tuned");
  return 0;
}

}  // namespace
}  // namespace tunehub::bench

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: kernels-bench THREADS int8|bf16 M...\n");
    return 2;
  }
  return tunehub::bench::Run(argc, argv);
}
