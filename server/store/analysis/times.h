// Times as analysis needs them.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/hash128.h"
#include "core/row/standing.h"

namespace tunehub::store {

// A candidate that competes for a key, with a time that can be believed.
struct TimeRecord {
  core::Hash128 key;
  std::string gfx;
  int cu_num = 0;
  double us = 0;
  std::string line;
  int family_version = 0;
  bool is_default = false;  // the agent says: what runs where nobody has tuned
  bool won = false;         // it holds the key
  std::string campaign;     // of its run; "": none
};

// A measurement of a run, whatever became of it.
struct RunTimeRecord {
  std::string gfx;
  int cu_num = 0;
  core::Hash128 candidate;
  double us = 0;  // NaN: none
  core::Standing standing = core::Standing::kMeasured;
  std::string line;
  int family_version = 0;
};

}  // namespace tunehub::store
