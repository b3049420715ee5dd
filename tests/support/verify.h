// What `tunehub-server verify` says of a registry.
#pragma once

#include <string>

#include "server/store/store.h"

namespace tunehub::test {

// A sentence a line; "": everything holds.
std::string WhatDoesNotHold(store::Store& store);

}  // namespace tunehub::test
