// A second implementation of AITER's choice of a member in a Triton config, on files that nlohmann
// reads.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tunehub::test {

// The bounds that the op's kernel passes, else the file's bounds, else the default bounds.
inline std::vector<std::int64_t> BoundsOf(const nlohmann::ordered_json& file,
                                          const std::string& op) {
  if (op == "GEMM-AFP4WFP4_PRESHUFFLED")
    return {4, 8, 16, 31, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
  if (op == "BATCHED_GEMM-AFP4WFP4")
    return {4, 8, 16, 32, 64, 128, 256, 320, 512, 1024, 2048, 4096, 8192};
  if (file.contains("M_BOUNDS")) return file.at("M_BOUNDS").get<std::vector<std::int64_t>>();
  return {1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
}

// Returns the chosen member, or "" if AITER raises KeyError.
inline std::string SmallestBound(const nlohmann::ordered_json& file, std::int64_t m,
                                 const std::vector<std::int64_t>& bounds) {
  for (const auto bound : bounds) {
    const std::string name = "M_LEQ_" + std::to_string(bound);
    if (m <= bound && file.contains(name)) return name;
  }
  for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound) {
    const std::string name = "M_GEQ_" + std::to_string(*bound);
    if (m >= *bound && file.contains(name)) return name;
  }
  return file.contains("any") ? "any" : "";
}

}  // namespace tunehub::test
