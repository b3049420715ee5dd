// configs/models as one text, which a point names the version of.
#pragma once

#include <string>
#include <vector>

#include "core/base/text_folder.h"
#include "core/shapes/model.h"

namespace tunehub::service {

// A model, and what a point of it is split over.
struct SplitModel {
  core::Model model;
  int tp = 1;  // the largest of 8, 4, 2 and 1 GPUs that it can be
};

struct ModelFiles {
  std::string text;                // {"deepseek-v3": "the text of its file", ...}
  std::string sha256;              // of the text
  std::vector<SplitModel> models;  // by name; of files that are one, and can be split
};

ModelFiles ReadModelFiles(const core::TextFolder& folder);
// Of a text that ReadModelFiles has made. Throws where it is none.
ModelFiles ParseModelFiles(std::string text);

}  // namespace tunehub::service
