// Whether a user may read a file: asked of the kernel, since mode bits are not all that counts.
#pragma once

#include <filesystem>

#include "server/embedded/db_user.h"

namespace tunehub::doctor {

bool MayRead(const std::filesystem::path& file, const embedded::DatabaseUser& user);

}  // namespace tunehub::doctor
