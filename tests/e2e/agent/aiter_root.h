// A tree that looks like AITER's checkout, with tests/support/aiter_tune_standin.py for its script.
#pragma once

#include <filesystem>
#include <fstream>

#include "build_info.h"

namespace tunehub::test {

inline void MakeAiterRoot(const std::filesystem::path& root) {
  const auto script = root / "csrc/ck_gemm_a8w8/gemm_a8w8_tune.py";
  std::filesystem::create_directories(script.parent_path());
  std::filesystem::copy_file(
      std::filesystem::path(TUNEHUB_SOURCE_DIR) / "tests/support/aiter_tune_standin.py", script);
  for (const char* file : {"aiter/__init__.py", "aiter/jit/core.py"}) {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << "";
  }
  std::filesystem::create_directories(root / "aiter/configs");
}

}  // namespace tunehub::test
