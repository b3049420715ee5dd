// The three texts of a row's identity. A key is family + target + shape + tag; a candidate is what
// ran.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/family/family.h"

namespace tunehub::core {

// The canonical text of the key: the family's name, then every key column as length-prefixed name
// and value; columns at their unconditional default are left out, so that a column that a family
// gains later does not change the keys there were. Its HashOf is the key in the database.
void AppendKeyText(std::string& out, const Family& family, const Cells& cells);

// Bytes whose memcmp order is the order of the served rows: integers as integers, enum columns in
// the order of the family file (values it does not list behind them, by text), everything else by
// text; an empty cell before all. Equal bytes mean equal keys.
void AppendOrderKey(std::string& out, const Family& family, const Cells& cells);
// The same for who has read them already: `integers` by column, of integer cells that are not
// empty.
void AppendOrderKey(std::string& out, const Family& family, const Cells& cells,
                    std::span<const std::int64_t> integers);

// The canonical text of the candidate: config columns by Identity, length-prefixed.
void AppendCandidateText(std::string& out, const Family& family, const Cells& cells);

}  // namespace tunehub::core
