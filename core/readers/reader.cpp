#include "core/readers/reader.h"

#include <fmt/core.h>

#include <algorithm>

namespace tunehub::core {

bool LookupState::Reads(std::string_view layout) const {
  return std::ranges::any_of(searches, [&](const auto& search) {
    return std::ranges::find(search, layout) != search.end();
  });
}

const ReaderStore* Reader::StoreOf(const Family& family) const {
  const auto found = std::ranges::find(stores, &family, &ReaderStore::family);
  return found == stores.end() ? nullptr : &*found;
}

const ReaderStore* Reader::StoreOf(std::string_view family) const {
  const auto found = std::ranges::find(stores, family, [](const ReaderStore& store) {
    return std::string_view(store.family->name);
  });
  return found == stores.end() ? nullptr : &*found;
}

Result<Readers> Readers::Load(const TextFolder& folder, const Families& families) {
  const auto names = folder.Names();
  if (!names.ok()) return Error{"bad_reader", names.error().detail};
  Readers loaded;
  for (const std::string& name : *names) {
    const std::string place = folder.PlaceOf(name);
    const std::optional<std::string> text = folder.Read(name);
    if (!text) return Error{"bad_reader", place + ": cannot be read"};
    Result<Reader> reader = Parse(place, *text, families);
    if (!reader.ok()) return reader.error();
    if (loaded.Find(reader->name) != nullptr) {
      return Error{"bad_reader",
                   fmt::format("{}: /name: \"{}\" is a reader already", place, reader->name)};
    }
    loaded.readers_.push_back(*std::move(reader));
  }
  std::ranges::sort(loaded.readers_, {}, &Reader::name);
  return loaded;
}

const Reader* Readers::Find(std::string_view name) const {
  const auto found = std::ranges::find(readers_, name, &Reader::name);
  return found == readers_.end() ? nullptr : &*found;
}

Result<const Reader*> Readers::Named(std::string_view name) const {
  if (const Reader* const reader = Find(name)) return reader;
  std::string names;
  for (const Reader& reader : readers_) names += (names.empty() ? "" : ", ") + reader.name;
  return Error{"unknown_reader", fmt::format("there is no reader '{}', only {}", name, names)};
}

}  // namespace tunehub::core
