// gfx and cu_num: a request's target. In place of a gfx a request may name a product, an alias or a
// PCI id (core::NamedTarget), which implies a CU count.
#pragma once

#include <string>
#include <string_view>

#include "core/base/read_json.h"
#include "core/shapes/shape.h"
#include "server/answers/parameters.h"

namespace tunehub::server {

// Either may be absent: any. Error bad_parameter.
core::Target DemandTargetOf(const Services& services, RequestQuery& query);
// The same of texts, "" where absent; a CU count of "0" is any, or the product's. Errors: bad_gfx,
// out_of_range.
core::Result<core::Target> DemandTargetOf(const core::Devices& devices, std::string_view gfx,
                                          std::string_view cu_num);

// The same members of a JSON body, whose errors get what is wrong: gfx is a must, and cu_num may be
// absent (0) where `any_cu_num`, and where the product says it.
core::Target TargetOf(const Services& services, core::JsonObject& body, bool any_cu_num);

// gfx is a must; cu_num, where absent, is the usual one of the gfx (configs/targets.json). Of a
// family that has no CU counts it is 0; null: a family that has them. Error bad_parameter.
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
