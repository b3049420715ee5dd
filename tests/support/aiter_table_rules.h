// Restates AITER's own tests of tables, op_tests/tuning_tests/test_csv_validation.py, and what its
// code generators refuse (op_tests/test_gemm_codegen.py).
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/standin_tree.h"

namespace tunehub::test {

// Reads default files only, as AITER's test does. Each failure is one line: "bf16: 242 rows with us
// <= 0". An older form of AITER's test leaves the architecture out of its key.
std::vector<std::string> TableTestFailures(const std::filesystem::path& configs,
                                           bool key_has_gfx = false);

// A build for these targets stops at a row whose kernel is not in the module's list, by name or
// (some modules) by number: "gemm_a8w8: 3 rows". It also stops at files without gfx.
std::vector<std::string> CodegenFailures(const std::filesystem::path& configs, StandinTree& tree,
                                         const std::vector<std::pair<std::string, int>>& targets);

}  // namespace tunehub::test
