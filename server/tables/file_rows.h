// Chooses the rows of a reader's files: its own rows, and borrowed rows of other devices and
// engines.
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

// The key columns in a file's name, with their canonical values. Members' columns are not in the
// name.
using FileCells = std::vector<std::pair<std::size_t, std::string>>;

// The form of an answer as a reader's file, or as a tree of all files of a store.
struct FileForm {
  const core::Reader* reader = nullptr;
  const core::ReaderStore* store = nullptr;
  std::string path = {};                  // of one file, below the reader's folder; "": a tree
  std::vector<std::string> devices = {};  // device names of the files; empty: all
  // Names of devices with the same gfx and CU count, whose rows fill gaps; empty: none.
  std::vector<std::string> siblings = {};
  std::string from = {};  // the engine whose rows fill the remaining gaps; "": none
  // The version of the rows of `from`; "": the newest. If the reader has version folders: the
  // folder that gets these rows.
  std::string version = {};
  // The family's column of versions; kNoColumn: no reader's names have a version.
  std::size_t version_column = core::kNoColumn;
  FileCells cells = {};  // for a tree only the engine

  // True if the reader's own names have a version.
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

// `family` chooses the store if the path fits several; "": the first. Errors: bad_name,
// unreachable_name, no_name.
core::Result<NamedFile> ParseFilePath(const core::Reader& reader, std::string_view path,
                                      std::string_view family = {});

// The family of another store whose whole files may have the path; "": none.
std::string WholeFamilyOf(const NamedFile& named, const core::Reader& reader);

// The bare name in its version folder: "triton_3_4_0/E=8,...". Unchanged if the reader has no such
// folders.
std::string InVersionFolder(const core::Reader& reader, std::string version, std::string_view name);

// In the order of preference.
enum class Origin { kOwn, kSibling, kEngine, kEngineSibling };

struct FileRow {
  std::vector<std::string> cells;  // by the family's columns, as stored, also for a borrowed row
  core::Standing standing = core::Standing::kMeasured;
  double us = 0;
  Origin origin = Origin::kOwn;
  std::string order;  // the order key in this file
};

struct FileSet {
  // Rows by the file's path. Each member once, in the order of the family's rows.
  std::map<std::string, std::vector<FileRow>> files;
  // Borrowed rows by origin: "engine=sglang;triton=3.5.1", "device=MI300X".
  std::map<std::string, std::size_t> borrowed;
  // Rows that were not borrowed because the other engine counts a size in another way.
  std::size_t not_borrowed = 0;

  std::string BorrowedText() const;  // "12;engine=sglang;triton=3.5.1, 3;device=...", or ""
};

// `rows` are ordered and pass the query's filters. They may be of any engine, device and version
// folder that the form allows.
FileSet PickFiles(const FileForm& form, const core::Family& family,
                  std::span<const std::shared_ptr<const TunedRow>> rows);

}  // namespace tunehub::server
