// All families of one folder, by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/family.h"

namespace tunehub::core {

class Families {
 public:
  // Every *.json of the folder, in the order of their names. Errors: bad_family (also where two
  // files claim one name, file token or untuned file).
  static Result<Families> Load(const TextFolder& folder);

  const Family* Find(std::string_view name) const;  // null: unknown
  // The same for a person's word. Error unknown_family: lists the names.
  Result<const Family*> Named(std::string_view name) const;
  // Whose rows are the lines of tables that no family file describes; null: there is none.
  const Family* Unlisted() const;
  const std::vector<std::shared_ptr<const Family>>& all() const { return families_; }
  std::string Names() const;  // "a4w4_blockscale, a8w8, ...", for error messages

 private:
  std::vector<std::shared_ptr<const Family>> families_;
};

}  // namespace tunehub::core
