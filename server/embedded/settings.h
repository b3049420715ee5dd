// The settings the cluster runs with, given on its command line: nothing in DIR/pg overrides them.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace tunehub::embedded {

std::map<std::string, std::string> Settings(const std::filesystem::path& socket_dir,
                                            const std::map<std::string, std::string>& extra);

}  // namespace tunehub::embedded
