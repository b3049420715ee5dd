// FILE.etag: what the hub called the bytes of FILE, so that the next pull need not carry them.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace tunehub::agent {

// The ETag to ask with; "" where FILE is gone, was changed, or came from another request.
std::string KnownEtag(const std::filesystem::path& file, const std::string& target);

core::Status RememberEtag(const std::filesystem::path& file, const std::string& target,
                          const std::string& etag, const std::string& sha256);

}  // namespace tunehub::agent
