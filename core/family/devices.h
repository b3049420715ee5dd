// The devices that have a name: configs/devices.json, every name and figure with its source.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_object.h"
#include "core/base/result.h"

namespace tunehub::core {

// 0 where the member is missing; fails where it is below `least` or absurd.
inline int ReadCuNum(JsonObject& json, const std::string& member, int least) {
  constexpr std::int64_t kMost = 4096;  // as in the family files
  const std::int64_t cu_num = json.Integer(member, 0);
  if (cu_num < least || cu_num > kMost) {
    json.Fail(member, fmt::format("must be an integer from {} to {}", least, kMost));
    return least;
  }
  return static_cast<int>(cu_num);
}

// A name of a device, and who uses it.
struct DeviceName {
  std::string name;
  std::string source;
};

// What no kernel can pass, by the vendor's data sheet.
struct Peaks {
  double memory_gb_s = 0;  // 10^9 bytes a second
  std::map<std::string, double>
      tflops;  // dense; by precision: "bf16", "fp16", "fp8", "int8", "fp4"
  std::string source;
};

struct Device {
  std::string product;  // "MI300X"; unique; "": known of its target alone, nobody has named it
  std::string vendor;   // "AMD"
  std::string gfx;
  int cu_num = 0;                   // 0: nobody says
  std::vector<DeviceName> pci_ids;  // "1002:74a1"
  std::vector<DeviceName> aliases;  // "AMD_Instinct_MI300X", as file names have it
  std::string source;               // of gfx and cu_num
  // CU counts that a process sees of it in a partition mode (DPX, QPX, CPX); none: nobody says.
  std::vector<std::int64_t> partitions;
  std::optional<Peaks> peaks;  // absent: nobody says for certain
};

class Devices {
 public:
  // Error bad_devices: file, JSON pointer and reason; also a name that two devices claim.
  static Result<Devices> Parse(std::string_view name, std::string_view json);

  // By a product, an alias or a PCI id, whatever its case; runs of blanks and of slashes count as
  // the underscore that file names have for them. Null: unknown, or a name that several share.
  const Device* Find(std::string_view name) const;
  // Whether the name is known to say nothing, since several devices have it: "AMD_Radeon_Graphics".
  bool IsAmbiguous(std::string_view name) const;
  // Whether it is the product's own name, which stands for all aliases.
  bool IsProduct(std::string_view name) const;
  // Other products of the same gfx and CU count, in the order of the file: what was tuned for one
  // is no result of the other, though AITER's key cannot tell them apart.
  std::vector<const Device*> Siblings(const Device& device) const;
  // The products of a target, in the order of the file.
  std::vector<const Device*> Of(std::string_view gfx, int cu_num) const;
  // "MI300X / MI325X"; "" where no product is known.
  std::string ProductsOf(std::string_view gfx, int cu_num) const;
  // A person reads the product before its target: "MI300X / MI325X (gfx942:304)"; "gfx942:20"
  // where no product is known, and "gfx942" where cu_num is 0.
  std::string TargetName(std::string_view gfx, int cu_num) const;

  const std::vector<Device>& all() const { return devices_; }
  const std::string& source() const { return source_; }

 private:
  // Its names; what is wrong with them, or "".
  std::string Index(std::size_t place);

  std::vector<Device> devices_;
  std::map<std::string, std::size_t, std::less<>> by_name_;    // folded
  std::map<std::string, std::string, std::less<>> ambiguous_;  // folded; why
  std::string source_;
};

}  // namespace tunehub::core
