// Which rule of a family a product goes by, and the texts that the rule writes for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/family/family.h"
#include "core/shapes/products.h"

namespace tunehub::core {

// How far a family's schemes decide which products ask it.
enum class SchemeChoice {
  kAny,       // every product that could be stored so
  kOwn,       // those that are; of a model that was never quantized, every one that could be
  kOwnOrAny,  // kOwn, and where these are none, kAny
};

// The rules by which the product asks the family; empty where it does not. `quantized`: the model's
// config or whoever asks says how it is stored.
std::vector<const ProductRule*> RulesOf(const Family& family, const ModelProduct& product,
                                        bool quantized, SchemeChoice choice);

// "{n}" and the like in `text`: a product's figures at one M, what the question says of the device,
// and in {bucket} M_LEQ_ with the next power of two.
std::string Filled(std::string_view text, const ModelProduct& product, std::int64_t m,
                   std::string_view device, std::string_view gfx);

}  // namespace tunehub::core
