// What is said to a person once a host, not at every call.
#pragma once

#include <filesystem>
#include <string>

namespace tunehub::agent::tuning {

// True the first time that this host says `text` about `topic`, of which a file in `folder` keeps
// note; another text is news again. Where nothing can be noted, everything is.
bool IsNews(const std::filesystem::path& folder, const std::string& topic, const std::string& text);

}  // namespace tunehub::agent::tuning
