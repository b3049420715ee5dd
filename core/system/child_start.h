// A program as a child process in a group of its own.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/system/child_process.h"
#include "core/system/fd.h"

namespace tunehub::core {

struct StartedChild {
  pid_t pid = -1;  // also its group's
  Fd output;       // what it prints, both streams
};

// Errors: child_unstartable, with the program and the system's reason.
Result<StartedChild> StartChild(const ChildCommand& command);

// This process's environment as children get it: without the key of the hub, which is none of their
// business.
std::vector<std::string> ChildEnvironment();
// What execve takes; it points into what it was made from.
std::vector<char*> Pointers(std::vector<std::string>& texts);

// Waits for its end. Returns the status of waitpid; nothing where the system reaped it itself.
std::optional<int> WaitFor(pid_t pid);

}  // namespace tunehub::core
