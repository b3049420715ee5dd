// Whom a key that is to be made acts for, and what it is limited to.
#pragma once

#include "core/base/result.h"
#include "server/service/registry/keys.h"
#include "server/store/store.h"

namespace tunehub::service {

// Errors: bad_owner, unknown_family, bad_target, bad_source. Throws Unavailable.
core::Status CheckRights(store::Store& store, const KeyRights& rights);

}  // namespace tunehub::service
