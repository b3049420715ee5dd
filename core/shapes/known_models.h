// The models of a folder, by their files' names and by their checkpoints' names on Hugging Face.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/shapes/model.h"

namespace tunehub::core {

// The names of the folder's files, sorted; empty: no such folder.
std::vector<std::string> ModelNames(const TextFolder& folder);

// The model and the checkpoints of every valid file that contains `text`, by the files' names.
std::vector<Model> KnownModels(const TextFolder& folder, std::string_view text = {});

// The names of KnownModels, in the same order.
std::vector<std::string> KnownModelNames(const TextFolder& folder);

// Finds a file's model by the file's name ("qwen3-32b") or its source ("Qwen/Qwen3-32B"), or a
// checkpoint that a file lists ("Qwen/Qwen3-32B-FP8"). `name` is never a path. Errors:
// unknown_model, with the three nearest names; bad_model.
Result<Model> FindModel(const TextFolder& folder, const std::string& name);

// Like FindModel, but a path comes first, as in engines: the path of a config.json (it contains '/'
// or ends in .json) or of a folder with one. Also reads an hf_quant_config.json beside the file.
// Errors: unknown_model, bad_model.
Result<Model> LoadModel(const TextFolder& folder, const std::string& name);

}  // namespace tunehub::core
