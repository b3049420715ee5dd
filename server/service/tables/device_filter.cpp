#include "server/service/tables/device_filter.h"

#include "server/service/registry/bad_parameter.h"

namespace tunehub::service {
namespace {

ColumnFilter NamesOf(std::size_t column, const std::vector<std::string>& asked,
                     const core::Devices& devices) {
  ColumnFilter filter{column, {}};
  for (const std::string& name : asked) {
    filter.values.push_back(name);
    if (!devices.IsProduct(name)) continue;
    for (const core::DeviceName& alias : devices.Find(name)->aliases)
      filter.values.push_back(alias.name);
  }
  return filter;
}

core::Status ToProducts(std::vector<std::string>& names, const core::Devices& devices) {
  for (std::string& name : names) {
    if (devices.IsAmbiguous(name)) {
      return BadParameter("device", name, "is a name that several devices share: name a product");
    }
    const core::Device* const device = devices.Find(name);
    if (device == nullptr) {
      return BadParameter("device", name,
                          "is no product, alias or PCI id of configs/devices.json, such as MI325X");
    }
    name = device->product;
  }
  return core::Ok();
}

}  // namespace

core::Status SettleDevices(TunedQuery& query, const core::Family& family,
                           const core::Devices& devices) {
  if (core::Status status = ToProducts(query.preferred.devices, devices); !status.ok())
    return status;
  if (family.device == core::kNoColumn) return ToProducts(query.runs.devices, devices);
  if (query.runs.devices.empty()) return core::Ok();
  query.columns.push_back(NamesOf(family.device, query.runs.devices, devices));
  query.runs.devices.clear();
  return core::Ok();
}

}  // namespace tunehub::service
