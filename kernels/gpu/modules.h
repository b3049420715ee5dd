// Code objects loaded into the device, and launches of their functions.
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

  // Loads the launch's code unless it is loaded. Here the driver compiles PTX. Errors: wrong_arch,
  // those of the driver.
  core::Status Load(const Launch& launch);
  // Puts the launch into the stream. Errors: those of Load.
  core::Status Run(const Launch& launch, hipStream_t stream);

  // A function that is loaded, for as long as this object lives.
  struct Function {
    hipFunction_t handle = nullptr;
    unsigned most_blocks = ~0U;  // that run at one time, for clusters
  };
  // Errors: those of Load.
  core::Result<Function> Find(const Launch& launch);
  // Run() of a function that Find() returned for the launch. Several threads may call it.
  core::Status Start(const Launch& launch, const Function& function, hipStream_t stream) const;

  double load_ms() const { return load_ms_; }  // time of all loads so far

 private:
  core::Result<Function> LoadFunction(const Launch& launch);

  const Driver& driver_;
  std::map<const char*, hipModule_t> modules_;  // by the address of the code
  std::map<std::pair<const char*, std::string>, Function> functions_;
  double load_ms_ = 0;
};

}  // namespace tunehub::kernels::gpu
