// Chooses the rows of a reader's files: the reader's own rows and borrowed rows. Borrowed rows are
// rows of sibling devices and of other engines, on request.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/readers/reader.h"
#include "core/row/standing.h"
#include "server/snapshots/snapshot.h"

namespace tunehub::server {

// The key columns in a file's name, with their canonical values. (The columns of members are not in
// the name.)
using FileCells = std::vector<std::pair<std::size_t, std::string>>;

// The form of an answer as a reader's file, or as a tree of all files of a store.
struct FileForm {
  const core::Reader* reader = nullptr;
  const core::ReaderStore* store = nullptr;
  // the path of one file below the reader's folder; "": a tree
  std::string path = {};
  std::vector<std::string> devices = {};  // device names of the files; empty: all
  // Names of devices with the same gfx and CU count, whose rows replace missing rows; empty: none.
  std::vector<std::string> siblings = {};
  std::string from = {};  // the engine whose rows replace rows that are still missing; "": none
  // The version of the rows of `from`; "": the newest. If the reader has version folders, it is the
  // folder for these rows.
  std::string version = {};
  // The family's column of versions. kNoColumn: no reader has a version in its file names.
  std::size_t version_column = core::kNoColumn;
  FileCells cells = {};  // for a tree, only the engine

  // True if the reader has a version in its own file names.
  bool has_versions() const;
  bool tree() const { return path.empty(); }
  std::string Text() const;  // equal for forms of the same answer
};

// The column of the version folder in a store's names; kNoColumn: no such folder.
std::size_t VersionColumn(const core::ReaderStore& store);
std::size_t VersionColumn(const core::Readers& readers, const core::Family& family);

// A parsed path, for every kind of body.
struct NamedFile {
  const core::ReaderStore* store = nullptr;
  std::string path;  // in the reader's own spelling
  FileCells cells;
};

// `family` chooses the store if the path fits several stores; "": the first store. Errors:
// bad_name, unreachable_name, no_name.
core::Result<NamedFile> ParseFilePath(const core::Reader& reader, std::string_view path,
                                      std::string_view family = {});

// Returns the family of another store, whose files are whole rows and may have this path; "": none.
std::string WholeFamilyOf(const NamedFile& named, const core::Reader& reader);

// Returns a file name with its version folder: "triton_3_4_0/E=8,...". Returns the name unchanged
// if the reader has no such folders.
std::string InVersionFolder(const core::Reader& reader, std::string version, std::string_view name);

// The values are in the order of preference.
enum class Origin { kOwn, kSibling, kEngine, kEngineSibling };

struct FileRow {
  std::vector<std::string> cells;  // by the family's columns, as stored, even for a borrowed row
  core::Standing standing = core::Standing::kMeasured;
  double us = 0;
  Origin origin = Origin::kOwn;
  std::string order;  // the row's sort key in this file
};

struct FileSet {
  // Rows by the file's path. Each member occurs once, in the order of the family's rows.
  std::map<std::string, std::vector<FileRow>> files;
  // Borrowed rows by origin: "engine=sglang;triton=3.5.1", "device=MI300X".
  std::map<std::string, std::size_t> borrowed;
  // Rows that were not borrowed because the other engine counts a size in another way.
  std::size_t not_borrowed = 0;

  std::string BorrowedText() const;  // "12;engine=sglang;triton=3.5.1, 3;device=...", or ""
};

// Precondition: `rows` are sorted and pass the query's filters. They may be of any engine, device
// and version folder that the form allows.
FileSet PickFiles(const FileForm& form, const core::Family& family,
                  std::span<const std::shared_ptr<const TunedRow>> rows);

}  // namespace tunehub::server
