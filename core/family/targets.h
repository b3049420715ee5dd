// What is known about GPU targets: configs/targets.json, every figure with its source, and the
// devices of configs/devices.json beside it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/devices.h"

namespace tunehub::core {

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
