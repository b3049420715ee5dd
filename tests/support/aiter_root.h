// A tree like AITER's checkout. tests/support/aiter_tune_standin.py replaces its scripts.
#pragma once

#include <filesystem>
#include <fstream>

#include "build_info.h"
#include "tests/support/shipped.h"

namespace tunehub::test {

inline void MakeAiterRoot(const std::filesystem::path& root) {
  for (const auto& family : AiterFamilies()) {
    const auto script = root / family->tune_script.substr(0, family->tune_script.find(' '));
    if (family->tune_script.empty()) continue;
    std::filesystem::create_directories(script.parent_path());
    std::filesystem::copy_file(
        std::filesystem::path(TUNEHUB_SOURCE_DIR) / "tests/support/aiter_tune_standin.py", script,
        std::filesystem::copy_options::skip_existing);
  }
  for (const char* file : {"aiter/__init__.py", "aiter/jit/core.py"}) {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << "";
  }
  std::filesystem::create_directories(root / "aiter/configs");
}

}  // namespace tunehub::test
