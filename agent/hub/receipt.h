// The hub's receipts, for people.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "agent/hub/batch_file.h"

namespace tunehub::agent {

// "100 rows, 98 accepted, 10 won, ..., revision 7": what of it is in `counts`, zeroes left out.
std::string SummaryOf(const nlohmann::json& counts);

struct ReceiptDetail {
  std::size_t most_rows = 0;  // of each kind
  bool remarks = true;        // also unmeasured rows and warnings
};

// One line, then the rows that the receipt lists, by their lines in the file that the batch came
// from.
void PrintReceipt(std::ostream& out, const BatchHeader& header, const nlohmann::json& receipt,
                  const ReceiptDetail& detail);

// Rows were rejected or quarantined.
bool HasFindings(const nlohmann::json& receipt);

std::size_t Count(const nlohmann::json& json, const char* member);  // 0 where there is none

}  // namespace tunehub::agent
