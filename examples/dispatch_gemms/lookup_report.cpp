#include "examples/dispatch_gemms/lookup_report.h"

#include <cstdio>

namespace tunehub::example {
namespace {

void PrintAnswer(int m, const core::Projection& gemm, const th_answer& answer) {
  std::printf("%7d  %-11s %7lld %7lld  ", m, gemm.layer.c_str(), static_cast<long long>(gemm.n),
              static_cast<long long>(gemm.k));
  if (answer.found == 0) {
    std::printf("%-10s %7s %10s  no row: what runs is the default\n", answer.step, "", "");
    return;
  }
  std::printf("%-10s %7lld %10.4f  %s%s%s splitK=%d\n", answer.step,
              static_cast<long long>(answer.m), answer.us, answer.libtype,
              *answer.libtype == '\0' ? "" : " ", answer.kernel_name, answer.split_k);
}

}  // namespace

core::Status PrintAnswers(const std::vector<core::Projection>& gemms,
                          const std::vector<Layer>& layers, const std::vector<int>& ms) {
  std::printf("%7s  %-11s %7s %7s  %-10s %7s %10s  %s\n", "M", "layer", "N", "K", "step", "row's M",
              "us", "kernel");
  for (const int m : ms) {
    for (std::size_t i = 0; i < gemms.size(); ++i) {
      th_answer answer{};
      const auto status = Checked(th_find(layers[i].get(), m, &answer));
      if (!status.ok()) return status;
      PrintAnswer(m, gemms[i], answer);
    }
  }
  return core::Ok();
}

}  // namespace tunehub::example
