// The keys that the tables of a tree, or of an open pull request, hold already.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash128.h"
#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"

namespace tunehub::agent {

struct KeyHolder {
  std::string file;
  std::size_t line = 0;
  double us = 0;  // NaN: none
};

class HeldKeys {
 public:
  // The first file that has a key holds it. Errors: those of ReadTunedTable, with `name` before
  // them.
  core::Status Add(const core::Family& family, const core::Targets& targets,
                   const std::string& name, std::string_view csv);
  // Null: nobody has it.
  const KeyHolder* Find(const core::Hash128& key) const;
  // Rows whose key nobody can tell, as they are said.
  const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  std::vector<std::string> unreadable_;
  std::map<core::Hash128, KeyHolder> holders_;
};

}  // namespace tunehub::agent
