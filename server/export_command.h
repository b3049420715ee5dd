// tunehub-server export --static DIR.
#pragma once

#include <string>
#include <vector>

#include "server/settings.h"

namespace tunehub::server {

struct ExportOptions {
  std::string place;
  std::vector<int> revisions;
  bool open = false;  // also where reads need a key
};

// The exit status.
int Export(const Settings& settings, const ExportOptions& options);

}  // namespace tunehub::server
