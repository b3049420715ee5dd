// configs/models and engines.json as one text, which a point names the version of.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/shapes/engine_reads.h"
#include "core/shapes/model.h"

namespace tunehub::service {

// A model, and what a point of it is split over.
struct SplitModel {
  core::Model model;
  int tp = 1;  // the largest of 8, 4, 2 and 1 GPUs that it can be
};

struct ModelFiles {
  // {"deepseek-v3": "the text of its file", ..., "engines.json": "its text"}
  std::string text;
  std::string sha256;                                         // of the text
  std::vector<SplitModel> models;                             // known ones that can be split
  std::shared_ptr<const core::EngineReads> engine = nullptr;  // the usual one; null: none is known
};

// `folder`: of the models, beside which engines.json stands.
ModelFiles ReadModelFiles(const std::filesystem::path& folder);
// Of a text that ReadModelFiles has made. Throws where it is none.
ModelFiles ParseModelFiles(std::string text);

}  // namespace tunehub::service
