// A weight matrix in the order in which the micro-kernels read it. An engine packs it once, when it
// loads a model, so timings do not include this packing. The values keep their width.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/buffer.h"
#include "kernels/cpu/micro_kernel.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tunehub::kernels::cpu {

struct RawWeights {
  const void* w;      // n x k, row-major
  const void* scale;  // float32 [n]; float32 [ceil(n / 128)][ceil(k / 128)]; e8m0 [n][k / 32]
};

Kind KindOf(Format weights);
const KindTable& TableOf(Isa isa, Kind kind);
int LanesOf(Isa isa);

class PackedWeights {
 public:
  PackedWeights() = default;
  PackedWeights(Isa isa, Format format, Scaling scaling, int n, int k, const RawWeights& raw);

  // Returns a copy in its own memory, for another input set.
  PackedWeights Copy() const;

  int n() const { return n_; }
  int k() const { return k_; }
  int k_padded() const { return k_padded_; }
  // The number of panels that contain columns. Panels of zeros follow, as many as the widest tile
  // may read.
  int panels() const { return panels_; }
  std::size_t panel_bytes() const { return panel_bytes_; }
  std::size_t bytes() const { return data_.size() + scales_.size() + column_scales_.size(); }

  const std::byte* data() const { return data_.data(); }
  const float* scales() const { return scales_.as<float>(); }  // null: the loop uses none
  std::size_t scale_stride() const { return scale_stride_; }
  const float* column_scales() const { return column_scales_.as<float>(); }  // null: none
  const std::int32_t* column_sums() const { return column_sums_.as<std::int32_t>(); }

 private:
  void PackScales(const Layout& layout, Scaling scaling, int lanes, const void* raw);

  int n_ = 0, k_ = 0, k_padded_ = 0, panels_ = 0;
  std::size_t panel_bytes_ = 0, scale_stride_ = 0;
  Buffer data_, scales_, column_scales_, column_sums_;
};

}  // namespace tunehub::kernels::cpu
