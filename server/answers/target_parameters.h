// gfx and cu_num: a request's target. In place of a gfx a request may name a product, an alias or a
// PCI id (core::NamedTarget), which implies a CU count.
#pragma once

#include <string>
#include <string_view>

#include "core/shapes/shape.h"
#include "server/answers/parameters.h"

namespace tunehub::server {

// Either may be absent: any. Error bad_parameter.
core::Target DemandTargetOf(const Services& services, RequestQuery& query);
// The same of texts, "" where absent; a CU count of "0" is any, or the product's. Errors: bad_gfx,
// out_of_range.
core::Result<core::Target> DemandTargetOf(const core::Devices& devices, std::string_view gfx,
                                          std::string_view cu_num);

// gfx is required; cu_num defaults to the gfx's usual one (configs/targets.json). For a family
// without CU counts it is 0; null: a family with CU counts. Error bad_parameter.
core::Target OneTarget(const Services& services, RequestQuery& query,
                       const core::Family* family = nullptr);

// engine and rocm of a request: the answer reads the tables as that engine does.
struct EngineChoice {
  const core::EngineReads* engine = nullptr;  // null: none; all tables of any engine count
  std::string rocm;                           // "": the newest
  std::string name() const { return engine == nullptr ? "any" : engine->name; }
};

// Without the parameter: the usual one; "any": none. Error bad_parameter.
EngineChoice EngineOf(const Services& services, RequestQuery& query);

}  // namespace tunehub::server
