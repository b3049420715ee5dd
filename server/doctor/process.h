// Processes of this host, as /proc has them. What belongs to another user is seen by root alone.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

namespace tunehub::doctor {

struct Listening {
  pid_t pid = 0;  // 0: another user's
  uid_t uid = 0;  // whose socket it is
};

// Who listens at the port of that address, or of every one; nothing where nobody does.
std::optional<Listening> ListenerAt(const std::string& host, unsigned short port);

std::string ProcessName(pid_t pid);  // "": gone
// The limit of open files that it has, or may raise its own to; of this process where `pid` is 0.
std::optional<std::size_t> DescriptorLimit(pid_t pid);
// How much memory there is for it: the machine's, or what its control group allows.
std::optional<std::size_t> MemoryFor(pid_t pid);

}  // namespace tunehub::doctor
