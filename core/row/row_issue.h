// One remark about one row.
#pragma once

#include <cstddef>
#include <string>

namespace tunehub::core {

// `column` is empty where the whole row is meant.
struct RowIssue {
  std::size_t line = 0;  // of the file, from 1
  std::string column;
  std::string code;
  std::string detail;
};

}  // namespace tunehub::core
