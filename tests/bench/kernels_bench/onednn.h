// oneDNN's matmul on the same problem, data, number of threads and rotation of inputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/operands.h"
#include "kernels/problem.h"
#include "kernels/timer.h"

namespace tunehub::bench {

enum class OneDnnType { kInt8, kBf16, kF32 };

class OneDnn {
 public:
  // `kF32` computes a bf16 problem in float32, from operands widened beforehand. Weights are in the
  // layout that oneDNN asks for (format any), packed outside of every timing. int8: float32 output
  // with one scale per column; row scales are left out, which is in its favour.
  // Null where oneDNN has nothing for this type on this CPU, as for bf16 without AVX-512.
  static std::unique_ptr<OneDnn> Make(OneDnnType type, const kernels::Problem& problem,
                                      const kernels::Operands& operands, std::size_t sets,
                                      int threads);
  ~OneDnn();

  const std::string& implementation() const;  // as oneDNN names it: "gemm:jit", "ref:any"
  bool is_reference() const { return implementation().find("ref") != std::string::npos; }
  kernels::TimedCall launch();
  // The share of the first row's elements that are wrong by kernels/check.h's measure.
  double ErrorOfFirstRow(const kernels::Problem& problem, const kernels::Operands& operands);

 private:
  struct State;
  explicit OneDnn(std::unique_ptr<State> state);
  void Prepare(OneDnnType type, const kernels::Problem& problem, const kernels::Operands& operands,
               std::size_t sets);
  std::unique_ptr<State> state_;
};

}  // namespace tunehub::bench
