#include "tests/bench/gpu_bench/report.h"

#include <cstdio>

namespace tunehub::bench {
namespace {

double Tflops(const kernels::Problem& problem, double us) {
  return us > 0 ? 2.0 * problem.m * problem.n * problem.k / us / 1e6 : 0;
}

void PrintLine(const ShapeReport& report, const Timed& timed, const char* what) {
  const auto& p = report.problem;
  std::printf("%s,%s,%d,%d,%d,%s,%s,%d,%.3f,%.3f,%.3f,%.1f,%.2g,%.2e,%zu,%.0f,%s\n",
              p.family.c_str(), report.dtype.c_str(), p.m, p.n, p.k, what,
              timed.candidate.kernel_name.c_str(), timed.candidate.split_k, timed.us, timed.hot,
              timed.cold, Tflops(p, timed.us), timed.err_ratio, timed.frobenius, report.sets,
              report.load_ms, timed.failed.c_str());
}

}  // namespace

const Timed* ShapeReport::best() const {
  const Timed* best = nullptr;
  for (const Timed& it : timed) {
    if (it.finalist && (best == nullptr || it.us < best->us)) best = &it;
  }
  return best;
}

void PrintHeader() {
  std::puts(
      "family,dtype,M,N,K,what,kernel,splitK,us,us_hot,us_cold,tflops,err_ratio,frobenius,sets,"
      "load_ms,failed");
}

void Print(const ShapeReport& report, bool all) {
  const Timed* const best = report.best();
  for (const Timed& it : report.timed) {
    if (all || !it.failed.empty())
      PrintLine(report, it, it.failed.empty() ? "candidate" : "failed");
  }
  if (!report.timed.empty()) PrintLine(report, report.timed.front(), "default");
  if (best != nullptr) PrintLine(report, *best, "best");
  std::fflush(stdout);
}

}  // namespace tunehub::bench
