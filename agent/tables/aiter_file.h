// One file of AITER's tuned tables: which it is by the names that upstream gives, rows put behind
// its own, and what AITER would say of it then.
#pragma once

#include <map>

#include "agent/tables/contribution.h"
#include "core/family/families.h"

namespace tunehub::agent {

// A family's files by name, inside the configs folder.
using FamilyTexts = std::map<std::string, std::string>;

// Errors: bad_model_name (a character that no file of upstream's has, "untuned", which AITER passes
// over, or a word that makes the name another family's).
core::Status CheckModelName(const core::Families& families, const core::Family& family,
                            std::string_view model);
// The file for a row of the model. Where the tree has none, a new one with the token last, as
// AITER's code generators match it: "model_configs/dsv3_bf16_tuned_gemm.csv". Names are compared
// without case, and '-', '.' and '_' are one. Error ambiguous_file: several are the model's.
core::Result<std::string> FileForModel(const core::Family& family, std::string_view model,
                                       const core::Cells& cells, const FamilyTexts& tree);
// Of a file that was named: that AITER reads it for the family, and for no other. Errors:
// bad_file_name, with the rule.
core::Status CheckFileName(const core::Families& families, const core::Family& family,
                           std::string_view name);

// Makes `file.bytes` of `file.before` and the rows, in its own columns: a row with a line goes in
// that line's place, the others behind all. A fresh file has the family's columns. A row that needs
// a column that the table lacks is left out: AITER fills an absent one with 0, and gfx from the CU
// count. Errors: those of MapHeader.
core::Status PutRows(const core::Targets& targets, const std::vector<ContributedRow>& rows,
                     ContributedFile& file, std::vector<LeftOut>& left_out);

// `texts` are as they would be: AITER's merge raises at a key that two rows have, its test of the
// default files fails on times and errors. Errors: guard_failed, with the guard, file and row.
core::Status HoldAgainstGuards(const Configuration& configuration, const ContributedFile& file,
                               const FamilyTexts& texts);

}  // namespace tunehub::agent
