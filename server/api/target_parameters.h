// gfx and cu_num as requests name one target. In the place of a gfx a product may stand, an alias
// or a PCI id (core::NamedTarget), which has a CU count of its own.
#pragma once

#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "server/api/services.h"
#include "server/http/request.h"

namespace tunehub::api {

// Either may be absent: any. Error bad_parameter.
core::Result<core::Target> DemandTargetOf(const Services& services, const http::RequestHead& head);

// gfx is a must; cu_num, where absent, is the usual one of the gfx (configs/targets.json). Of a
// family that has no CU counts it is 0. Error bad_parameter.
core::Result<core::Target> OneTarget(const Services& services, const core::Family& family,
                                     const http::RequestHead& head);

}  // namespace tunehub::api
