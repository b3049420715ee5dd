// PyTorch TunableOp's file of results as PyTorch reads it (seen with 2.11): line by line, split at
// every comma. What PyTorch passes over, or no lookup of its finds, is an issue.
//
//   Validator,PT_VERSION,2.11.0
//   GemmTunableOp_float_NN,nn_50_33_70_ld_50_70_50,Gemm_Rocblas_1216,0.0123
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/row/tunable_line.h"

namespace tunehub::core {

// Where TunableOp's files lie, and the names that PyTorch opens them by.
inline constexpr std::string_view kTunableReader = "tunableop";  // in configs/readers
// PyTorch puts the number of the GPU in the place of %d.
inline constexpr std::string_view kTunableFileName = "tunableop_results%d.csv";
inline constexpr std::string_view kGpuNumber = "%d";
inline constexpr int kTunableDevices = 8;         // GPUs of one host, for which a file lies there
inline constexpr int kMostTunableDevices = 1000;  // their numbers have three digits

// What PyTorch opens for `name` on the GPU of that number: in the place of %d, else before the last
// dot, else at the end.
std::string TunableFileName(std::string_view name, int device);

struct TunablePlace {
  std::string device;      // "" where nobody named it
  std::string validators;  // ValidatorsText of the set
};

// "NVIDIA_H200/PT_VERSION=2.11.0/tunableop_results%d.csv"; without a device two parts. A slash in a
// part is %2F.
std::string TunablePathOf(const TunablePlace& place);

// Also with a number, or with nothing, in the place of %d. Errors: bad_file_name, with the part and
// its position.
Result<TunablePlace> ParseTunablePath(std::string_view path);

inline constexpr std::string_view kDefaultSolution = "Default";  // what runs untuned

struct TunableRow {
  TunableShape shape;
  std::string solution;     // kDefaultSolution, "Gemm_Rocblas_1216", "Gemm_Hipblaslt_220"
  std::string ms;           // as it came; "" where the row has none
  std::string blas_params;  // the fifth field and all behind it, with their commas; "" mostly
  std::size_t line = 0;     // of the file, from 1
};

struct TunableIssue {
  std::size_t line = 0;  // from 1; 0: the whole file
  std::string code;
  std::string detail;
};

struct TunableFile {
  Validators validators;
  std::vector<TunableRow> rows;       // the first of each shape, in the file's order
  std::vector<TunableShape> untuned;  // lines of a shape alone, which PyTorch passes over
  // Codes: refused_file (PyTorch takes nothing of it: `rows` is empty), bad_validator,
  // repeated_validator, carriage_return, not_a_row, untuned_line, not_asked, bad_solution,
  // repeated_row, bad_time, pattern (stays among the rows, without a time of its own).
  std::vector<TunableIssue> issues;
};

TunableFile ReadTunableFile(std::string_view bytes);

// The time that the row was measured at; "": none, as a pattern's, which nobody has measured.
std::string MicrosecondsOf(const TunableRow& row);

// The validators by name, then the rows in the order given.
std::string WriteTunableFile(const Validators& validators, const std::vector<TunableRow>& rows);

}  // namespace tunehub::core
