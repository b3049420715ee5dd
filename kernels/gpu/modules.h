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
  // `driver` must outlive it.
  explicit Modules(const Driver& driver) : driver_(driver) {}
  ~Modules();
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;

  // Loads the launch's code if it is not loaded; the driver compiles PTX then. Errors: wrong_arch,
  // those of the driver.
  core::Status Load(const Launch& launch);
  // Puts the launch into the stream. The same errors.
  core::Status Run(const Launch& launch, hipStream_t stream);

  double load_ms() const { return load_ms_; }  // of all loads so far

 private:
  struct Function {
    hipFunction_t handle = nullptr;
    unsigned most_blocks = ~0U;  // running at one time, if in clusters
  };
  core::Result<Function> Find(const Launch& launch);
  core::Result<Function> LoadFunction(const Launch& launch);

  const Driver& driver_;
  std::map<const char*, hipModule_t> modules_;  // by the address of their code
  std::map<std::pair<const char*, std::string>, Function> functions_;
  double load_ms_ = 0;
};

}  // namespace tunehub::kernels::gpu
