// Config files that an engine looked for: found or missed. The reader's grammar parses a file's
// name into a shape key.
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
// A path ends in .json and may hold blanks and commas, so LineTemplate cannot read it as a word.
class PathLine {
 public:
  // Places: "{path}" is a path, "{paths}" one or several ("a, b" or Python's list of strings),
  // "{used}" the path of the file that the engine read instead, "{}" a word. Text may follow the
  // last place. Error bad_template: no text before the first place or between two places, an
  // unknown name, an open brace, no path.
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

  // Removes the path or paths at the beginning of `text`; false: there is none.
  static bool TakePlace(Place place, std::string_view& text, Paths& paths);

  std::vector<std::string> texts_;  // one more than places_; the last may be empty
  std::vector<Place> places_;
};

// A file by its name. A miss concerns the whole file, not one M.
struct NamedFile {
  std::string reader;  // "vllm"
  std::string family;  // "": no grammar parses the name; `path` is then the whole path
  std::string path;    // below the folder of the reader's configs: "triton_3_5_1/E=...json"
  std::vector<std::pair<std::string, std::string>> key;  // columns of the family
  std::string member;                // the column in which a file's members differ: "M"
  std::vector<std::int64_t> ladder;  // the values of `member` that the reader's tuner measures
};

struct MissedFile {
  NamedFile file;
  std::string used;                     // path of the file that the engine read instead; "": none
  std::uint64_t count = 0;              // lines, over all ranks
  std::vector<std::string> asked = {};  // the whole paths in the first line about it
  bool found = false;                   // the line says that the engine found the file
};

// A line of a reader's log, and the parser of its paths.
struct FileLine {
  std::string mark, line;  // as in the reader's file
  std::string reader;
  bool hit = false;                   // it names a file that the engine found
  std::vector<std::string> packages;  // folders of the reader's package that hold these files
  // Parses a whole path. Errors: those of ParsePath (core/readers/file_name.h). Null: no family has
  // these files.
  std::function<Result<NamedFile>(std::string_view path)> name;
};

// Lines about tuned files in general.
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

// More distinct files than any engine has layers for.
inline constexpr std::size_t kMaxMissedFiles = 65'536;

class FileMisses {
 public:
  // Ignores a line that cannot be parsed: the loader of readers already refuses its file. `hits`:
  // the caller wants found files instead of missed ones.
  FileMisses(const std::vector<FileLine>& lines, bool hits);
  FileMisses(FileMisses&&) = default;  // forms point into lines_, whose elements do not move
  FileMisses(const FileMisses&) = delete;
  FileMisses& operator=(const FileMisses&) = delete;
  ~FileMisses() = default;

  std::vector<std::string> Marks() const;
  enum class Read { kOther, kCounted, kKnown, kMisnamed, kUnread, kDropped };
  // Reads the line that has the mark at `at`. kOther: another program's line. kUnread: it begins
  // like a known line but continues differently. kKnown: a line about an unwanted file.
  Read ReadLine(std::size_t mark, std::string_view line, std::size_t at);

  // Most frequent first. `others`: the unwanted files instead of the wanted ones.
  std::vector<MissedFile> Sorted(bool others = false) const;
  std::vector<MisnamedFile> Misnamed() const { return misnamed_; }
  void Clear();

 private:
  struct Form {
    PathLine line;
    std::vector<const FileLine*> owners;  // of all readers that print this line
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
