// Finds pages of the dashboard for a text whose words name a page, a model, a product, a layer or a
// family, in any order: "slower deepseek v3 mi355x".
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/snapshots/definitions.h"

namespace tunehub::server {

// An address of the dashboard (web/src/views.ts).
struct SearchPlace {
  std::string title;
  std::string view;  // "": the start page
  std::map<std::string, std::string> query;
};

struct SearchLayer {
  std::string layer;
  std::vector<std::string> models;  // the models with the layer
};

struct PlaceHits {
  std::vector<SearchPlace> places;  // the best first
  std::vector<SearchLayer> layers;
  std::vector<std::string> models;  // by their names here and on Hugging Face
};

// Each place names everything in the text. At most `limit` of each kind.
PlaceHits FindPlaces(const Definitions& definitions, std::string_view text, std::size_t limit);

// Returns the same text for "DeepSeek-V3", "deepseek v3" and "deepseekv3".
std::string FoldedText(std::string_view text);
// True if `folded` is not empty and the folded name contains it.
bool Holds(std::string_view name, std::string_view folded);
bool IsCalled(const core::Device& device, std::string_view folded);

}  // namespace tunehub::server
