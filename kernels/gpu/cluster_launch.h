// A launch whose blocks run in clusters: CUlaunchConfig with one CUlaunchAttribute, of cuda.h.
#pragma once

#include "kernels/gpu/driver.h"
#include "kernels/gpu/launch.h"

namespace tunehub::kernels::gpu {

class ClusterLaunch {
 public:
  ClusterLaunch(const Launch& launch, unsigned blocks, hipStream_t stream)
      : attribute_{kClusterDimension, 0, {{launch.cluster, 1, 1}}},
        config_{{blocks, launch.grid[1], launch.grid[2]},
                {launch.block[0], launch.block[1], launch.block[2]},
                launch.shared_bytes,
                stream,
                &attribute_,
                1} {}
  ClusterLaunch(const ClusterLaunch&) = delete;
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;
  ~ClusterLaunch() = default;

  const void* get() const { return &config_; }

 private:
  static constexpr int kClusterDimension = 4;  // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
  struct Attribute {
    int id;
    int pad;
    union {
      unsigned cluster[3];
      char room[64];
    } value;
  } attribute_;
  struct Config {
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    hipStream_t stream;
    const Attribute* attributes;
    unsigned attribute_count;
  } config_;
  static_assert(sizeof(Attribute) == 72 && sizeof(Config) == 56);
};

}  // namespace tunehub::kernels::gpu
