// From what a method says of a weight to its scheme.
#pragma once

#include <string>

#include "core/shapes/config_figures.h"
#include "core/shapes/quantization.h"

namespace tunehub::core {

Stored SchemeOfFp8(ConfigFigures& config);
// llm-compressor: one group of layers, by the bits of its weights and of their inputs.
Stored SchemeOfGroup(ConfigFigures& group);
// AMD Quark: the types of weights and inputs. No member "weight": the weight keeps its precision.
Stored SchemeOfQuark(ConfigFigures& layer);
// GPTQ, AWQ and AutoRound: integers of the weights alone; `general` is what is not said.
Stored SchemeOfIntegers(ConfigFigures& config, const Stored& general = {});
// ModelOpt: by the name of its algorithm, which stands in `member`.
Stored SchemeOfAlgorithm(ConfigFigures& config, const std::string& member,
                         const std::string& algorithm);

}  // namespace tunehub::core
