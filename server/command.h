// What the short commands have in common.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "server/settings.h"
#include "server/store/store.h"

namespace tunehub::server {

inline constexpr const char* kProgram = "tunehub-server";

// Says it on stderr. The exit status.
int Fail(const core::Error& error);

// Runs `work` on the database, its schema up to date. The exit status: that of `work`, or 1 where
// there is no such database; none is made.
int WithStore(const Settings& settings, const std::function<int(store::Store&)>& work);

}  // namespace tunehub::server
