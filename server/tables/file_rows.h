// Which rows a reader's file is made of, its own ones and those that were asked for of others.
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

// A file's key, but for its members: column and canonical value.
using FileCells = std::vector<std::pair<std::size_t, std::string>>;

// Tuned rows as a reader's files: one of them, or all of a store as a tree.
struct FileForm {
  const core::Reader* reader = nullptr;
  const core::ReaderStore* store = nullptr;
  std::string path = {};                  // of the one file, below the reader's folder; "": a tree
  std::vector<std::string> devices = {};  // the names whose files these are; empty: all there are
  // Names of devices of the same gfx and CU count, whose rows fill what those lack; empty: none's.
  std::vector<std::string> siblings = {};
  std::string from = {};     // the engine whose rows fill what is still missing; "": none's
  std::string version = {};  // of those rows' folder, theirs or the reader's own; "": their newest
  // The family's column of such versions; kNoColumn: no reader of it has them in its names.
  std::size_t version_column = core::kNoColumn;
  FileCells cells = {};  // of the one file; of a tree its engine alone

  // Whether the reader's own names say a version.
  bool has_versions() const;
  bool tree() const { return path.empty(); }
  std::string Text() const;  // equal for forms of one answer
};

// The column that a store's names have as a version folder; kNoColumn: they have none.
std::size_t VersionColumn(const core::ReaderStore& store);
std::size_t VersionColumn(const core::Readers& readers, const core::Family& family);

// A file's path and its key, for every kind of body.
struct NamedFile {
  const core::ReaderStore* store = nullptr;
  std::string path;  // as the reader itself would write it
  FileCells cells;   // its key, but for what names its members
};

// `family`: of the store that is meant, where the path may be of several; "": the first. Errors:
// bad_name, unreachable_name, no_name.
core::Result<NamedFile> ParseFilePath(const core::Reader& reader, std::string_view path,
                                      std::string_view family = {});

// The family of another store that takes the path, too, and files as a whole; "": none.
std::string WholeFamilyOf(const NamedFile& named, const core::Reader& reader);

// The bare name in the folder of a version: "triton_3_4_0/E=8,...". As it is where the reader has
// no such folders.
std::string InVersionFolder(const core::Reader& reader, std::string version, std::string_view name);

// In the order in which they fill a member: one of a lower rank is taken before all of a higher.
enum class Origin { kOwn, kSibling, kEngine, kEngineSibling };

struct FileRow {
  std::vector<std::string> cells;  // by the family's columns, of where it is from
  core::Standing standing = core::Standing::kMeasured;
  double us = 0;
  Origin origin = Origin::kOwn;
  std::string order;  // the order key where it stands
};

struct FileSet {
  // By path. Each member once; in the order of the rows.
  std::map<std::string, std::vector<FileRow>> files;
  // Rows of others, by where they are from: "engine=sglang;triton=3.5.1", "device=MI300X".
  std::map<std::string, std::size_t> borrowed;
  // Rows of another engine that count a size in another way, and so are not taken.
  std::size_t not_borrowed = 0;

  std::string BorrowedText() const;  // "12;engine=sglang;triton=3.5.1, 3;device=...", or ""
};

// `rows` are what the query's filters let through, of every engine, device and version folder that
// the form may take; in order.
FileSet PickFiles(const FileForm& form, const core::Family& family,
                  std::span<const std::shared_ptr<const TunedRow>> rows);

}  // namespace tunehub::server
