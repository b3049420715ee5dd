// The files that a script of vLLM's or SGLang's wrote, read as their engine would read them.
#pragma once

#include "agent/base/configuration.h"
#include "agent/engines/triton_tuner.h"

namespace tunehub::agent::engines {

// Of the reader that the script's engine is. `configuration` must outlive it. Errors:
// unknown_reader, unknown_family.
core::Result<FileRows> FileRowsOf(const Configuration& configuration, const EngineScript& script);

}  // namespace tunehub::agent::engines
