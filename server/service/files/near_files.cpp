#include "server/service/files/near_files.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/table/table_writer.h"
#include "server/service/files/file_path.h"

namespace tunehub::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNear = 20;  // an answer for people

// The columns in which a file may differ and still be near, the nearest first.
enum Difference { kDevice = 1, kVersion = 2, kEngine = 4 };

struct NearFile {
  int rank = 0;
  Json json;
};

class NearFinder {
 public:
  NearFinder(const core::Readers& readers, const FileForm& form, const core::Family& family,
             const core::Targets& targets)
      : readers_(readers), form_(form), family_(family), targets_(targets) {
    for (const auto& [column, value] : form.cells) {
      if (column == family.device) device_ = targets.FindDevice(value);
    }
  }

  void Add(const TunedRow& row) {
    const core::Cells cells = core::SplitLine(row.line, scratch_);
    int differs = 0;
    for (const auto& [column, value] : form_.cells) {
      if (cells[column] == value) continue;
      const int bit = BitOf(column);
      if (bit == 0) return;
      differs |= bit;
    }
    if (differs == 0) return;
    const core::Reader* const reader = ReaderOf(cells[family_.engine]);
    if (reader == nullptr) return;
    const core::ReaderStore* const store = reader->StoreOf(family_);
    if (store == nullptr) return;
    const auto path = FilePathOf(*store, cells);
    if (!path.ok() || !seen_.insert(reader->name + "/" + *path).second) return;
    found_.push_back({RankOf(differs, cells), JsonOf(*reader, *path, differs, cells)});
  }

  std::string Finish() {
    std::ranges::stable_sort(found_, {}, &NearFile::rank);
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min(kMostNear, found_.size()); ++i) {
      list.push_back(std::move(found_[i].json));
    }
    return "\"near_count\":" + std::to_string(found_.size()) + ",\"near\":" + list.dump();
  }

 private:
  int BitOf(std::size_t column) const {
    if (column == family_.device) return kDevice;
    if (column == family_.engine) return kEngine;
    return column == form_.version_column ? kVersion : 0;
  }

  const core::Reader* ReaderOf(std::string_view engine) const {
    for (const core::Reader& reader : readers_.all()) {
      if (reader.engine == engine) return &reader;
    }
    return nullptr;
  }

  bool IsSibling(const core::Cells& cells) const {
    if (device_ == nullptr || family_.device == core::kNoColumn) return false;
    const core::Device* const other = targets_.FindDevice(cells[family_.device]);
    return other != nullptr &&
           (other == device_ || (other->gfx == device_->gfx && other->cu_num == device_->cu_num));
  }

  // Another version of the same, a sibling's, another engine's, another device's.
  int RankOf(int differs, const core::Cells& cells) const {
    int rank = differs;
    if ((differs & kDevice) != 0 && !IsSibling(cells)) rank += 2 * kEngine;
    return rank;
  }

  Json JsonOf(const core::Reader& reader, const std::string& path, int differs,
              const core::Cells& cells) const {
    Json json = {{"reader", reader.name}, {"path", path}, {"differs", Json::array()}};
    if ((differs & kDevice) != 0) {
      json["differs"].push_back("device");
      json["device"] = cells[family_.device];
      json["sibling"] = IsSibling(cells);
    }
    if ((differs & kVersion) != 0) {
      json["differs"].push_back("triton");
      json["triton"] = cells[form_.version_column];
    }
    if ((differs & kEngine) != 0) {
      json["differs"].push_back("engine");
      json["engine"] = cells[family_.engine];
    }
    return json;
  }

  const core::Readers& readers_;
  const FileForm& form_;
  const core::Family& family_;
  const core::Targets& targets_;
  const core::Device* device_ = nullptr;  // null: nobody knows it, or the family has none
  std::string scratch_;
  std::set<std::string> seen_;
  std::vector<NearFile> found_;
};

}  // namespace

std::string NearFiles(const core::Readers& readers, const FileForm& form,
                      const core::Family& family, const core::Targets& targets,
                      std::span<const std::shared_ptr<const TunedRow>> rows) {
  NearFinder finder(readers, form, family, targets);
  for (const auto& row : rows) finder.Add(*row);
  return finder.Finish();
}

}  // namespace tunehub::service
