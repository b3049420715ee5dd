// Reads the members of a reader's file as Python does, in their order. Also writes these files.
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
  // The member's name: an M or a bucket. "": the file is an empty object, or the whole file is one
  // row.
  std::string name;
  std::string config;                 // one JSON object without blanks; "{}" if empty
  std::optional<std::int64_t> place;  // index in its file, from 0; nullopt: the usual order
  std::string bounds = {};            // M_BOUNDS of its file, as in kBoundsColumn

  bool operator==(const BodyMember&) const = default;
};

// A finding about one member. `aside`: the reader skips the member.
struct BodyIssue {
  std::string member;  // "": the whole file
  std::string code;
  std::string detail;
  bool aside = false;
};

struct FileBody {
  std::vector<BodyMember> members;  // in the file's order
  std::string made_with;            // "triton=3.3.0"; "": the file does not name it
  // True for a file of buckets whose members or configs belong to no GEMM. The caller stores such a
  // file as one document.
  bool other_schema = false;
  std::vector<BodyIssue> issues;
};

// Reads a file's members. `op`: the operation of a bucket file, which decides the bounds. An error
// skips the whole file: no_json, not_an_object, bad_m, bad_bounds, file_member. (The engine raises
// an exception for the last three.) An issue concerns one member: duplicate_member, odd_m,
// twice_in_config, bad_config, not_an_object, never_selected, unknown_member, unknown_bound,
// file_member, empty_object.
Result<FileBody> ReadBody(const ReaderStore& store, std::string_view bytes,
                          std::string_view op = "");

// Returns the member that a row's cells describe.
BodyMember MemberOf(const ReaderStore& store, const Cells& cells);
// Writes a file as the engine's tuner does. If all members have a place, sorts them by place.
// Otherwise sorts them in the usual order.
std::string WriteBody(const ReaderStore& store, std::vector<BodyMember> members);

// Returns the members as a Python dict has them: a repeated member has its first place and its last
// value. If `twice` is given, it receives the names of repeated members.
std::vector<JsonMember> AsDict(std::vector<JsonMember> members, std::vector<std::string>* twice);

// Parses a number as Python's int() does: surrounding blanks, a sign, and single underscores
// between digits are allowed. Returns nullopt if Python would raise an exception. Unlike Python,
// refuses digits of other scripts.
std::optional<std::int64_t> PythonInt(std::string_view text);

}  // namespace tunehub::core
