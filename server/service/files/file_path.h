// A file's path and its key, for every kind of body.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/readers/reader.h"
#include "server/service/files/file_form.h"

namespace tunehub::service {

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

// Error no_name.
core::Result<std::string> FilePathOf(const core::ReaderStore& store, const core::Cells& cells);

// The bare name in the folder of a version: "triton_3_4_0/E=8,...". As it is where the reader has
// no such folders.
std::string InVersionFolder(const core::Reader& reader, std::string version, std::string_view name);

}  // namespace tunehub::service
