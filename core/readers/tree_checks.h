// What is to be said of a tree's files once all of them were read: files of one key, files that the
// reader never comes to, devices.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/targets.h"
#include "core/readers/file_body.h"
#include "core/readers/file_name.h"
#include "core/readers/reader.h"
#include "core/readers/tree_reader.h"

namespace tunehub::core {

// One file whose name could be read.
struct TreeFile {
  const TreeEntry* entry = nullptr;
  ParsedPath path;
  std::string name;  // below the config folder, as the reader asks for it
  FileBody body;
  bool taken = false;
};

// A finding of the whole file, of which no row is taken.
void Aside(const std::string& file, const Error& error, TreeReading& reading);
void Aside(TreeFile& file, const char* code, std::string detail, TreeReading& reading);

// False where no state of the engine asks for a word of the name: the file is kept aside.
bool CheckWords(const Reader& reader, const std::string& file, const ParsedPath& path,
                TreeReading& reading);
// Of files that the engine reads and no store takes; `name` as in TreeEntry.
std::optional<Error> WhyUnsupported(const Reader& reader, std::string_view name);

// Files of one key: the same is taken once, of different ones none.
void CheckTwins(std::vector<TreeFile>& files, TreeReading& reading);
// A special file is read where its folder has the default; an older state chooses the first folder
// with one.
void CheckDefaults(std::vector<TreeFile>& files, TreeReading& reading);
// Which layouts there are, and what the newest state does not read of them.
void CheckLayouts(const std::vector<TreeFile>& files, TreeReading& reading);
// Devices that nobody knows, and those that newer states rename: once each, by the first file.
void CheckDevices(const Reader& reader, const Targets& targets, const std::vector<TreeFile>& files,
                  TreeReading& reading);

}  // namespace tunehub::core
