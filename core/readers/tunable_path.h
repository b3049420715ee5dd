// Where TunableOp's files lie, and the names that PyTorch opens them by.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::core {

inline constexpr std::string_view kTunableReader = "tunableop";  // in configs/readers
// PyTorch puts the number of the GPU in the place of %d.
inline constexpr std::string_view kTunableFileName = "tunableop_results%d.csv";
inline constexpr std::string_view kGpuNumber = "%d";
inline constexpr int kTunableDevices = 8;         // GPUs of one host, for which a file lies there
inline constexpr int kMostTunableDevices = 1000;  // their numbers have three digits

// What PyTorch opens for `name` on the GPU of that number: in the place of %d, else before the last
// dot, else at the end.
std::string TunableFileName(std::string_view name, int device);

struct TunablePlace {
  std::string device;      // "" where nobody named it
  std::string validators;  // ValidatorsText of the set
};

// "NVIDIA_H200/PT_VERSION=2.11.0/tunableop_results%d.csv"; without a device two parts. A slash in a
// part is %2F.
std::string TunablePathOf(const TunablePlace& place);

// Also with a number, or with nothing, in the place of %d. Errors: bad_file_name, with the part and
// its position.
Result<TunablePlace> ParseTunablePath(std::string_view path);

}  // namespace tunehub::core
