// Files of shapes that were missed, which engines write themselves: AITER's of AITER_TUNE_GEMM_DIR
// (a tuner's input, rows repeated by ranks) and PyTorch TunableOp's ("op,params" lines).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/misses/miss_log.h"
#include "core/row/row.h"

namespace tunehub::core {

// Ends in .csv and says "untuned", as both engines name them.
bool IsUntunedFileName(std::string_view path);

// A line of TunableOp's, by which a file of any name is known as its.
bool IsTunableList(std::string_view first_line);

struct UntunedFile {
  std::vector<MissShape> shapes;  // each once, with its count, in the file's order
  std::uint64_t rows = 0;         // that are counted in them
  // Rows that nobody can read. The last row of a table counts without its line end too, if it has
  // all its columns: editors leave that end out. TunableOp's list is written by a process alone, so
  // a last line without its end may be half a number (torn_line).
  std::vector<RowIssue> unread;
};

// TunableOp's where the first line is one of its, else AITER's: `path` says which family's, as
// "untuned" stands where the tuned table's name has "tuned"; `options` say it where the name does
// not, and the target. `device` is that of TunableOp's shapes. Errors: unknown_family; those of
// ReadUntunedTable, with the path before them.
Result<UntunedFile> ReadUntunedFile(const Families& families, std::string_view path,
                                    std::string_view bytes, const MissLogOptions& options,
                                    std::string_view device = {});

}  // namespace tunehub::core
