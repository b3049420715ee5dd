// AITER's own rules for tables, written again: its test
// op_tests/tuning_tests/test_csv_validation.py, and the rows that its code generators refuse
// (op_tests/test_gemm_codegen.py).
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/standin_tree.h"

namespace tunehub::test {

// Reads only default files, as AITER's test does. Returns one line per failure: "bf16: 242 rows
// with us <= 0". An older version of AITER's test omits the architecture from its key.
std::vector<std::string> TableTestFailures(const std::filesystem::path& configs,
                                           bool key_has_gfx = false);

// A build for these targets stops at a row whose kernel is not in the module's list. The row names
// the kernel, or in some modules has its number: "gemm_a8w8: 3 rows". A build also stops at files
// without gfx.
std::vector<std::string> CodegenFailures(const std::filesystem::path& configs, StandinTree& tree,
                                         const std::vector<std::pair<std::string, int>>& targets);

}  // namespace tunehub::test
