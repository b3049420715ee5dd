// The bytes of one of a reader's files, and its members: as Python reads them, in their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/read_json.h"
#include "core/base/result.h"
#include "core/readers/reader.h"

namespace tunehub::core {

struct BodyMember {
  // The M or the bucket; "": the file is an empty object, or one row as a whole.
  std::string name;
  std::string config;                 // one JSON object without blanks; of an empty object "{}"
  std::optional<std::int64_t> place;  // in its file, from 0, where that is not the usual order
  std::string bounds = {};            // of the file that it is from, as kBoundsColumn has them

  bool operator==(const BodyMember&) const = default;
};

// What is to be said of one member. `aside`: it is no member of the reading.
struct BodyIssue {
  std::string member;  // "": the whole file
  std::string code;
  std::string detail;
  bool aside = false;
};

struct FileBody {
  std::vector<BodyMember> members;  // in the file's order
  std::string made_with;            // "triton=3.3.0"; "": the file does not say
  // Of buckets: it has members or configs that no GEMM has, and is not to be taken apart.
  bool other_schema = false;
  std::vector<BodyIssue> issues;
};

// `op`: of a bucket file, which decides the bounds. Errors refuse the whole file: no_json,
// not_an_object, and, where the engine raises, bad_m, bad_bounds and file_member. Codes of issues:
// duplicate_member, odd_m, twice_in_config, bad_config, not_an_object, never_selected,
// unknown_member, file_member, empty_object.
Result<FileBody> ReadBody(const ReaderStore& store, std::string_view bytes,
                          std::string_view op = "");

// Of a row's cells.
BodyMember MemberOf(const ReaderStore& store, const Cells& cells);
// As the engine's own tuner writes it: by place where all have one, else in the usual order.
std::string WriteBody(const ReaderStore& store, std::vector<BodyMember> members);

// How Python reads what a JSON text has twice, and which texts its int() takes.

// A member that comes again has its last value in its first place; `twice`, if given, gets the name
// of each that does.
std::vector<JsonMember> AsDict(std::vector<JsonMember> members, std::vector<std::string>* twice);

// int(): blanks around it, a sign, and single underscores between digits are allowed. Nothing where
// Python raises; digits of other scripts, which Python takes, are none here.
std::optional<std::int64_t> PythonInt(std::string_view text);

}  // namespace tunehub::core
