// tunehub-server verify [--backup DIR].
#pragma once

#include <string>

#include "server/settings.h"

namespace tunehub::server {

// `backup`: a backup, restored into a PostgreSQL that lives as long as this; "": the database. The
// exit status: 1 where something does not hold.
int Verify(const Settings& settings, const std::string& backup);

}  // namespace tunehub::server
