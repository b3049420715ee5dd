// What a script of an engine's finds around it: its Python packages, and the model it is given.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tunehub::agent::engines {

// "vllm 0.11.0", "triton 3.4.0", "torch 2.8.0": those of them that `python` has.
std::vector<std::string> VersionsOf(const std::string& python);

// The folder that SGLang looks into under this Triton: "triton_3_4_0". Errors: no_triton.
core::Result<std::string> TritonFolderOf(const std::string& python);

// What --model says to a script: a folder or a name as it is; a config.json gets a folder of its
// own in `home`, since the scripts want one. Errors: bad_model, file_unreadable, file_unwritable.
core::Result<std::string> ModelOf(const std::string& model, const std::filesystem::path& home);

}  // namespace tunehub::agent::engines
