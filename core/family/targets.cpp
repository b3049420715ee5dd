#include "core/family/targets.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_object.h"
#include "core/base/text.h"
#include "core/family/devices.h"

namespace tunehub::core {
namespace {

constexpr char kBadTargets[] = "bad_targets";
constexpr char kDevicesFile[] = "devices.json";  // beside targets.json

std::map<std::string, double> ParsePeaks(JsonObject json) {
  std::map<std::string, double> peaks;
  for (const std::string& precision : json.MemberNames()) {
    peaks[precision] = json.Number(precision);
    if (peaks[precision] <= 0) json.Fail(precision, "must be above 0");
  }
  return peaks;
}

GpuArch ParseArch(JsonObject json) {
  GpuArch arch;
  arch.clock_mhz = json.Number("clock_mhz", 0.0);
  if (arch.clock_mhz < 0) json.Fail("clock_mhz", "must not be below 0");
  if (json.Has("flops_per_cu_clock")) {
    arch.flops_per_cu_clock = ParsePeaks(json.Object("flops_per_cu_clock"));
    if (arch.clock_mhz <= 0) json.Fail("clock_mhz", "is needed beside flops_per_cu_clock");
  }
  arch.default_cu_num = ReadCuNum(json, "default_cu_num", 0);
  arch.fnuz = json.Boolean("fnuz", false);
  arch.source = json.Text("source");
  if (arch.source.empty()) json.Fail("source", "must say where the figures are from");
  json.Finish();
  return arch;
}

std::map<int, std::string> ParseLegacyGfx(
    JsonObject json, const std::map<std::string, GpuArch, std::less<>>& archs) {
  std::map<int, std::string> legacy;
  for (const std::string& member : json.MemberNames()) {
    const int cu_num = NumberFrom<int>(member).value_or(0);
    if (cu_num < 1) json.Fail(member, "is no number of CUs");
    legacy[cu_num] = json.Text(member);
    if (!archs.contains(legacy[cu_num])) json.Fail(member, "names no gfx of /archs");
  }
  return legacy;
}

struct DtypePrecision {
  std::string_view dtype;
  std::string_view precision;
};

// By the operand's type, without "torch." or "dtypes.". torch.int4 is missing on purpose: packed
// weights are widened to the activations' type before they are multiplied.
constexpr std::array<DtypePrecision, 12> kPrecisions = {{{"bfloat16", "bf16"},
                                                         {"bf16", "bf16"},
                                                         {"float16", "fp16"},
                                                         {"fp16", "fp16"},
                                                         {"float8_e4m3fn", "fp8"},
                                                         {"float8_e4m3fnuz", "fp8"},
                                                         {"fp8", "fp8"},
                                                         {"int8", "int8"},
                                                         {"i8", "int8"},
                                                         {"float4_e2m1fn_x2", "fp4"},
                                                         {"fp4x2", "fp4"},
                                                         {"fp4", "fp4"}}};

}  // namespace

Result<Targets> Targets::Parse(std::string_view name, std::string_view json_text, Devices devices) {
  JsonErrors errors{std::string(name), kBadTargets};
  const nlohmann::json parsed = ParseJson(json_text, errors);
  JsonObject json(parsed, "", errors);
  Targets targets;
  JsonObject archs = json.Object("archs");
  for (const std::string& gfx : archs.MemberNames()) {
    targets.archs_[gfx] = ParseArch(archs.Object(gfx));
  }
  targets.without_figures_ = json.Texts("without_figures");
  targets.legacy_gfx_ = ParseLegacyGfx(json.Object("legacy_gfx"), targets.archs_);
  json.Finish();
  if (errors.any()) return errors.first();
  targets.source_ = json_text;
  targets.devices_ = std::move(devices);
  return targets;
}

Result<Targets> Targets::Load(const std::filesystem::path& file) {
  const TextFolder folder = file.parent_path();
  const auto text = folder.Read(file.filename().string());
  if (!text) return Error{kBadTargets, file.string() + ": cannot be read"};
  const std::string beside = folder.PlaceOf(kDevicesFile);
  const auto devices_text = folder.Read(kDevicesFile);
  if (!devices_text) return Error{"bad_devices", beside + ": cannot be read"};
  auto devices = Devices::Parse(beside, *devices_text);
  if (!devices.ok()) return devices.error();
  return Parse(file.string(), *text, *std::move(devices));
}

const GpuArch* Targets::Find(std::string_view gfx) const {
  const auto found = archs_.find(gfx);
  return found == archs_.end() ? nullptr : &found->second;
}

bool Targets::Exists(std::string_view gfx) const {
  return Find(gfx) != nullptr || std::ranges::find(without_figures_, gfx) != without_figures_.end();
}

bool Targets::IsFnuz(std::string_view gfx) const {
  const GpuArch* const arch = Find(gfx);
  return arch != nullptr && arch->fnuz;
}

std::optional<double> Targets::PeakTflops(std::string_view gfx, int cu_num,
                                          std::string_view precision) const {
  const GpuArch* const arch = Find(gfx);
  if (arch == nullptr || cu_num <= 0) return std::nullopt;
  const auto per_clock = arch->flops_per_cu_clock.find(std::string(precision));
  if (per_clock == arch->flops_per_cu_clock.end()) return std::nullopt;
  return cu_num * per_clock->second * arch->clock_mhz * 1e6 / 1e12;
}

std::optional<std::string_view> Targets::LegacyGfx(int cu_num) const {
  const auto found = legacy_gfx_.find(cu_num);
  if (found == legacy_gfx_.end()) return std::nullopt;
  return found->second;
}

std::string_view PrecisionOfDtype(std::string_view dtype) {
  for (const std::string_view module : {"torch.", "dtypes."}) {
    if (dtype.starts_with(module)) dtype.remove_prefix(module.size());
  }
  const auto found = std::ranges::find(kPrecisions, dtype, &DtypePrecision::dtype);
  return found == kPrecisions.end() ? std::string_view() : found->precision;
}

}  // namespace tunehub::core
