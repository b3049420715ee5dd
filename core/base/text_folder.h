// A folder of small JSON files, on disk or compiled into the program: who reads it need not know
// which.
#pragma once

#include <concepts>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

class TextFolder {
 public:
  // A file's name and its text.
  using Text = std::pair<std::string_view, std::string_view>;

  TextFolder() = default;
  // On disk; a path will do wherever a folder is asked for.
  template <std::convertible_to<std::filesystem::path> Path>
  TextFolder(const Path& path)  // NOLINT(google-explicit-constructor)
      : path_(path) {}
  // Compiled in: `texts` lives as long as the program. `place` stands for the folder in messages.
  TextFolder(std::string place, std::span<const Text> texts)
      : path_(std::move(place)), texts_(texts) {}

  // Of every *.json, sorted. Error no_folder: the system's reason.
  Result<std::vector<std::string>> Names() const;
  // Nothing where it cannot be read.
  std::optional<std::string> Read(const std::string& name) const;

  // For messages.
  std::string place() const { return path_.string(); }
  std::string PlaceOf(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
  std::optional<std::span<const Text>> texts_;
};

}  // namespace tunehub::core
