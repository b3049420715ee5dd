// A reader is an engine that reads tuned configs from its own files. One JSON file in
// configs/readers/ describes each reader, with all names and folders of the engine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/families.h"

namespace tunehub::core {

// The text of a place in a path.
enum class PlaceForm {
  kCell,     // the column's cell: an integer in decimal, a gfx, or a word without , = and /
  kVersion,  // "3_4_0" for "3.4.0"
  kSizes,    // "N8=512-N16=256": named sizes
  kLower,    // the cell in lower case, - as _
  kName,     // any text without /
};

struct NamePlace {
  std::size_t column = kNoColumn;  // a column of the store's family
  PlaceForm form = PlaceForm::kCell;
  std::string before;  // the literal text before the place
};

// One part of a name: ",block_shape=[{block_n},{block_k}]". A path contains an optional part if a
// cell in that part differs from the family's default.
struct NamePart {
  std::string text;  // copied from the reader's file
  std::vector<NamePlace> places;
  std::string end;  // the literal text after the last place
  bool optional = false;
  // cells that follow from an optional part without a place
  std::map<std::size_t, std::string> sets;
};

// A form of a store's file names. The first form that fits a row gives the name of the row's file.
struct NameForm {
  std::map<std::size_t, std::string> sets;  // cells of every row with this form
  // the form is only for rows with one of these values
  std::map<std::size_t, std::vector<std::string>> when;
  std::vector<NamePart> parts;  // parts of the path below the config folder
};

enum class BodyKind {
  kMembersByM,  // {"1": {...}, "2": {...}}
  kBuckets,     // {"M_LEQ_16": {...}, "any": {...}}
  kTunable,     // TunableOp's lines (core/readers/tunable_file.h)
  kWhole,       // any JSON object: the file is one row
};

enum class LookupRule { kNearest, kSmallestBound, kExact };

// A member that describes the whole file.
struct FileMember {
  std::string name;    // "triton_version"
  std::string column;  // the column that stores the member; "": skip the file
  std::string prefix;  // "triton="
  std::string why;     // why WriteBody omits the member: "raises in vLLM before ..."
};

// A line of the reader's log that names files (core/misses/engine_lines.h).
struct ReaderLine {
  std::string mark;  // a part of the line that few other lines contain; searches use it
  std::string line;
};

// How the engine searches for a file, in one state (a range of versions).
struct LookupState {
  std::string name;  // when the state began: "2026-09"
  // The columns in the names of special files, in the lookup's order.
  std::vector<std::vector<std::size_t>> specials;
  // layouts, in the order in which the engine searches for the default file
  std::vector<std::vector<std::string>> searches;

  bool Reads(std::string_view layout) const;
};

using Reasons = std::map<std::string, std::string, std::less<>>;  // by word

// The words that a name's column may contain in known states of the engine.
struct NameWords {
  std::size_t column = kNoColumn;
  // words that a state searches for; empty: any word except those of `never`
  std::vector<std::string> asked;
  Reasons noted;  // notes on words that at least one state searches for
  Reasons never;  // words that no state searches for, with reasons
};

// Files that the engine reads but no store supports.
struct UnsupportedFiles {
  std::string title;               // "LoRA kernels"
  std::vector<std::string> parts;  // each file's path contains one of these
  std::string why;
  std::vector<ReaderLine> misses, hits;
};

// A line of the engine's log about tuned files in general.
struct LogRemark {
  std::string mark;  // a part of the line
  std::string says;  // the line's meaning
};

struct ReaderStore {
  const Family* family = nullptr;
  std::string title;
  // Config folders below site-packages, the newest state first. `install` writes to the first
  // folder that exists. In a checkout, these folders may be below another folder, such as python/.
  std::vector<std::string> packages;
  bool variable = false;  // the reader's variable may also name its folder
  // true: forms match the whole path below the config folder; false: only its end
  bool anchored = false;
  std::vector<NameForm> names;
  std::vector<NameWords> words;
  BodyKind body = BodyKind::kMembersByM;
  int indent = 4;  // the indent of a file's JSON, as the engine's own tuner writes it
  std::vector<FileMember> file_members;
  LookupRule lookup = LookupRule::kNearest;
  std::size_t member = kNoColumn;  // the column with the members' names: M, bucket
  std::size_t config = kNoColumn, place = kNoColumn, made_with = kNoColumn;
  // the column of the operation, if the lookup's bounds depend on it
  std::size_t op = kNoColumn;
  std::size_t bounds = kNoColumn;    // the column of the file's own M_BOUNDS
  std::vector<std::size_t> special;  // columns that are empty for a default file
  std::size_t layout = kNoColumn;    // the column with the file's layout (its folder)
  std::vector<LookupState> states;   // the newest first; empty: lookups use one path
  // Layouts that newer states do not read, each with its replacement.
  std::map<std::string, std::string, std::less<>> successors;
  std::vector<std::int64_t> ladder;      // the values of M that the engine's own tuner measures
  std::vector<ReaderLine> misses, hits;  // lines about missed files and about found files
  // prefixes of operations, to guess the case of names in lower case
  std::vector<std::string> op_prefixes;
};

struct DeviceRule {
  std::string part;     // if a device's name contains this part between underscores,
  std::string becomes;  // the engine searches for this name instead
  std::string since;    // the engine's first state with this rule
};

struct Reader {
  std::string name;    // "vllm", as in URLs
  std::string engine;  // the cell of the column with role engine
  std::string title;
  std::string source_name;      // the default source of imports
  std::string variable;         // "VLLM_TUNED_CONFIG_FOLDER"; "": none
  std::string variable_folder;  // the folder inside the variable's folder: "configs"; "": none
  bool replaces_all = false;    // if the variable is set, the engine reads no other folder
  std::vector<DeviceRule> devices;
  std::vector<ReaderStore> stores;
  std::vector<UnsupportedFiles> unsupported;
  std::vector<LogRemark> remarks;
  std::string source;  // the file's text

  // Returns null if no store has the family.
  const ReaderStore* StoreOf(const Family& family) const;
  const ReaderStore* StoreOf(std::string_view family) const;
};

class Readers {
 public:
  // Loads every *.json of the folder, sorted by name. Errors: bad_reader (file, JSON pointer,
  // reason).
  static Result<Readers> Load(const TextFolder& folder, const Families& families);
  static Result<Reader> Parse(std::string_view file, std::string_view json,
                              const Families& families);

  const Reader* Find(std::string_view name) const;           // null: unknown
  Result<const Reader*> Named(std::string_view name) const;  // error unknown_reader
  const std::vector<Reader>& all() const { return readers_; }

 private:
  std::vector<Reader> readers_;
};

}  // namespace tunehub::core
