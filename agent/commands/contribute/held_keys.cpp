#include "agent/commands/contribute/held_keys.h"

#include <fmt/core.h>

#include "agent/commands/contribute/contribution.h"

namespace tunehub::agent {

core::Status HeldKeys::Add(const core::Family& family, const core::Targets& targets,
                           const std::string& name, std::string_view csv) {
  const auto table = ReadRows(family, targets, csv);
  if (!table.ok()) return core::Error{table.error().code, name + ": " + table.error().detail};
  for (const core::RowIssue& issue : table->rejected) {
    unreadable_.push_back(fmt::format("{}:{}: {}: {}; what key it holds is not known", name,
                                      issue.line, issue.column, issue.detail));
  }
  for (const core::Row& row : table->rows) {
    holders_.emplace(row.key, KeyHolder{name, row.source_line, row.us});
  }
  return core::Ok();
}

const KeyHolder* HeldKeys::Find(const core::Hash128& key) const {
  const auto found = holders_.find(key);
  return found == holders_.end() ? nullptr : &found->second;
}

}  // namespace tunehub::agent
