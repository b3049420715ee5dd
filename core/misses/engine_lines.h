// Reads, from an engine's log, the config files that the engine searched for. The grammar in the
// reader's file (configs/readers) parses a config file's name into a shape key.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

// A log line that names files: "Config file not found at {path}, you can create them with". A path
// ends in .json and may contain blanks and commas. LineTemplate cannot read such a path as one
// word.
class PathLine {
 public:
  // Parses a template. Text may follow the last place. Places:
  // * "{path}": a path
  // * "{paths}": one or several paths ("a, b" or Python's list of strings)
  // * "{used}": the path of the file that the engine read instead
  // * "{}": a word
  // Errors: bad_template for these faults: no text before the first place or between two places, no
  // path, an unknown name, an open brace.
  static Result<PathLine> Parse(std::string_view text);

  struct Paths {
    std::vector<std::string_view> missed;
    std::string_view used;  // "": the line has no {used}
  };
  // True if `text` begins with this line.
  bool Match(std::string_view text, Paths& paths) const;

  const std::string& head() const { return texts_.front(); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  enum class Place { kPath, kPaths, kUsed, kWord };

  // Removes the path or paths at the beginning of `text`; false if there is none.
  static bool TakePlace(Place place, std::string_view& text, Paths& paths);

  std::vector<std::string> texts_;  // one more than places_; the last may be empty
  std::vector<Place> places_;
};

// A config file, identified by its name. A miss is about the whole file, not about one M.
struct NamedFile {
  std::string reader;  // "vllm"
  std::string family;  // "": no grammar parses the name; `path` is then the whole path
  std::string path;    // below the reader's folder of configs: "triton_3_5_1/E=...json"
  std::vector<std::pair<std::string, std::string>> key;  // the family's columns
  std::string member;                // the column whose value differs between a file's members: "M"
  std::vector<std::int64_t> ladder;  // the values of `member` that the reader's tuner measures
};

struct MissedFile {
  NamedFile file;
  // the file that the engine read instead, as a path; "": none
  std::string used;
  std::uint64_t count = 0;              // lines, summed over all ranks
  std::vector<std::string> asked = {};  // the whole paths in the first such line
  bool found = false;                   // the line says that the engine found the file
};

// A line of an engine's log, and the parser for the paths in that line.
struct FileLine {
  std::string mark, line;  // copied from the reader's file
  std::string reader;
  bool hit = false;                   // the line names a file that the engine found
  std::vector<std::string> packages;  // folders of the reader's package that hold these files
  // Parses a whole path. Null: no family has these files. Errors: as ParsePath
  // (core/readers/file_name.h).
  std::function<Result<NamedFile>(std::string_view path)> name;
};

// Log lines about tuned files in general.
struct RemarkedLines {
  std::string reader, mark, says;
  std::uint64_t count = 0;
  std::string first;  // an excerpt
};

struct MisnamedFile {
  std::string path;
  Error error;
  std::uint64_t count = 0;
};

// No engine reaches this limit, because every model has fewer layers.
inline constexpr std::size_t kMaxMissedFiles = 65'536;

class FileMisses {
 public:
  // `hits`: the caller wants found files instead of missed files. Ignores a template in `lines`
  // that cannot be parsed. (Readers::Load already refuses a file with such a template.)
  FileMisses(const std::vector<FileLine>& lines, bool hits);
  FileMisses(FileMisses&&) = default;  // forms point to elements of lines_, which do not move
  FileMisses(const FileMisses&) = delete;
  FileMisses& operator=(const FileMisses&) = delete;
  ~FileMisses() = default;

  std::vector<std::string> Marks() const;
  enum class Read { kOther, kCounted, kKnown, kMisnamed, kUnread, kDropped };
  // Reads the line that contains the mark at position `at`. Results: kOther: another program's
  // line. kUnread: the line begins like a known line but continues differently. kKnown: the line is
  // about an unwanted file.
  Read ReadLine(std::size_t mark, std::string_view line, std::size_t at);

  // Most frequent first. `others`: return the unwanted files instead of the wanted files.
  std::vector<MissedFile> Sorted(bool others = false) const;
  std::vector<MisnamedFile> Misnamed() const { return misnamed_; }
  void Clear();

 private:
  struct Form {
    PathLine line;
    std::vector<const FileLine*> owners;  // the lines of all readers that print the same text
  };
  struct Marked {
    std::string mark;
    std::vector<Form> forms;
  };
  Read Take(const Form& form, const PathLine::Paths& paths);
  Read Add(const Form& form, std::string_view path, const PathLine::Paths& paths);

  std::vector<FileLine> lines_;
  bool hits_;
  std::vector<Marked> marked_;
  std::map<std::string, std::size_t, std::less<>> files_, misnamed_places_;  // by path
  std::vector<MissedFile> missed_;
  std::vector<MisnamedFile> misnamed_;
};

}  // namespace tunehub::core
