// The models of a folder, by every name that they have: that of a file, and those of checkpoints of
// Hugging Face.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/shapes/model.h"

namespace tunehub::core {

// The names of the folder's files, sorted; empty where there is no such folder.
std::vector<std::string> ModelNames(const TextFolder& folder);

// Of every file that is one, and that holds `text` somewhere, its model and its checkpoints, by the
// files' names.
std::vector<Model> KnownModels(const TextFolder& folder, std::string_view text = {});

// The names of KnownModels, in the same order.
std::vector<std::string> KnownModelNames(const TextFolder& folder);

// The model of a file ("qwen3-32b"), a checkpoint that a file lists ("Qwen/Qwen3-32B-FP8"), or the
// checkpoint that a file's source names ("Qwen/Qwen3-32B": the file's own model). A name is never a
// path. Errors: unknown_model, with the three nearest names; bad_model.
Result<Model> FindModel(const TextFolder& folder, const std::string& name);

// The same, but a path to a config.json (it holds '/' or ends in .json) or to a folder with one
// wins over a name, as it does in the engines, and an hf_quant_config.json beside it counts.
// Errors: unknown_model, bad_model.
Result<Model> LoadModel(const TextFolder& folder, const std::string& name);

}  // namespace tunehub::core
