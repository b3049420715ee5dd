#include "core/family/targets.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::core {
namespace {

constexpr char kBadDevices[] = "bad_devices";

// Returns 0 if the member is missing. Fails below `least` or above kMost.
int ReadCuNum(JsonObject& json, const std::string& member, int least) {
  constexpr std::int64_t kMost = 4096;  // equals kMaxCuNum of core/row/target.h
  const std::int64_t cu_num = json.Integer(member, 0);
  if (cu_num < least || cu_num > kMost) {
    json.Fail(member, fmt::format("must be an integer from {} to {}", least, kMost));
    return least;
  }
  return static_cast<int>(cu_num);
}

// Returns a driver's name in lower case, as engines write it into file names.
std::string Folded(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    const bool gap = c == ' ' || c == '\t' || c == '/';
    if (gap && !folded.empty() && folded.back() == '_') continue;
    folded += gap ? '_' : Lower(c);
  }
  return folded;
}

// "AMD Instinct MI300X" -> "mi300x"
std::string WithoutVendor(std::string_view name) {
  std::string folded = Folded(name);
  for (const std::string_view word : {"amd_", "instinct_", "nvidia_", "geforce_"}) {
    if (folded.starts_with(word)) folded.erase(0, word.size());
  }
  return folded;
}

using Sources = std::map<std::string, std::string, std::less<>>;

// Returns the text of the source that the member names.
std::string SourceOf(JsonObject& json, const std::string& member, const Sources& sources) {
  const std::string key = json.Text(member);
  const auto found = sources.find(key);
  if (found != sources.end()) return found->second;
  json.Fail(member, fmt::format("must be a member of /sources, but is {}", key));
  return {};
}

std::vector<DeviceName> ParseNames(JsonObject& json, const std::string& member,
                                   const Sources& sources) {
  std::vector<DeviceName> names;
  if (!json.Has(member)) return names;
  JsonObject object = json.Object(member);
  for (const std::string& name : object.MemberNames()) {
    names.push_back({name, SourceOf(object, name, sources)});
  }
  return names;
}

double ReadPositive(JsonObject& json, const std::string& member) {
  const double value = json.Number(member);
  if (value <= 0) json.Fail(member, "must be above 0");
  return value;
}

std::map<std::string, double> ParseByPrecision(JsonObject json) {
  std::map<std::string, double> figures;
  for (const std::string& name : json.MemberNames()) figures[name] = ReadPositive(json, name);
  return figures;
}

Peaks ParsePeaks(JsonObject json, const Sources& sources) {
  Peaks peaks;
  peaks.memory_gb_s = ReadPositive(json, "memory_gb_s");
  peaks.tflops = ParseByPrecision(json.Object("tflops"));
  peaks.source = SourceOf(json, "source", sources);
  json.Finish();
  return peaks;
}

std::vector<std::int64_t> ParsePartitions(JsonObject json, const Sources& sources) {
  std::vector<std::int64_t> cu_nums = json.Ascending("cu_nums");
  SourceOf(json, "source", sources);
  json.Finish();
  return cu_nums;
}

Device ParseDevice(JsonObject json, const Sources& sources) {
  Device device;
  device.product = json.Text("product");
  if (device.product.empty()) json.Fail("product", "must not be empty");
  device.vendor = json.Text("vendor");
  device.gfx = json.Text("gfx");
  device.cu_num = ReadCuNum(json, "cu_num", 0);
  device.source = SourceOf(json, "source", sources);
  device.pci_ids = ParseNames(json, "pci_ids", sources);
  device.aliases = ParseNames(json, "aliases", sources);
  if (json.Has("partitions")) {
    device.partitions = ParsePartitions(json.Object("partitions"), sources);
  }
  if (json.Has("peaks")) device.peaks = ParsePeaks(json.Object("peaks"), sources);
  json.Finish();
  return device;
}

Device ParseUnnamed(JsonObject json, const Sources& sources) {
  Device device;
  device.gfx = json.Text("gfx");
  device.cu_num = ReadCuNum(json, "cu_num", 1);
  device.source = SourceOf(json, "source", sources);
  json.Finish();
  return device;
}

std::vector<std::string> AllNames(const Device& device) {
  if (device.product.empty()) return {};
  std::vector<std::string> names = {device.product};
  for (const DeviceName& id : device.pci_ids) names.push_back(id.name);
  for (const DeviceName& alias : device.aliases) names.push_back(alias.name);
  return names;
}

constexpr char kBadTargets[] = "bad_targets";
constexpr char kDevicesFile[] = "devices.json";  // in the folder of targets.json

GpuArch ParseArch(JsonObject json) {
  GpuArch arch;
  arch.clock_mhz = json.Number("clock_mhz", 0.0);
  if (arch.clock_mhz < 0) json.Fail("clock_mhz", "must not be below 0");
  if (json.Has("flops_per_cu_clock")) {
    arch.flops_per_cu_clock = ParseByPrecision(json.Object("flops_per_cu_clock"));
    if (arch.clock_mhz <= 0) json.Fail("clock_mhz", "is required with flops_per_cu_clock");
  }
  arch.default_cu_num = ReadCuNum(json, "default_cu_num", 0);
  arch.fnuz = json.Boolean("fnuz", false);
  arch.source = json.Text("source");
  if (arch.source.empty()) json.Fail("source", "must name the source of the figures");
  json.Finish();
  return arch;
}

std::map<int, std::string> ParseLegacyGfx(
    JsonObject json, const std::map<std::string, GpuArch, std::less<>>& archs) {
  std::map<int, std::string> legacy;
  for (const std::string& member : json.MemberNames()) {
    const int cu_num = NumberFrom<int>(member).value_or(0);
    if (cu_num < 1) json.Fail(member, "expected a number of CUs");
    legacy[cu_num] = json.Text(member);
    if (!archs.contains(legacy[cu_num])) json.Fail(member, "expected a gfx of /archs");
  }
  return legacy;
}

struct DtypePrecision {
  std::string_view dtype;
  std::string_view precision;
};

// By operand type, without "torch." or "dtypes.". Omits torch.int4, because kernels widen packed
// weights to the activations' type before they multiply.
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

Result<Devices> Devices::Parse(std::string_view name, std::string_view json_text) {
  JsonErrors errors{std::string(name), kBadDevices};
  const nlohmann::json parsed = ParseJson(json_text, errors);
  JsonObject json(parsed, "", errors);
  Devices devices;
  json.Object("sources");  // a required member
  const Sources sources = json.TextsByName("sources");
  for (const JsonObject& device : json.Objects("devices"))
    devices.devices_.push_back(ParseDevice(device, sources));
  for (const JsonObject& device : json.Objects("unnamed"))
    devices.devices_.push_back(ParseUnnamed(device, sources));
  JsonObject ambiguous = json.Object("ambiguous");
  for (const std::string& shared : ambiguous.MemberNames())
    devices.ambiguous_[Folded(shared)] = ambiguous.Text(shared);
  json.Finish();
  for (std::size_t i = 0; i < devices.devices_.size(); ++i) {
    const std::string trouble = devices.Index(i);
    if (!trouble.empty()) errors.Add(json.ItemPointer("devices", i), trouble);
  }
  if (errors.any()) return errors.first();
  devices.source_ = json_text;
  return devices;
}

std::string Devices::Index(std::size_t place) {
  for (const std::string& name : AllNames(devices_[place])) {
    if (ambiguous_.contains(Folded(name)))
      return fmt::format("the name {} is in /ambiguous, so no device may have it", name);
    const auto [known, fresh] = by_name_.try_emplace(Folded(name), place);
    if (known->second == place) continue;
    return fmt::format(
        "{} is also a name of {}; put a name that several devices share in /ambiguous", name,
        devices_[known->second].product);
  }
  return {};
}

const Device* Devices::Find(std::string_view name) const {
  const auto found = by_name_.find(Folded(name));
  return found == by_name_.end() ? nullptr : &devices_[found->second];
}

const Device* Devices::Named(std::string_view name) const {
  if (const Device* const device = Find(name)) return device;
  const std::string product = WithoutVendor(name);
  return IsProduct(product) ? Find(product) : nullptr;
}

std::vector<const Device*> Devices::Beginning(std::string_view name) const {
  std::vector<const Device*> found;
  const std::string begin = WithoutVendor(name);
  if (begin.empty()) return found;
  for (const Device& device : devices_) {
    if (Folded(device.product).starts_with(begin)) found.push_back(&device);
  }
  return found;
}

bool Devices::IsAmbiguous(std::string_view name) const {
  return ambiguous_.contains(Folded(name));
}

bool Devices::IsProduct(std::string_view name) const {
  const Device* const device = Find(name);
  return device != nullptr && Folded(device->product) == Folded(name);
}

std::vector<const Device*> Devices::Of(std::string_view gfx, int cu_num) const {
  std::vector<const Device*> found;
  if (cu_num == 0) return found;
  for (const Device& device : devices_) {
    if (device.product.empty() || device.gfx != gfx || device.cu_num != cu_num) continue;
    found.push_back(&device);
  }
  return found;
}

std::vector<const Device*> Devices::Siblings(const Device& device) const {
  std::vector<const Device*> siblings = Of(device.gfx, device.cu_num);
  std::erase_if(siblings, [&](const Device* other) { return other->product == device.product; });
  return siblings;
}

std::string Devices::ProductsOf(std::string_view gfx, int cu_num) const {
  return Joined(Of(gfx, cu_num), &Device::product, " / ");
}

std::string Devices::TargetName(std::string_view gfx, int cu_num) const {
  const std::string target = cu_num == 0 ? std::string(gfx) : fmt::format("{}:{}", gfx, cu_num);
  const std::string products = ProductsOf(gfx, cu_num);
  return products.empty() ? target : fmt::format("{} ({})", products, target);
}

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
  return Find(gfx) != nullptr || Contains(without_figures_, gfx) ||
         std::ranges::find(devices_.all(), gfx, &Device::gfx) != devices_.all().end();
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
