// Files of configs that an engine looked for and did not find, or found: the key is the file's
// name, which its reader's grammar takes apart.
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

// A line of a log that names files: "Config file not found at {path}, you can create them with".
// A path ends in .json and may hold blanks and commas, so it is no word of a LineTemplate.
class PathLine {
 public:
  // Places: "{path}" a path; "{paths}" one or several, "a, b" or Python's list of texts; "{used}"
  // the path of what was read in its place; "{}" a word. Text may follow the last one. Errors:
  // bad_template (no text before the first place or between two, another name, an open brace, no
  // path).
  static Result<PathLine> Parse(std::string_view text);

  struct Paths {
    std::vector<std::string_view> missed;
    std::string_view used;  // "": the line has no such place
  };
  // True where `text` begins with such a line.
  bool Match(std::string_view text, Paths& paths) const;

  const std::string& head() const { return texts_.front(); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  enum class Place { kPath, kPaths, kUsed, kWord };

  // Takes off `text` the path or paths that it begins with; false: there is none.
  static bool TakePlace(Place place, std::string_view& text, Paths& paths);

  std::vector<std::string> texts_;  // one more than places_; the last may be empty
  std::vector<Place> places_;
};

// A file by its name. What it holds by M is not said: a miss is of the whole file.
struct NamedFile {
  std::string reader;  // "vllm"
  std::string family;  // "": no grammar takes its name apart, which is then the whole path
  std::string path;    // below the folder of the reader's configs: "triton_3_5_1/E=...json"
  std::vector<std::pair<std::string, std::string>> key;  // columns of the family
  std::string member;                // the column that a file's members differ in: "M"
  std::vector<std::int64_t> ladder;  // its values that the reader's tuner measures
};

struct MissedFile {
  NamedFile file;
  std::string used;                     // the path of what was read in its place; "": nothing was
  std::uint64_t count = 0;              // lines, over all ranks
  std::vector<std::string> asked = {};  // the whole paths of its first line
  bool found = false;                   // by a line of a file that was found
};

// A line of a reader's log, and how it takes a path apart.
struct FileLine {
  std::string mark, line;  // of the reader's file
  std::string reader;
  bool hit = false;                   // it names a file that was found
  std::vector<std::string> packages;  // folders of the reader's package that hold such files
  // Of a whole path. Errors: bad_file_name, with part and position. Null: no family has such
  // files.
  std::function<Result<NamedFile>(std::string_view path)> name;
};

// Lines about tuned files in general.
struct RemarkedLines {
  std::string reader, mark, says;
  std::uint64_t count = 0;
  std::string first;  // an excerpt
};

// A name that no grammar takes apart.
struct MisnamedFile {
  std::string path;
  Error error;
  std::uint64_t count = 0;
};

// More distinct files than any engine has layers for.
inline constexpr std::size_t kMaxMissedFiles = 65'536;

class FileMisses {
 public:
  // A line that cannot be parsed counts as none: the loader of readers refuses such a file. `hits`:
  // files that were found are what is looked for, and those that were missed are the others.
  FileMisses(const std::vector<FileLine>& lines, bool hits);
  FileMisses(FileMisses&&) = default;  // forms point to its lines, which stay where they are
  FileMisses(const FileMisses&) = delete;
  FileMisses& operator=(const FileMisses&) = delete;
  ~FileMisses() = default;

  // The marks to search a log for.
  std::vector<std::string> Marks() const;
  enum class Read { kOther, kCounted, kKnown, kMisnamed, kUnread, kDropped };
  // The line around the mark at `at`. kOther: some other program's words. kUnread: it begins like
  // one of the lines and does not go on so. kKnown: of the others.
  Read ReadLine(std::size_t mark, std::string_view line, std::size_t at);

  // Most frequent first; those that are looked for, or the others.
  std::vector<MissedFile> Sorted(bool others = false) const;
  std::vector<MisnamedFile> Misnamed() const { return misnamed_; }
  void Clear();

 private:
  struct Form {
    PathLine line;
    std::vector<const FileLine*> owners;  // readers that print the same
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
