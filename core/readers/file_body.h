// Reads the members of a reader's file as Python does, in their order, and writes such a file.
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
  // The M or the bucket; "": the file is an empty object, or the whole file is one row.
  std::string name;
  std::string config;                 // one JSON object without blanks; of an empty object "{}"
  std::optional<std::int64_t> place;  // the place in its file, from 0; nullopt: the usual order
  std::string bounds = {};            // M_BOUNDS of its file, as in kBoundsColumn

  bool operator==(const BodyMember&) const = default;
};

// A finding about one member. `aside`: the member is skipped.
struct BodyIssue {
  std::string member;  // "": the whole file
  std::string code;
  std::string detail;
  bool aside = false;
};

struct FileBody {
  std::vector<BodyMember> members;  // in the file's order
  std::string made_with;            // "triton=3.3.0"; "": the file does not say
  // A file of buckets with members or configs that no GEMM has; the caller keeps it whole.
  bool other_schema = false;
  std::vector<BodyIssue> issues;
};

// `op`: of a bucket file; it decides the bounds. Errors skip the whole file: no_json,
// not_an_object; and bad_m, bad_bounds, file_member, for which the engine raises. Codes of issues:
// duplicate_member, odd_m, twice_in_config, bad_config, not_an_object, never_selected,
// unknown_member, unknown_bound, file_member, empty_object.
Result<FileBody> ReadBody(const ReaderStore& store, std::string_view bytes,
                          std::string_view op = "");

// The member that a row's cells hold.
BodyMember MemberOf(const ReaderStore& store, const Cells& cells);
// A file as the engine's tuner writes it: by place if all members have one, else in usual order.
std::string WriteBody(const ReaderStore& store, std::vector<BodyMember> members);

// The members of a Python dict: a repeated member has its last value, in its first place. `twice`,
// if given, gets the names of repeated members.
std::vector<JsonMember> AsDict(std::vector<JsonMember> members, std::vector<std::string>* twice);

// The number that Python's int() reads: blanks around it, a sign, and single underscores between
// digits are allowed. Nullopt: Python raises. Unlike Python it refuses digits of other scripts.
std::optional<std::int64_t> PythonInt(std::string_view text);

}  // namespace tunehub::core
