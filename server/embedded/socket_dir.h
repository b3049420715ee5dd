// The private folder of PostgreSQL's socket. DIR itself may be too long a path for one (107 bytes),
// so it is a short one elsewhere, and DIR/pg.socket says where.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.h"
#include "server/embedded/db_user.h"

namespace tunehub::embedded {

// A folder of mode 0700 that belongs to the user. `known`: where PostgreSQL listened before in this
// process, whose connections know no other; "" at its start: then the recorded one if it is still
// there, else a new one. Empty of old sockets. Precondition: DIR/pg.lock is held. Errors:
// data_dir_unusable.
core::Result<std::filesystem::path> PrepareSocketDir(const std::filesystem::path& data_dir,
                                                     const DatabaseUser& user,
                                                     const std::filesystem::path& known);

// Written when PostgreSQL accepts connections. Errors: data_dir_unusable.
core::Status RecordSocketDir(const std::filesystem::path& data_dir,
                             const std::filesystem::path& socket_dir);
std::optional<std::filesystem::path> RecordedSocketDir(const std::filesystem::path& data_dir);

void RemoveSocketDir(const std::filesystem::path& data_dir,
                     const std::filesystem::path& socket_dir);

}  // namespace tunehub::embedded
