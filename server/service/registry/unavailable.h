// What services throw while the database cannot be asked: the store's own word, so that those above
// the services need not know the store.
#pragma once

#include "server/store/connection/errors.h"

namespace tunehub::service {

using store::Unavailable;

}  // namespace tunehub::service
