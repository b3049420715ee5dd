// What is known about GPU targets, and about the devices that have a name: configs/targets.json and
// devices.json beside it, every name and figure with its source.
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

struct GpuArch {
  double clock_mhz = 0;                              // the fastest product's peak engine clock
  std::map<std::string, double> flops_per_cu_clock;  // by precision: "bf16", "fp8", "int8", "fp4"
  int default_cu_num = 0;                            // AITER's GFX_CU_NUM_MAP; 0: none
  bool fnuz = false;                                 // its fp8 is e4m3fnuz, not e4m3fn
  std::string source;                                // where the figures are from
};

class Targets {
 public:
  // With the devices.json of the same folder. Errors: bad_targets, bad_devices, with file, JSON
  // pointer and reason.
  static Result<Targets> Load(const std::filesystem::path& file);
  static Result<Targets> Parse(std::string_view name, std::string_view json, Devices devices = {});

  const GpuArch* Find(std::string_view gfx) const;  // null: unknown, which is no error
  // Whether a GPU of the name is known to exist, of those that AITER names too: of most no figures
  // are.
  bool Exists(std::string_view gfx) const;
  const std::map<std::string, GpuArch, std::less<>>& archs() const { return archs_; }
  // Whether its fp8 is e4m3fnuz; false where gfx is unknown.
  bool IsFnuz(std::string_view gfx) const;
  // cu_num * flops_per_cu_clock * clock, in TFLOPS; nothing where a factor is unknown.
  std::optional<double> PeakTflops(std::string_view gfx, int cu_num,
                                   std::string_view precision) const;
  // The gfx of a legacy row without one, as AITER backfills it (256 -> gfx950, 80 and 304 ->
  // gfx942).
  std::optional<std::string_view> LegacyGfx(int cu_num) const;
  const Devices& devices() const { return devices_; }
  // Null: nobody knows it, or several devices share the name; see Devices::Find.
  const Device* FindDevice(std::string_view name) const { return devices_.Find(name); }
  std::string Sha256() const;  // of Definition(), hex
  const std::string& source() const { return source_; }
  std::string Definition() const { return source_ + devices_.source(); }  // the texts of both files

 private:
  std::map<std::string, GpuArch, std::less<>> archs_;
  std::vector<std::string> without_figures_;
  std::map<int, std::string> legacy_gfx_;
  Devices devices_;
  std::string source_;
};

// The precision whose peak bounds an operand type: "torch.float8_e4m3fn" -> "fp8". "": unknown.
std::string_view PrecisionOfDtype(std::string_view dtype);

}  // namespace tunehub::core
