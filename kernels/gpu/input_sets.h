// Several copies of a problem's inputs on the device, so that a launch does not find its inputs in
// the cache. Also the memory of the output.
#pragma once

#include <vector>

#include "kernels/gpu/kernel_set.h"
#include "kernels/gpu/stream.h"
#include "kernels/operands.h"

namespace tunehub::kernels::gpu {

class InputSets {
 public:
  // Makes as many copies as `rotating_bytes` requires, at least one. Errors: out_of_memory (before
  // any allocation if the device has too little free memory); the driver's errors.
  static core::Result<InputSets> Make(const Driver& driver, const Problem& problem,
                                      const Operands& operands, std::uint64_t rotating_bytes);

  std::size_t count() const { return sets_.size(); }
  // The addresses of set `index`, without a workspace.
  Addresses At(std::size_t index) const;
  Memory& output() { return output_; }

 private:
  struct Set {
    Memory a, a_scale, w, w_scale;
  };
  static core::Result<Set> Copy(const Driver& driver, const Operands& operands, const Set* of);

  std::vector<Set> sets_;
  Memory output_;
};

}  // namespace tunehub::kernels::gpu
