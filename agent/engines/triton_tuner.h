// The tune scripts of vLLM and SGLang, run in a folder of their own: before (what runs now), the
// tuning, after (what was found, by the engine's own lookup). The checkout is not written to.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/engines/engine_run.h"
#include "agent/engines/triton_rows.h"

namespace tunehub::agent {

struct TritonSettings : EngineSettings {
  std::filesystem::path root;  // the checkout that has the script
};

// The rows of one file that a script wrote, by the path that its engine's reader finds it by. What
// cannot be read is said in `remarks`.
using FileRows = std::function<std::vector<FoundRow>(
    const std::string& path, const std::string& bytes, std::vector<std::string>& remarks)>;

// Whatever was found is in the run, also after a failure. Errors: no_script, bad_model, no_triton
// (SGLang's folders are named by its version), bad_arguments, tuner_unstartable, file_unwritable.
core::Result<EngineRun> TuneTriton(const TritonSettings& settings, const EngineScript& script,
                                   const EngineWork& work, const FileRows& read,
                                   const EngineObserver& observer);

// Of the reader that the script's engine is. `configuration` must outlive it. Errors:
// unknown_reader, unknown_family.
core::Result<FileRows> FileRowsOf(const Configuration& configuration, const EngineScript& script);

}  // namespace tunehub::agent
