#include "core/row/target.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/base/text.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kMostAlike = 8;  // more names do not fit a line
constexpr std::string_view kAmd = "gfx", kNvidia = "sm_";

// True if a GPU or CPU may have this name: gfx942, sm_90, cpu-x86-64-v3.
bool HasForm(std::string_view gfx) {
  if (gfx == kAnyGfx || gfx == kUnknownGfx || gfx.starts_with(kCpuPrefix)) return true;
  return (gfx.starts_with(kAmd) || gfx.starts_with(kNvidia)) && gfx.size() > kAmd.size() &&
         IsDigit(gfx[kAmd.size()]);
}

// "MI300X" and "gfx942", in the order of devices.json and targets.json.
std::vector<std::string> KnownNames(const Targets& targets, bool architectures) {
  std::vector<std::string> names;
  if (architectures) {
    for (const auto& [gfx, arch] : targets.archs()) names.push_back(gfx);
  }
  for (const Device& device : targets.devices().all()) {
    const std::string& name = architectures ? device.gfx : device.product;
    if (!name.empty() && !Contains(names, name)) names.push_back(name);
  }
  return names;
}

Error UnknownName(const Targets& targets, std::string_view name) {
  const std::vector<std::string> products = KnownNames(targets, false),
                                 architectures = KnownNames(targets, true);
  const auto alike = targets.devices().Beginning(name);
  std::string detail;
  if (alike.size() > 1 && alike.size() <= kMostAlike) {
    detail = fmt::format("'{}' is the name of several GPUs; pass one of {}", Excerpt(name),
                         Joined(alike, &Device::product));
  } else if (!name.empty() && targets.devices().IsAmbiguous(name)) {
    detail = fmt::format("several devices share the name '{}'; pass a product such as MI300X",
                         Excerpt(name));
  } else {
    std::vector<std::string> all = products;
    all.insert(all.end(), architectures.begin(), architectures.end());
    detail = fmt::format(
        "'{}': expected a GPU's product such as MI300X, or an architecture such as gfx942{}",
        Excerpt(name), DidYouMean(Excerpt(name), all));
  }
  return {"bad_gfx", fmt::format("{}\nknown products: {}\nknown architectures: {}", detail,
                                 Joined(products), Joined(architectures))};
}

// ", such as H200"
std::string ProductLike(const Targets& targets, std::string_view gfx) {
  for (const Device& device : targets.devices().all()) {
    if (device.gfx == gfx && device.cu_num > 0 && !device.product.empty())
      return ", such as " + device.product;
  }
  return {};
}

bool MayHave(const Device& device, int cu_num) {
  return device.cu_num == 0 || cu_num == device.cu_num ||
         Contains(device.partitions, std::int64_t{cu_num});
}

Error OtherCuNum(const Device& device, int cu_num) {
  const std::string partitions =
      device.partitions.empty()
          ? ""
          : fmt::format(" (a partition: {})", fmt::join(device.partitions, ", "));
  return {"bad_cu_num",
          fmt::format("{0} has {1} CUs{2}, but the given CU count is {3}. Give only {0}",
                      device.product, device.cu_num, partitions, cu_num)};
}

}  // namespace

Result<Target> NamedTarget(const Targets& targets, std::string_view name, int cu_num) {
  if (cu_num < 0 || cu_num > kMaxCuNum) {
    return Error{"bad_cu_num",
                 fmt::format("{}: expected a CU count from 1 to {}", cu_num, kMaxCuNum)};
  }
  if (const Device* const device = targets.devices().Named(name))
    return Target{device->gfx, cu_num == 0 ? device->cu_num : cu_num};
  const std::string lower = Lower(name);
  const auto gfx = CanonicalGfx(lower);
  if (!gfx || !(HasForm(*gfx) || targets.Exists(*gfx))) return UnknownName(targets, name);
  return Target{std::string(*gfx), cu_num};
}

Result<Target> KnownTarget(const Targets& targets, std::string_view name, int cu_num) {
  auto target = NamedTarget(targets, name, cu_num);
  if (!target.ok()) return target;
  const Device* const device = targets.devices().Named(name);
  if (device != nullptr && !MayHave(*device, target->cu_num)) return OtherCuNum(*device, cu_num);
  const std::string why = WhyUnknownGfx(targets, target->gfx);
  if (why.empty()) return target;
  return Error{"bad_gfx", why + "\nknown architectures: " + Joined(KnownNames(targets, true))};
}

Result<Target> TargetToLookUp(const Targets& targets, Result<Target> target, bool has_cu_num) {
  if (!target.ok()) return target;
  if (!has_cu_num) return Target{target->gfx, 0};
  const GpuArch* const arch = targets.Find(target->gfx);
  if (target->cu_num == 0 && arch != nullptr) target->cu_num = arch->default_cu_num;
  if (target->cu_num > 0) return target;
  const std::string why = WhyUnknownGfx(targets, target->gfx);
  if (!why.empty()) return Error{"bad_gfx", why + " For a new GPU, also give its CU count"};
  return Error{"bad_cu_num", fmt::format("{0}: GPUs of this architecture have different CU counts. "
                                         "Add the CU count, or name a product{1}",
                                         target->gfx, ProductLike(targets, target->gfx))};
}

std::string WhyUnknownGfx(const Targets& targets, std::string_view gfx) {
  if (!gfx.starts_with(kAmd) || targets.Exists(gfx)) return {};
  const std::string near = DidYouMean(gfx, KnownNames(targets, true));
  return fmt::format("no known GPU has the architecture {}{}", gfx, near.empty() ? "." : near);
}

}  // namespace tunehub::core
