// Loads code objects into the device, and launches their functions.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "kernels/gpu/driver.h"
#include "kernels/gpu/kernel_set.h"

namespace tunehub::kernels::gpu {

class Modules {
 public:
  // `driver` must outlive this object.
  explicit Modules(const Driver& driver) : driver_(driver) {}
  ~Modules();
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;

  // Loads the launch's code unless it is already loaded. The driver compiles PTX here. Errors:
  // wrong_arch; the driver's errors.
  core::Status Load(const Launch& launch);
  // Puts the launch into the stream. Errors: as Load.
  core::Status Run(const Launch& launch, hipStream_t stream);

  // A loaded function. Valid as long as this object lives.
  struct Function {
    hipFunction_t handle = nullptr;
    unsigned most_blocks = ~0U;  // for clusters: the number of blocks that run at one time
  };
  // Errors: as Load.
  core::Result<Function> Find(const Launch& launch);
  // Runs a function that Find() returned for the launch. Several threads may call it.
  core::Status Start(const Launch& launch, const Function& function, hipStream_t stream) const;

  double load_ms() const { return load_ms_; }  // the total time of all loads so far

 private:
  core::Result<Function> LoadFunction(const Launch& launch);

  const Driver& driver_;
  std::map<const char*, hipModule_t> modules_;  // by the code's address
  std::map<std::pair<const char*, std::string>, Function> functions_;
  double load_ms_ = 0;
};

}  // namespace tunehub::kernels::gpu
