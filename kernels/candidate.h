// What a tuner can choose for a problem.
#pragma once

#include <string>

namespace tunehub::kernels {

// The libtype column of every row that names a kernel of this catalog.
inline constexpr const char* kLibtype = "tunehub";

struct Candidate {
  std::string kernel_name;  // begins with core::kOwnKernelPrefix
  int kernel_id = 0;        // the row in the family's table
  int split_k = 0;          // slices of K that are summed at the end; 0: K is not sliced

  bool operator==(const Candidate&) const = default;
};

}  // namespace tunehub::kernels
