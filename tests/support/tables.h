// Reads small tables, and formats readings as texts that tests compare.
#pragma once

#include <string>
#include <string_view>

#include "core/table/tuned_table.h"

namespace tunehub::test {

// Throws if the file is refused.
core::TunedTable ReadTable(std::string_view family, std::string_view csv,
                           const core::ReadOptions& options = {});

// All lines of the table in order, each with a line feed.
std::string Lines(const core::TunedTable& table);

// The rejected rows, each as LINE COLUMN CODE: "2 M not_an_integer; 5  ragged_row" (no column: the
// whole row is bad).
std::string Rejections(const core::TunedTable& table);
// The warnings in the same form.
std::string Warnings(const core::TunedTable& table);

// "code: detail" of the refusal; "" if the file is accepted.
std::string Refusal(std::string_view family, std::string_view csv,
                    const core::ReadOptions& options = {});

}  // namespace tunehub::test
