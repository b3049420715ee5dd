#include "agent/commands/contribute/folder_offer.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>

#include "agent/commands/tables/reader_folder.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

// Rows of several places, one a key.
class GatheredRows {
 public:
  explicit GatheredRows(std::vector<FamilyOffer>& families) : families_(families) {
    for (FamilyOffer& of_family : families_) {
      for (std::size_t i = 0; i < of_family.rows.size(); ++i) {
        places_[of_family.family].emplace(KeyOfLine(*of_family.family, of_family.rows[i].line), i);
      }
    }
  }

  void Add(const core::Family& family, OfferedRow row) {
    std::vector<OfferedRow>& rows = RowsOf(family);
    const auto [place, fresh] = places_[&family].emplace(KeyOfLine(family, row.line), rows.size());
    if (fresh) {
      rows.push_back(std::move(row));
    } else if (IsBetter(row, rows[place->second])) {
      rows[place->second] = std::move(row);
    }
  }

 private:
  std::vector<OfferedRow>& RowsOf(const core::Family& family) {
    for (FamilyOffer& of_family : families_) {
      if (of_family.family == &family) return of_family.rows;
    }
    return families_.emplace_back(FamilyOffer{&family, {}}).rows;
  }

  std::vector<FamilyOffer>& families_;
  std::map<const core::Family*, std::map<std::string, std::size_t>> places_;
};

core::Status AddFolder(const Configuration& configuration, const core::Reader& reader,
                       const std::string& folder, BeforeTimes& before, Offer& offer) {
  // Edits: what they leave alone lies in the tree that they are for.
  const auto read = ReadReaderFolder(configuration, reader, folder, core::TreeExtent::kPart);
  if (!read.ok()) return read.error();
  for (const core::Finding& it : read->findings) {
    if (it.aside) offer.left_out.push_back({"", it.file + " " + it.member, it.code, it.detail});
  }
  GatheredRows gathered(offer.families);
  for (const core::TreeTable& table : read->tables) {
    const auto rows = ReadRows(*table.family, configuration.targets, table.csv);
    if (!rows.ok()) return rows.error();
    const RowTimes& untuned = before[table.family];
    for (const core::Row& row : rows->rows) {
      OfferedRow offered{row.line, row.us, {}, {}};
      const auto time = untuned.find(row.key);
      if (time != untuned.end()) offered.before_us = time->second;
      if (offer.runs.size() == 1) offered.run = 0;
      gathered.Add(*table.family, std::move(offered));
    }
  }
  return core::Ok();
}

}  // namespace

core::Result<Offer> OfferOfReader(const Configuration& configuration, const core::Reader& reader,
                                  const LocalResults& results) {
  LocalResults tables = results;
  std::vector<std::string> folders;
  std::erase_if(tables.files, [&](const std::string& file) {
    std::error_code error;
    const bool folder = std::filesystem::is_directory(file, error);
    if (folder) folders.push_back(file);
    return folder;
  });
  tables.only.clear();  // of all at the end
  auto before = ReadBefore(configuration, results);
  if (!before.ok()) return before.error();
  auto offer = OfferOfFiles(configuration, tables, *before);
  if (!offer.ok()) return offer;
  for (const std::string& folder : folders) {
    auto added = AddFolder(configuration, reader, folder, *before, *offer);
    if (!added.ok()) return added.error();
  }
  if (results.files.size() > 1) offer->from = fmt::format("{} places", results.files.size());
  if (results.files.size() == 1) offer->from = results.files.front();
  if (results.only.empty()) return offer;
  if (auto kept = KeepListed(results.only, *offer); !kept.ok()) return kept.error();
  return offer;
}

}  // namespace tunehub::agent
