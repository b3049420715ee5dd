// gfx and cu_num: a request's target. Instead of a gfx, a request may name a product, an alias or a
// PCI id (core::NamedTarget). Such a name also gives the CU count.
#pragma once

#include <string>
#include <string_view>

#include "core/base/read_json.h"
#include "core/shapes/shape.h"
#include "server/answers/parameters.h"

namespace tunehub::server {

// An absent gfx or cu_num means any. Errors: bad_parameter.
core::Target DemandTargetOf(const Services& services, RequestQuery& query);
// Reads gfx and cu_num from texts; "": absent. A CU count of "0" means any CU count, or the
// product's CU count. Errors: bad_gfx, bad_cu_num, out_of_range.
core::Result<core::Target> DemandTargetOf(const core::Targets& targets, std::string_view gfx,
                                          std::string_view cu_num);

// Reads the members gfx and cu_num of a JSON body, and adds errors to the body's errors. gfx is
// required. cu_num may be absent if `any_cu_num` is true (then it is 0) or if the product
// determines it.
core::Target TargetOf(const Services& services, core::JsonObject& body, bool any_cu_num);

// Reads gfx, which is required, and cu_num. By default, cu_num is the gfx's usual CU count
// (configs/targets.json). It is 0 for a family without CU counts. If `family` is null, the target
// has a CU count. Errors: bad_parameter.
core::Target OneTarget(const Services& services, RequestQuery& query,
                       const core::Family* family = nullptr);

// The parameters engine and rocm. The answer reads the tables as this engine does.
struct EngineChoice {
  const core::EngineReads* engine = nullptr;  // null: the tables of all engines count
  std::string rocm;                           // "": the newest
  std::string name() const { return engine == nullptr ? "any" : engine->name; }
};

// Returns the usual engine by default, and no engine for "any". Errors: bad_parameter.
EngineChoice EngineOf(const Services& services, RequestQuery& query);

}  // namespace tunehub::server
