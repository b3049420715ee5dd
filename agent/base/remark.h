// One remark about one row of one file, and how lists of them are shown.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/table/tuned_table.h"

namespace tunehub::agent {

struct Remark {
  std::string file;
  core::RowIssue issue;
};

// One line per code with its count, then its first rows ("file:line: column: detail"); all of them
// with `most` = kAllRows. Nothing for an empty list.
//   rejected not_an_integer: 2
//     a.csv:3: M: 'x' is no integer
inline constexpr std::size_t kFewRows = 5;
inline constexpr std::size_t kAllRows = ~std::size_t{0};
void PrintByCode(std::ostream& out, std::string_view what, const std::vector<Remark>& remarks,
                 std::size_t most);

nlohmann::ordered_json ToJson(const Remark& remark);
nlohmann::ordered_json ToJson(const std::vector<Remark>& remarks);

}  // namespace tunehub::agent
