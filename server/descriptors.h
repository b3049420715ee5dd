// Open files: each connection is one, and the system's limit may be lower than what is wanted.
#pragma once

#include <cstddef>

namespace tunehub::server {

// Raises the process's limit of open files as far as it may. What it is then.
std::size_t RaiseDescriptors();

// How many connections there may be: those that are wanted, or as many as leave files for the
// database, the log and tables in memory. Says in the log which.
std::size_t FitConnections(std::size_t wanted, std::size_t descriptors);

}  // namespace tunehub::server
