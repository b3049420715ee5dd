// What an import is made from, as one digest: a hub that has it needs neither the files nor what
// is read in them.
#pragma once

#include <string>
#include <string_view>

namespace tunehub::agent {

class MadeFrom {
 public:
  // `how`: what becomes of the files. This program's build is a part of it.
  explicit MadeFrom(std::string_view how);

  void Add(std::string_view name, std::string_view bytes);
  std::string Digest() const;  // SHA-256, hex; "": nobody knows which build of the program this is

 private:
  std::string list_;
};

}  // namespace tunehub::agent
