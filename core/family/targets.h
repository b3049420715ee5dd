// Loads GPU targets and named devices from configs/targets.json and from devices.json beside it.
// Every name and figure has a source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

// A name of a device. `source`: the software that uses the name.
struct DeviceName {
  std::string name;
  std::string source;
};

// A device's peak rates from the vendor's data sheet.
struct Peaks {
  double memory_gb_s = 0;  // 10^9 bytes a second
  std::map<std::string, double>
      tflops;  // without sparsity; by precision: "bf16", "fp16", "fp8", "int8", "fp4"
  std::string source;
};

struct Device {
  std::string product;  // "MI300X"; unique; "": only the target is known
  std::string vendor;   // "AMD"
  std::string gfx;
  int cu_num = 0;                   // 0: unknown
  std::vector<DeviceName> pci_ids;  // "1002:74a1"
  std::vector<DeviceName> aliases;  // as in file names: "AMD_Instinct_MI300X"
  std::string source;               // the source of gfx and cu_num
  // CU counts in partition modes (DPX, QPX, CPX); empty: unknown.
  std::vector<std::int64_t> partitions;
  std::optional<Peaks> peaks;  // absent: unknown
};

class Devices {
 public:
  // Errors: bad_devices (file, JSON pointer, reason), also if two devices have the same name.
  static Result<Devices> Parse(std::string_view name, std::string_view json);

  // Finds a device by its product, an alias or a PCI id, ignoring case. A run of blanks and slashes
  // counts as one underscore, as in file names. Null: unknown, or several devices share the name.
  const Device* Find(std::string_view name) const;
  // Like Find, for a name that a user typed: a vendor may precede the product ("AMD Instinct
  // MI250").
  const Device* Named(std::string_view name) const;
  // The devices whose products begin with this name: "H100" -> H100 SXM, H100 PCIe, H100 NVL.
  std::vector<const Device*> Beginning(std::string_view name) const;
  // True if several devices share the name: "AMD_Radeon_Graphics".
  bool IsAmbiguous(std::string_view name) const;
  // True for a product's own name; false for an alias or a PCI id.
  bool IsProduct(std::string_view name) const;
  // Returns the other products with the same gfx and CU count, in file order. AITER's lookup cannot
  // distinguish these products, but a time measured on one of them is not valid for another.
  std::vector<const Device*> Siblings(const Device& device) const;
  // The products of a target, in file order.
  std::vector<const Device*> Of(std::string_view gfx, int cu_num) const;
  // "MI300X / MI325X"; "" if no product is known.
  std::string ProductsOf(std::string_view gfx, int cu_num) const;
  // Returns a name for people: "MI300X / MI325X (gfx942:304)". Without a known product, returns
  // "gfx942:20", or "gfx942" if cu_num is 0.
  std::string TargetName(std::string_view gfx, int cu_num) const;

  const std::vector<Device>& all() const { return devices_; }
  const std::string& source() const { return source_; }

 private:
  // Indexes a device's names. Returns an error's text, or "".
  std::string Index(std::size_t place);

  std::vector<Device> devices_;
  std::map<std::string, std::size_t, std::less<>> by_name_;    // by folded name
  std::map<std::string, std::string, std::less<>> ambiguous_;  // folded name -> reason
  std::string source_;
};

struct GpuArch {
  double clock_mhz = 0;                              // peak engine clock of the fastest product
  std::map<std::string, double> flops_per_cu_clock;  // by precision: "bf16", "fp8", "int8", "fp4"
  int default_cu_num = 0;                            // AITER's GFX_CU_NUM_MAP; 0: none
  bool fnuz = false;                                 // fp8 is e4m3fnuz instead of e4m3fn
  std::string source;                                // the source of the figures
};

class Targets {
 public:
  // Also loads devices.json from the same folder. Errors: bad_targets, bad_devices, with file, JSON
  // pointer and reason.
  static Result<Targets> Load(const std::filesystem::path& file);
  static Result<Targets> Parse(std::string_view name, std::string_view json, Devices devices = {});

  const GpuArch* Find(std::string_view gfx) const;  // null: unknown; callers accept an unknown gfx
  // True if the GPU exists. Also true for GPUs without figures here, which only AITER's files name.
  bool Exists(std::string_view gfx) const;
  const std::map<std::string, GpuArch, std::less<>>& archs() const { return archs_; }
  // True if the gfx uses e4m3fnuz as fp8; false for an unknown gfx.
  bool IsFnuz(std::string_view gfx) const;
  // cu_num * flops_per_cu_clock * clock, in TFLOPS; nullopt if a factor is unknown.
  std::optional<double> PeakTflops(std::string_view gfx, int cu_num,
                                   std::string_view precision) const;
  // The gfx that AITER gives a legacy row without gfx (256 -> gfx950, 80 and 304 -> gfx942).
  std::optional<std::string_view> LegacyGfx(int cu_num) const;
  const Devices& devices() const { return devices_; }
  // Does the same as Devices::Find.
  const Device* FindDevice(std::string_view name) const { return devices_.Find(name); }
  std::string Sha256() const;  // SHA-256 of Definition(), as hex
  const std::string& source() const { return source_; }
  std::string Definition() const { return source_ + devices_.source(); }  // the texts of both files

 private:
  std::map<std::string, GpuArch, std::less<>> archs_;
  std::vector<std::string> without_figures_;
  std::map<int, std::string> legacy_gfx_;
  Devices devices_;
  std::string source_;
};

// Returns the precision whose peak rate limits an operand type: "torch.float8_e4m3fn" -> "fp8".
// Returns "" for an unknown type.
std::string_view PrecisionOfDtype(std::string_view dtype);

}  // namespace tunehub::core
