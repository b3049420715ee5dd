#include "core/misses/file_shapes.h"

#include <algorithm>

namespace tunehub::core {
namespace {

std::string CellOfFile(const NamedFile& file, std::string_view column) {
  const auto cell = std::ranges::find(
      file.key, column, [](const auto& it) -> const auto& { return it.first; });
  return cell == file.key.end() ? "" : cell->second;
}

void TakeTarget(const Targets& targets, std::string_view device_name, MissShape& shape) {
  const Device* const device = targets.FindDevice(device_name);
  if (device == nullptr) return;
  shape.gfx = device->gfx;
  if (device->cu_num > 0) shape.cu_num = std::to_string(device->cu_num);
}

}  // namespace

std::vector<MissShape> ShapesOfFiles(const Families& families, const Targets& targets,
                                     std::span<const MissedFile> files) {
  std::vector<MissShape> shapes;
  for (const MissedFile& missed : files) {
    const Family* const family = families.Find(missed.file.family);
    if (family == nullptr) continue;  // a reader is loaded beside its families
    MissShape shape;
    shape.family = family;
    shape.count = missed.count;
    std::size_t member = family->untuned_columns.size();
    for (std::size_t i = 0; i < family->untuned_columns.size(); ++i) {
      const std::string& name = family->untuned_columns[i];
      if (name == missed.file.member) member = i;
      shape.cells.push_back(CellOfFile(missed.file, name));
    }
    if (member == shape.cells.size()) continue;
    if (family->device != kNoColumn) {
      TakeTarget(targets, CellOfFile(missed.file, family->columns[family->device].name), shape);
    }
    for (const std::int64_t m : missed.file.ladder) {
      shape.cells[member] = std::to_string(m);
      shapes.push_back(shape);
    }
  }
  return shapes;
}

}  // namespace tunehub::core
