// A file's path below a reader's config folder, and the key columns that it stands for: each can be
// had from the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/readers/reader.h"

namespace tunehub::core {

// By the store's family's columns; what a path does not say is "", so also the member's own column.
using KeyCells = std::vector<std::string>;

struct ParsedPath {
  const ReaderStore* store = nullptr;
  KeyCells cells;
  bool guessed_op = false;  // the path has the op in lower case alone
};

// "triton_3_4_0/E=8,N=7168,device_name=NVIDIA_H200.json". Error no_name: no lookup of the reader
// ever asks for such a row.
Result<std::string> PathOf(const ReaderStore& store, const KeyCells& cells);
Result<std::string> PathOf(const ReaderStore& store, const Cells& cells);

// Errors: bad_name (the part and its position in the path, from 1), unreachable_name (the file
// would be found by another name, which the detail has).
Result<ParsedPath> ParsePath(const Reader& reader, std::string_view path);
Result<ParsedPath> ParsePath(const Reader& reader, const ReaderStore& store, std::string_view path);

// Whether a file is one of the store's by where it lies and how its name begins. `tail`: as much of
// the path as the store's grammar is about.
bool IsOf(const ReaderStore& store, std::string_view path, std::string& tail);

// The name that the engine asks for on a device, by its newest rules: "NVIDIA_H200_NVL" is
// "NVIDIA_H200" to vLLM.
std::string AskedDevice(const Reader& reader, std::string_view device);

}  // namespace tunehub::core
