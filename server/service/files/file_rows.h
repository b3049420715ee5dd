// Which rows a reader's file is made of, its own ones and those that were asked for of others.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/family/family.h"
#include "core/row/standing.h"
#include "server/service/files/file_form.h"
#include "server/service/registry/snapshot.h"

namespace tunehub::service {

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

}  // namespace tunehub::service
