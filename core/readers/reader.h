// A reader: an engine's way to lay tuned rows out as files, described by one JSON file in
// configs/readers/. Nothing else in the program knows an engine's names or folders.
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

// What a part of a path is filled with, between literal texts.
enum class PlaceForm {
  kCell,     // the column's cell: an integer in decimal, a gfx, or a word without , = and /
  kVersion,  // "3_4_0" for "3.4.0"
  kSizes,    // "N8=512-N16=256": sizes with names of their own
  kLower,    // the cell in lower case, - as _
  kName,     // all that a name of a file may hold
};

struct NamePlace {
  std::size_t column = kNoColumn;  // of the store's family
  PlaceForm form = PlaceForm::kCell;
  std::string before;  // the literal text before it; the place itself is missing where column is
                       // kNoColumn
};

// ",block_shape=[{block_n},{block_k}]": an optional part stands in a path where one of its columns
// has another value than its family's default for it.
struct NamePart {
  std::string text;  // as the file has it
  std::vector<NamePlace> places;
  std::string end;  // the literal text behind the last place
  bool optional = false;
  std::map<std::size_t, std::string> sets;  // what an optional part without a place says
};

// One of a store's ways to name a file. The first that can name a row names it.
struct NameForm {
  std::map<std::size_t, std::string> sets;               // columns that follow from the form
  std::map<std::size_t, std::vector<std::string>> when;  // the values that it is for
  std::vector<NamePart> parts;                           // of the path below the config folder
};

enum class BodyKind {
  kMembersByM,  // {"1": {...}, "2": {...}}
  kBuckets,     // {"M_LEQ_16": {...}, "any": {...}}
  kTunable,     // TunableOp's lines (core/readers/tunable_file.h)
  kWhole,       // any JSON object: the file is one row
};

enum class LookupRule { kNearest, kSmallestBound, kExact };

// A member that says something of the whole file.
struct FileMember {
  std::string name;    // "triton_version"
  std::string column;  // what it is kept in; "": such a file cannot be read
  std::string prefix;  // "triton="
  std::string why;     // "raises in vLLM before ...": why it is not written
};

// A line of the reader's log that names files (core/misses/engine_lines.h).
struct ReaderLine {
  std::string mark;  // a part that hardly any other line holds: a log is searched for it
  std::string line;
};

// How a state of the engine looks for a file.
struct LookupState {
  std::string name;  // "2026-09": since when
  // By which columns a special file is looked for, one after the other.
  std::vector<std::vector<std::size_t>> specials;
  std::vector<std::vector<std::string>> searches;  // layouts, in the order a default is looked for

  bool Reads(std::string_view layout) const;
};

using Reasons = std::map<std::string, std::string, std::less<>>;  // by word

// What a column of a name may say, as far as states of the engine are known.
struct NameWords {
  std::size_t column = kNoColumn;
  std::vector<std::string> asked;  // empty: any word but `never`
  Reasons noted;                   // of words that are asked for: what to know
  Reasons never;                   // words that no state asks for: why
};

// Files that the engine reads and no store takes.
struct UnsupportedFiles {
  std::string title;               // "LoRA kernels"
  std::vector<std::string> parts;  // one of them is in the path of each such file
  std::string why;
  std::vector<ReaderLine> misses, hits;
};

// A line of the engine's log about tuned files in general.
struct LogRemark {
  std::string mark;  // that the line holds
  std::string says;
};

// One kind of a reader's files.
struct ReaderStore {
  const Family* family = nullptr;
  std::string title;
  // Where the config folder lies below site-packages, the newest state first; `install` writes to
  // the first that exists. In a checkout a folder such as python/ may stand before it.
  std::vector<std::string> packages;
  bool variable = false;  // the reader's variable names its folder too
  bool anchored = false;  // a path counts from the config folder; else by its last parts
  std::vector<NameForm> names;
  std::vector<NameWords> words;
  BodyKind body = BodyKind::kMembersByM;
  int indent = 4;  // of a file, as the engine's own tuner writes it
  std::vector<FileMember> file_members;
  LookupRule lookup = LookupRule::kNearest;
  std::size_t member = kNoColumn;  // the column that a file's members are named by: M, bucket
  std::size_t config = kNoColumn, place = kNoColumn, made_with = kNoColumn;
  std::size_t op = kNoColumn;        // by which the family's lookup has bounds of its own
  std::size_t bounds = kNoColumn;    // what a file says of its own bounds
  std::vector<std::size_t> special;  // all empty in a default file
  std::size_t layout = kNoColumn;    // the column that says where a file lies
  std::vector<LookupState> states;   // the newest first; empty: a path is looked for as it is
  // By a layout that newer states do not read the one that takes its place.
  std::map<std::string, std::string, std::less<>> successors;
  std::vector<std::int64_t> ladder;      // M of the engine's own tuner
  std::vector<ReaderLine> misses, hits;  // a file was looked for and not found, or found
  std::vector<std::string> op_prefixes;  // how an op begins whose name is known in lower case
};

struct DeviceRule {
  std::string part;     // a device whose name has this part between underscores ...
  std::string becomes;  // ... is asked for by this name
  std::string since;    // the state of the engine that does so
};

struct Reader {
  std::string name;    // "vllm", as in URLs
  std::string engine;  // the cell of role engine
  std::string title;
  std::string source_name;      // of an import that names no other
  std::string variable;         // "VLLM_TUNED_CONFIG_FOLDER"; "": none
  std::string variable_folder;  // what must lie in the variable's folder: "configs"; "": the files
  bool replaces_all = false;    // where the variable is set nothing else is read
  std::vector<DeviceRule> devices;
  std::vector<ReaderStore> stores;
  std::vector<UnsupportedFiles> unsupported;
  std::vector<LogRemark> remarks;
  std::string source;  // the file's text

  // Null: it has none of the family.
  const ReaderStore* StoreOf(const Family& family) const;
  const ReaderStore* StoreOf(std::string_view family) const;
};

class Readers {
 public:
  // Every *.json of the folder, by name. Error bad_reader: file, JSON pointer, reason.
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
