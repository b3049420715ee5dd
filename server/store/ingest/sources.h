// Sources: what one import has that the imports of its source before it had, too, and which import
// is in force. All under the registry's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

namespace tunehub::store {

struct Source {
  int id = 0;
  std::optional<std::int64_t> head;  // the import in force
  std::string owner = {};
};

// Makes the source where it is new: it belongs to `owner` then. `upstream`: the import is; then it
// becomes the owner's, too, where the import in force is not.
Source OpenSource(pqxx::work& transaction, const std::string& name, const std::string& owner,
                  bool upstream);

// What an import repeats.
struct Known {
  std::size_t rows = 0, competing = 0;  // those of them that are not quarantined
  std::vector<std::int64_t> back;       // measurements that the import before it lacked
};

// Takes the rows that the source has had out of the stage, and notes of each row of the source
// whether `run` has it. Nothing of `run` may be among its measurements yet.
Known TakeKnown(pqxx::work& transaction, const Source& source, std::int64_t run);

// Rows of (family, gfx, cu_num): whose rows come or go where that import of the source is reverted.
pqxx::result TargetsOfRevert(pqxx::work& transaction, const std::string& source, std::int64_t run);

// Takes a run of a source out of its order of imports; the keys whose rows that may change are
// touched.
void RevertImport(pqxx::work& transaction, const std::string& source, std::int64_t run);

// Puts the latest import that was not reverted in force.
void MoveHead(pqxx::work& transaction, const std::string& source);

// Touches the keys of which either import has a row that the other lacks.
void TouchMoved(pqxx::work& transaction, const Source& source, std::int64_t run);

}  // namespace tunehub::store
