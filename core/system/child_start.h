// Starting a program as a child process in a group of its own, which ends with this process.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <optional>

#include "core/base/result.h"
#include "core/system/child_process.h"

namespace tunehub::core {

// What becomes the child's three; this process's own, unless it says otherwise.
struct ChildStreams {
  int input = STDIN_FILENO, output = STDOUT_FILENO, errors = STDERR_FILENO;
};

// The child's number, which is also its group's. The key of the hub is none of its business: its
// environment lacks it, it inherits no descriptor but the three, and it cannot read the memory of
// this process. Errors: child_unstartable, with the program and the system's reason.
Result<pid_t> StartChild(const ChildCommand& command, const ChildStreams& streams);

// Waits for its end. Returns the status of waitpid; nothing where the system reaped it itself.
std::optional<int> WaitFor(pid_t pid);

}  // namespace tunehub::core
