#include "core/row/row_identity.h"

#include <string>

#include "core/row/key.h"

namespace tunehub::core {

void Identify(const Family& family, const Cells& cells, Row& row) {
  thread_local std::string text;  // one allocation for all rows
  text.clear();
  AppendKeyText(text, family, cells);
  row.key = HashOf(text);
  text.clear();
  AppendCandidateText(text, family, cells);
  row.candidate = HashOf(text);
}

}  // namespace tunehub::core
