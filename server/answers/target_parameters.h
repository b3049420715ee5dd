// gfx and cu_num as requests name one target. In the place of a gfx a product may stand, an alias
// or a PCI id (core::NamedTarget), which has a CU count of its own.
#pragma once

#include <string>

#include "core/shapes/shape.h"
#include "server/answers/parameters.h"

namespace tunehub::server {

// Either may be absent: any. Error bad_parameter.
core::Target DemandTargetOf(const Services& services, RequestQuery& query);

// gfx is a must; cu_num, where absent, is the usual one of the gfx (configs/targets.json). Of a
// family that has no CU counts it is 0; null: a family that has them. Error bad_parameter.
core::Target OneTarget(const Services& services, RequestQuery& query,
                       const core::Family* family = nullptr);

// engine and rocm as requests name them: whose reading of the tables an answer goes by.
struct EngineChoice {
  const core::EngineReads* engine = nullptr;  // null: none; every table that could be asked counts
  std::string rocm;                           // "": the newest
  std::string name() const { return engine == nullptr ? "any" : engine->name; }
};

// engine absent: the usual one; "any": none. Error bad_parameter.
EngineChoice EngineOf(const Services& services, RequestQuery& query);

}  // namespace tunehub::server
