// Makes stand-ins for the engines' scripts and for PyTorch.
#pragma once

#include <string>

#include "build_info.h"
#include "tests/support/shipped.h"

namespace tunehub::test {

inline const std::string kStandIns = TUNEHUB_SOURCE_DIR "/tests/support/";

// Of the engines' scripts, only vLLM's MoE script accepts several batch sizes at once.
inline std::string EngineScript(bool takes_list) {
  std::string text = ReadText(kStandIns + "engine_standin.py");
  const std::string one = R"("--batch-size", type=int)";
  const std::string list = R"("--batch-size", type=int, nargs="+")";
  return takes_list ? text.replace(text.find(one), one.size(), list) : text;
}

}  // namespace tunehub::test
