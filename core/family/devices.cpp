#include "core/family/devices.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/base/json_object.h"
#include "core/base/text.h"

namespace tunehub::core {
namespace {

constexpr char kBadDevices[] = "bad_devices";

// As engines write a driver's name into a file name, in one case.
std::string Folded(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    const bool gap = c == ' ' || c == '\t' || c == '/';
    if (gap && !folded.empty() && folded.back() == '_') continue;
    folded += gap ? '_' : Lower(c);
  }
  return folded;
}

using Sources = std::map<std::string, std::string, std::less<>>;

// The text of the source that the member names.
std::string SourceOf(JsonObject& json, const std::string& member, const Sources& sources) {
  const std::string key = json.Text(member);
  const auto found = sources.find(key);
  if (found != sources.end()) return found->second;
  json.Fail(member, fmt::format("names no member of /sources: {}", key));
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

Peaks ParsePeaks(JsonObject json, const Sources& sources) {
  Peaks peaks;
  const auto positive = [](JsonObject& object, const std::string& member) {
    const double value = object.Number(member);
    if (!(value > 0)) object.Fail(member, "must be above 0");
    return value;
  };
  peaks.memory_gb_s = positive(json, "memory_gb_s");
  JsonObject tflops = json.Object("tflops");
  for (const std::string& precision : tflops.MemberNames())
    peaks.tflops[precision] = positive(tflops, precision);
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

// Every name that a device answers to.
std::vector<std::string> AllNames(const Device& device) {
  if (device.product.empty()) return {};
  std::vector<std::string> names = {device.product};
  for (const DeviceName& id : device.pci_ids) names.push_back(id.name);
  for (const DeviceName& alias : device.aliases) names.push_back(alias.name);
  return names;
}

}  // namespace

Result<Devices> Devices::Parse(std::string_view name, std::string_view json_text) {
  JsonErrors errors{std::string(name), kBadDevices};
  const nlohmann::json parsed = ParseJson(json_text, errors);
  JsonObject json(parsed, "", errors);
  Devices devices;
  json.Object("sources");  // which is needed
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
      return fmt::format("{} stands in /ambiguous, so that it is no device's name", name);
    const auto [known, fresh] = by_name_.try_emplace(Folded(name), place);
    if (known->second == place) continue;
    return fmt::format("{} is also a name of {}: what several share belongs into /ambiguous", name,
                       devices_[known->second].product);
  }
  return {};
}

const Device* Devices::Find(std::string_view name) const {
  const auto found = by_name_.find(Folded(name));
  return found == by_name_.end() ? nullptr : &devices_[found->second];
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
  std::string products;
  for (const Device* device : Of(gfx, cu_num)) {
    if (!products.empty()) products += " / ";
    products += device->product;
  }
  return products;
}

std::string Devices::TargetName(std::string_view gfx, int cu_num) const {
  const std::string target = cu_num == 0 ? std::string(gfx) : fmt::format("{}:{}", gfx, cu_num);
  const std::string products = ProductsOf(gfx, cu_num);
  return products.empty() ? target : fmt::format("{} ({})", products, target);
}

}  // namespace tunehub::core
