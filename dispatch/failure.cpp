#include "dispatch/failure.h"

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "kernels/gpu/driver.h"

namespace tunehub::th {
namespace {

struct Coded {
  std::string_view error;
  th_code code;
};
constexpr Coded kCodes[] = {
    {"null_argument", TH_BAD_ARGUMENT},
    {"bad_argument", TH_BAD_ARGUMENT},
    {"not_read", TH_NOT_READ},
    {"unknown_family", TH_UNKNOWN_FAMILY},
    {"bad_family", TH_UNKNOWN_FAMILY},
    {kernels::gpu::kNoLibrary, TH_NO_DEVICE},
    {kernels::gpu::kNoDevice, TH_NO_DEVICE},
    {kernels::gpu::kDriverTooOld, TH_NO_DEVICE},
    {"wrong_device", TH_WRONG_DEVICE},
    {kernels::gpu::kWrongArch, TH_WRONG_DEVICE},
    {"unknown_kernel", TH_UNKNOWN_KERNEL},
    {"kernel_not_valid", TH_UNKNOWN_KERNEL},
    {"unsupported_family", TH_UNKNOWN_KERNEL},
    {"unsupported_shape", TH_UNKNOWN_KERNEL},
    {"workspace_too_small", TH_WORKSPACE_TOO_SMALL},
    {kernels::gpu::kOutOfMemory, TH_OUT_OF_MEMORY},
    {kernels::gpu::kGpuFailed, TH_GPU_FAILED},
    {"internal", TH_INTERNAL},
};

thread_local std::string last_error;

}  // namespace

th_code Fail(const core::Error& error, th_code otherwise) {
  last_error = error.code + ": " + error.detail;
  for (const Coded& it : kCodes) {
    if (it.error == error.code) return it.code;
  }
  return otherwise;
}

const char* LastError() {
  return last_error.c_str();
}

core::Status NotNull(const void* argument, const char* name) {
  if (argument != nullptr) return core::Ok();
  return core::Error{"null_argument", fmt::format("{} is a null pointer", name)};
}

}  // namespace tunehub::th
