// Opens the driver of this host's GPUs at run time. The program does not link a driver. So it runs
// with AMD's driver, with NVIDIA's driver, and without any driver. This code has never run with
// AMD's driver. Its code for AMD follows only HIP's headers and documents.
#pragma once

#define __HIP_PLATFORM_AMD__ 1  // NOLINT(bugprone-reserved-identifier): HIP asks for it
#include <hip/hip_runtime_api.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/result.h"

namespace tunehub::kernels::gpu {

enum class Api { kHip, kCuda };

// A driver's errors, with the step that failed and the driver's message:
//   no_library, no_device, driver_too_old   no GPU code can run here
//   wrong_arch        a code object for another architecture
//   out_of_memory     the device's memory is full
//   gpu_failed        any other error; the content of the device may be lost
inline constexpr char kNoLibrary[] = "no_library", kNoDevice[] = "no_device",
                      kDriverTooOld[] = "driver_too_old", kWrongArch[] = "wrong_arch",
                      kOutOfMemory[] = "out_of_memory", kGpuFailed[] = "gpu_failed";

struct Driver {
  Api api = Api::kHip;
  std::string library;  // "libcuda.so.1"

// NOLINTBEGIN(bugprone-macro-parentheses): types and members must not be in parentheses.
#define TK_BOTH(member, hip, cuda) decltype(&::hip) member = nullptr;
#define TK_TYPED(member, type, hip, cuda) std::type_identity_t<type> member = nullptr;
#define TK_HIP(member, hip) decltype(&::hip) member = nullptr;
#define TK_CUDA(member, type, cuda) std::type_identity_t<type> member = nullptr;
// NOLINTEND(bugprone-macro-parentheses)
// HIP deprecates its contexts, but CUDA needs them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "kernels/gpu/driver_table.inc"
#pragma GCC diagnostic pop
#undef TK_BOTH
#undef TK_TYPED
#undef TK_HIP
#undef TK_CUDA

  // Returns Ok, or the error that `code` means. `doing` is for the message: "launching
  // tk_a8w8_...".
  core::Status Check(int code, std::string_view doing) const;
};

// The libraries that ThisDriver tries, in this order.
const std::vector<std::string>& DriverLibraries();

// The functions of the table that a library of this kind must export.
std::vector<std::string> DriverNames(Api api);

// Opens `library` and finds every function. Errors: no_library, driver_too_old (a function is
// missing).
core::Result<Driver> OpenDriver(const std::string& library);

// The first library that opens and finds a device, for the life of the process. Errors: no_library
// (with the libraries tried), no_device, driver_too_old.
const core::Result<Driver>& ThisDriver();

}  // namespace tunehub::kernels::gpu
