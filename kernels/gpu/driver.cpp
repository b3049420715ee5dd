#include "kernels/gpu/driver.h"

#include <dlfcn.h>
#include <fmt/core.h>

namespace tunehub::kernels::gpu {
namespace {

using core::Error;

bool IsCuda(const std::string& library) {
  return library.find("libcuda") != std::string::npos;
}

// Codes with a known meaning. The first four are equal in HIP and CUDA.
struct Meaning {
  int code;
  const char* error;
  const char* says;
};
constexpr Meaning kMeanings[] = {
    {2, kOutOfMemory, "the device's memory is full"},
    {100, kNoDevice, "the driver sees no GPU"},
    {200, kWrongArch, "the driver does not accept this code object"},
    {209, kWrongArch, "the code object is for another architecture than this GPU"},
    {218, kWrongArch, "the driver's compiler rejects the kernel's PTX"},
    {222, kDriverTooOld, "the driver is too old for the kernel's PTX version"},
    {35, kDriverTooOld, "the driver is too old for this library"},
    {702, kGpuFailed, "the kernel ran into the driver's time limit"},
    {700, kGpuFailed, "the kernel accessed memory that does not belong to it"},
    {214, kGpuFailed, "the device's memory had an error that ECC could not correct"},
};

std::string NameOfCode(const Driver& driver, int code) {
  const char* name = nullptr;
  if (driver.cuda_error_name != nullptr) driver.cuda_error_name(code, &name);
  if (driver.hip_error_name != nullptr) name = driver.hip_error_name(static_cast<hipError_t>(code));
  return fmt::format("{} ({})", name == nullptr ? "error" : name, code);
}

core::Status FirstDevice(const Driver& driver) {
  if (auto status = driver.Check(driver.init(0), "starting the driver"); !status.ok()) {
    if (status.error().code == kDriverTooOld) return status;
    return Error{kNoDevice, fmt::format("{} exists, but finds no GPU: {}", driver.library,
                                        status.error().detail)};
  }
  int count = 0;
  if (auto status = driver.Check(driver.device_count(&count), "counting the GPUs"); !status.ok()) {
    return Error{kNoDevice, status.error().detail};
  }
  if (count == 0) return Error{kNoDevice, driver.library + " exists, but the driver sees no GPU"};
  return core::Ok();
}

core::Result<Driver> OpenFirst() {
  std::string tried;
  std::optional<Error> nearest;  // the error of a library that exists
  for (const auto& library : DriverLibraries()) {
    auto driver = OpenDriver(library);
    if (driver.ok()) {
      const auto status = FirstDevice(*driver);
      if (status.ok()) return driver;
      if (!nearest) nearest = status.error();
    } else if (driver.error().code != kNoLibrary) {
      if (!nearest) nearest = driver.error();
    }
    tried += (tried.empty() ? "" : ", ") + library;
  }
  if (nearest) return *nearest;
  return Error{kNoLibrary, "found no library of a GPU's driver; tried " + tried};
}

}  // namespace

core::Status Driver::Check(int code, std::string_view doing) const {
  if (code == 0) return core::Ok();
  for (const auto& meaning : kMeanings) {
    if (meaning.code == code) {
      return Error{meaning.error,
                   fmt::format("{}: {}, {}", doing, meaning.says, NameOfCode(*this, code))};
    }
  }
  return Error{kGpuFailed, fmt::format("{}: {}", doing, NameOfCode(*this, code))};
}

const std::vector<std::string>& DriverLibraries() {
  static const std::vector<std::string> libraries = {"libamdhip64.so.7", "libamdhip64.so.6",
                                                     "libamdhip64.so.5", "libcuda.so.1"};
  return libraries;
}

std::vector<std::string> DriverNames(Api api) {
  std::vector<std::string> hip, cuda;
#define TK_BOTH(member, hip_name, cuda_name) \
  hip.emplace_back(#hip_name);               \
  cuda.emplace_back(cuda_name);
#define TK_TYPED(member, type, hip_name, cuda_name) TK_BOTH(member, hip_name, cuda_name)
#define TK_HIP(member, hip_name) hip.emplace_back(#hip_name);
#define TK_CUDA(member, type, cuda_name) cuda.emplace_back(cuda_name);
#include "kernels/gpu/driver_table.inc"
#undef TK_BOTH
#undef TK_TYPED
#undef TK_HIP
#undef TK_CUDA
  return api == Api::kHip ? hip : cuda;
}

core::Result<Driver> OpenDriver(const std::string& library) {
  // Never closed, because drivers do not support closing.
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{kNoLibrary, ::dlerror()};  // NOLINT(concurrency-mt-unsafe)
  Driver driver;
  driver.library = library;
  driver.api = IsCuda(library) ? Api::kCuda : Api::kHip;
  std::string lacking;
  // A function that this kind of driver does not need stays null.
  const auto find = [&](auto& function, const char* hip_name, const char* cuda_name) {
    const char* const name = driver.api == Api::kCuda ? cuda_name : hip_name;
    if (name == nullptr) return;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (function == nullptr) lacking += std::string(lacking.empty() ? "" : ", ") + name;
  };
#define TK_BOTH(member, hip_name, cuda_name) find(driver.member, #hip_name, cuda_name);
#define TK_TYPED(member, type, hip_name, cuda_name) TK_BOTH(member, hip_name, cuda_name)
#define TK_HIP(member, hip_name) find(driver.member, #hip_name, nullptr);
#define TK_CUDA(member, type, cuda_name) find(driver.member, nullptr, cuda_name);
#include "kernels/gpu/driver_table.inc"
#undef TK_BOTH
#undef TK_TYPED
#undef TK_HIP
#undef TK_CUDA
  if (!lacking.empty())
    return Error{kDriverTooOld, fmt::format("{} does not have {}", library, lacking)};
  return driver;
}

const core::Result<Driver>& ThisDriver() {
  static const core::Result<Driver> driver = OpenFirst();
  return driver;
}

}  // namespace tunehub::kernels::gpu
