// All families of one folder, found by name.
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
  // Loads every *.json of the folder, sorted by name. Errors: bad_family, also if two files have
  // the same name, `token` or untuned file.
  static Result<Families> Load(const TextFolder& folder);

  const Family* Find(std::string_view name) const;  // null: unknown
  // Finds a family for user input. Errors: unknown_family, which lists the names.
  Result<const Family*> Named(std::string_view name) const;
  // Returns the family that stores the lines of unlisted tables; null if there is none.
  const Family* Unlisted() const;
  const std::vector<std::shared_ptr<const Family>>& all() const { return families_; }
  std::string Names() const;  // "a4w4_blockscale, a8w8, ...", for error messages

 private:
  std::vector<std::shared_ptr<const Family>> families_;
};

}  // namespace tunehub::core
