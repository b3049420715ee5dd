// The line that AITER logs for a GEMM's shape without a tuned row.
#pragma once

#include <string>

namespace tunehub::test {

inline std::string MissLine(int m, int n, int k, const std::string& family = "a8w8_blockscale") {
  return "(Worker_TP0 pid=8) [aiter] shape is M:" + std::to_string(m) + ", N:" + std::to_string(n) +
         ", K:" + std::to_string(k) + ", not found tuned config in /tmp/aiter_configs/" + family +
         "_tuned_gemm.csv, will use default config!\n";
}

}  // namespace tunehub::test
