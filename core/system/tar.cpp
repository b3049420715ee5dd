#include "core/system/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "core/system/gzip.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kBlock = 64 * 1024;
constexpr int kMode = 0644;

struct FreeReader {
  void operator()(archive* it) const { archive_read_free(it); }
};
struct FreeWriter {
  void operator()(archive* it) const { archive_write_free(it); }
};
struct FreeEntry {
  void operator()(archive_entry* it) const { archive_entry_free(it); }
};

Error Bad(archive* reader) {
  const char* text = archive_error_string(reader);
  return {"bad_archive",
          fmt::format("the body is no tar archive: {}", text != nullptr ? text : "?")};
}

// Reads at most `room` bytes: a bomb is noticed by its content, not by what its header says.
Result<std::string> ReadEntry(archive* reader, std::size_t room) {
  std::string text;
  std::array<char, kBlock> block{};
  for (;;) {
    const la_ssize_t size = archive_read_data(reader, block.data(), block.size());
    if (size < 0) return Bad(reader);
    if (size == 0) return text;
    if (text.size() + static_cast<std::size_t>(size) > room) {
      return Error{"too_large", "the unpacked files are larger than the limit"};
    }
    text.append(block.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace

Result<std::vector<TarFile>> ReadTar(std::string_view bytes, const TarLimits& limits) {
  const std::unique_ptr<archive, FreeReader> reader(archive_read_new());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    return Bad(reader.get());
  }
  std::vector<TarFile> files;
  std::size_t total = 0;
  for (std::size_t entries = 0;; ++entries) {
    archive_entry* entry = nullptr;
    const int next = archive_read_next_header(reader.get(), &entry);
    if (next == ARCHIVE_EOF) break;
    // A warning is about a name that the locale cannot write, which is no matter here.
    if (next < ARCHIVE_WARN) return Bad(reader.get());
    // Of any kind: a gigabyte of empty folders compresses to a megabyte.
    if (entries == limits.files) {
      return Error{"too_large", fmt::format("more than {} files", limits.files)};
    }
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    const char* name = archive_entry_pathname(entry);
    auto text = ReadEntry(reader.get(), limits.bytes - total);
    if (!text.ok()) return text.error();
    total += text->size();
    files.push_back({name != nullptr ? name : "", *std::move(text)});
  }
  std::stable_sort(files.begin(), files.end(),
                   [](const TarFile& a, const TarFile& b) { return a.name < b.name; });
  return files;
}

std::string WriteTarGz(const std::vector<TarFile>& files) {
  // Of a file two headers, a long name and the rest of two blocks.
  constexpr std::size_t kRoomForHeaders = 3 * 1024;
  std::size_t room = 64 * 1024;
  for (const TarFile& file : files) room += file.bytes.size() + kRoomForHeaders + file.name.size();
  std::string tar(room, '\0');  // outlives the writer, which writes to it when it is freed
  std::size_t used = 0;
  const std::unique_ptr<archive, FreeWriter> writer(archive_write_new());
  // ustar, with a longer header only for a name that has no room in it: 100 bytes behind its last
  // slash, as names of tuned files have.
  archive_write_set_format_pax_restricted(writer.get());
  archive_write_open_memory(writer.get(), tar.data(), tar.size(), &used);
  for (const TarFile& file : files) {
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), file.name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.bytes.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), kMode);
    archive_entry_set_mtime(entry.get(), 0, 0);  // so that equal files are equal bytes
    if (archive_write_header(writer.get(), entry.get()) != ARCHIVE_OK ||
        archive_write_data(writer.get(), file.bytes.data(), file.bytes.size()) < 0) {
      throw std::runtime_error(archive_error_string(writer.get()));
    }
  }
  archive_write_close(writer.get());
  tar.resize(used);
  return Gzip(tar);
}

}  // namespace tunehub::core
