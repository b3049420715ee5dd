// Files that an engine looked for and did not find: whether rows are there for them, or for their
// like. Pure.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/family/families.h"
#include "core/family/targets.h"
#include "core/misses/file_misses.h"

namespace tunehub::agent {

// Whose rows there are, the file's own first.
enum class FileLike { kOwn, kOtherName, kOtherTriton, kSibling, kOtherEngine, kOtherDevice };

// Rows of one file that differs from the missed one in as little as `like` says.
struct FileMatch {
  FileLike like = FileLike::kOwn;
  std::string engine, device, triton;
  std::size_t rows = 0, measured = 0;  // the others are declared
};

struct ExplainedFile {
  core::MissedFile miss;
  std::vector<FileMatch> matches;  // the nearest first

  // A family has such files, and there are no rows for this one.
  bool lacks_rows() const { return !miss.file.family.empty() && !has_rows(); }
  bool has_rows() const { return !matches.empty() && matches.front().like == FileLike::kOwn; }
};

// What the file's name says of a column of the key; "": nothing.
std::string_view CellNamed(const core::NamedFile& file, std::string_view column);

// The columns that a row shares with the file however it differs: all of the key but engine,
// device, Triton version and M. By name, those that say something.
std::vector<std::pair<std::string, std::string>> SharedKey(const core::Family& family,
                                                           const core::NamedFile& file);

// `lines`: rows of the family, canonical, of any key.
std::vector<FileMatch> MatchesOf(const core::Family& family, const core::Targets& targets,
                                 const core::NamedFile& file, std::span<const std::string> lines);

void PrintExplainedFiles(std::ostream& out, std::span<const ExplainedFile> files, bool looked);
// FilesJson with "rows" (own), "measured" and "matches": [{"like": "sibling", "engine", "device",
// "triton", "rows", "measured"}]; null where nothing was looked for.
nlohmann::ordered_json ExplainedFilesJson(std::span<const ExplainedFile> files, bool looked);

}  // namespace tunehub::agent
