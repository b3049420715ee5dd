#include "server/service/files/file_form.h"

namespace tunehub::service {

std::size_t VersionColumn(const core::ReaderStore& store) {
  for (const core::NameForm& name : store.names) {
    for (const core::NamePart& part : name.parts) {
      for (const core::NamePlace& place : part.places) {
        if (place.form == core::PlaceForm::kVersion) return place.column;
      }
    }
  }
  return core::kNoColumn;
}

std::size_t VersionColumn(const core::Readers& readers, const core::Family& family) {
  for (const core::Reader& reader : readers.all()) {
    const core::ReaderStore* const store = reader.StoreOf(family);
    if (store == nullptr) continue;
    if (const std::size_t column = VersionColumn(*store); column != core::kNoColumn) return column;
  }
  return core::kNoColumn;
}

bool FileForm::has_versions() const {
  return VersionColumn(*store) != core::kNoColumn;
}

std::string FileForm::Text() const {
  std::string text = reader->name + "\x1f" + store->family->name + "\x1f" + path + "\x1f" + from +
                     "\x1f" + version;
  for (const auto* const names : {&devices, &siblings}) {
    text += "\x1e";
    for (const std::string& name : *names) text += name + "\x1f";
  }
  return text;
}

}  // namespace tunehub::service
