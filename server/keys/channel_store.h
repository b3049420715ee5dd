// Stores channels: signed names for pins, such as "stable". Each move of a channel is a new
// statement. Every call may throw Unavailable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/pin.h"
#include "server/db/writer.h"

namespace tunehub::server {

class ConnectionPool;

struct ChannelStatement {
  std::int64_t sequence = 0;  // the statement's number, from 1
  core::Pin pin;
  std::string at, owner;  // `at`: RFC 3339; `owner`: who moved the channel
};

// Returns the statements, the newest first. Empty: the channel does not exist.
std::vector<ChannelStatement> ListChannel(ConnectionPool& pool, const std::string& channel,
                                          std::int64_t limit);

// Moves the channel to the revision. Without a pin, repeats the statement before the last
// promotion. Returns false if that statement does not exist, or if the channel already has that
// revision.
bool MoveChannel(ConnectionPool& pool, const std::string& channel,
                 const std::optional<core::Pin>& pin, const Writer& by);

}  // namespace tunehub::server
