// gfx and cu_num: a request's target. Instead of a gfx, a request may name a product, an alias or a
// PCI id (core::NamedTarget). These names imply a CU count.
#pragma once

#include <string>
#include <string_view>

#include "core/base/read_json.h"
#include "core/shapes/shape.h"
#include "server/answers/parameters.h"

namespace tunehub::server {

// An absent gfx or cu_num means any. Error bad_parameter.
core::Target DemandTargetOf(const Services& services, RequestQuery& query);
// The same from texts; "": absent. A CU count of "0" means any, or the product's. Errors: bad_gfx,
// out_of_range.
core::Result<core::Target> DemandTargetOf(const core::Devices& devices, std::string_view gfx,
                                          std::string_view cu_num);

// Reads the same members of a JSON body, and adds faults to its errors. gfx is required. cu_num may
// be absent if `any_cu_num` (then it is 0) or if the product determines it.
core::Target TargetOf(const Services& services, core::JsonObject& body, bool any_cu_num);

// gfx is required. By default, cu_num is the gfx's usual one (configs/targets.json). It is 0 for a
// family without CU counts. A null `family` has CU counts. Error bad_parameter.
core::Target OneTarget(const Services& services, RequestQuery& query,
                       const core::Family* family = nullptr);

// engine and rocm of a request: the answer reads the tables as that engine does.
struct EngineChoice {
  const core::EngineReads* engine = nullptr;  // null: no engine, so all engines' tables count
  std::string rocm;                           // "": the newest
  std::string name() const { return engine == nullptr ? "any" : engine->name; }
};

// By default, returns the usual engine. For "any", returns none. Error bad_parameter.
EngineChoice EngineOf(const Services& services, RequestQuery& query);

}  // namespace tunehub::server
