// Finds a folder's models by their file names and by their checkpoints' names on Hugging Face.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/shapes/model.h"

namespace tunehub::core {

// The names of the folder's files, sorted; empty if the folder does not exist.
std::vector<std::string> ModelNames(const TextFolder& folder);

// Returns the model and the checkpoints of every valid file, sorted by file name.
std::vector<Model> KnownModels(const TextFolder& folder);

// "Qwen/Qwen3-32B", from the model's source; "": its source is not Hugging Face.
std::string HuggingFaceName(const Model& model);

// Finds a model in any case by its file's name ("qwen3-32b"), its source ("Qwen/Qwen3-32B", also as
// an address), a checkpoint in a file ("Qwen/Qwen3-32B-FP8"), or by either without its owner if
// only one model has that name. `name` is never a path. Errors: unknown_model, with the three
// nearest names; bad_model.
Result<Model> FindModel(const TextFolder& folder, const std::string& name);

// Like FindModel, but tries a path first, as engines do. A path leads to a config.json (it contains
// '/' or ends in .json) or to a folder with one. Also reads an hf_quant_config.json in the same
// folder. Errors: unknown_model, bad_model.
Result<Model> LoadModel(const TextFolder& folder, const std::string& name);

}  // namespace tunehub::core
