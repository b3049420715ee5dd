// Reads TunableOp's file of results as PyTorch 2.11 does. It reads line by line and splits each
// line at every comma. Reports an issue for each line that PyTorch ignores or never looks up.
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

inline constexpr std::string_view kTunableReader = "tunableop";  // in configs/readers
// PyTorch replaces %d by the GPU's number.
inline constexpr std::string_view kTunableFileName = "tunableop_results%d.csv";
inline constexpr std::string_view kGpuNumber = "%d";
inline constexpr int kTunableDevices = 8;         // GPUs of one host, each with a file
inline constexpr int kMostTunableDevices = 1000;  // numbers have at most three digits

// The file that PyTorch opens for `name` on a GPU. The GPU's number replaces %d; without %d, it
// goes before the last dot, or else at the end.
std::string TunableFileName(std::string_view name, int device);

struct TunablePlace {
  std::string device;      // "": unknown
  std::string validators;  // ValidatorsText of the file's validators
};

// "NVIDIA_H200/PT_VERSION=2.11.0/tunableop_results%d.csv". Without a device, the path has two
// parts. TunablePathOf writes a slash within a part as %2F.
std::string TunablePathOf(const TunablePlace& place);

// The inverse of TunablePathOf. In the path, a number or nothing may replace %d. Errors:
// bad_file_name, with the faulty part and its position.
Result<TunablePlace> ParseTunablePath(std::string_view path);

inline constexpr std::string_view kDefaultSolution = "Default";  // runs without tuning

struct TunableRow {
  TunableShape shape;
  std::string solution;     // kDefaultSolution, "Gemm_Rocblas_1216", "Gemm_Hipblaslt_220"
  std::string ms;           // copied from the file; empty if the row has no time
  std::string blas_params;  // the fields from the fifth on, with commas; mostly ""
  std::size_t line = 0;     // line number in the file, from 1
};

struct TunableIssue {
  std::size_t line = 0;  // from 1; 0: the whole file
  std::string code;
  std::string detail;
};

struct TunableFile {
  Validators validators;
  std::vector<TunableRow> rows;       // the first row of each shape, in the file's order
  std::vector<TunableShape> untuned;  // lines without a solution, which PyTorch ignores
  // Codes: refused_file (PyTorch ignores the file, and `rows` is empty), bad_validator,
  // repeated_validator, carriage_return, not_a_row, untuned_line, not_asked, bad_solution,
  // repeated_row, bad_time, pattern (a row without a time).
  std::vector<TunableIssue> issues;
};

TunableFile ReadTunableFile(std::string_view bytes);

// The row's time; "" if the row has no time. A pattern has no time of its own, because the written
// time belongs to several shapes.
std::string MicrosecondsOf(const TunableRow& row);

// Writes the validators by name, then the rows in the given order.
std::string WriteTunableFile(const Validators& validators, const std::vector<TunableRow>& rows);

}  // namespace tunehub::core
