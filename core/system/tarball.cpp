#include "core/system/tarball.h"

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

namespace tunehub::core {
namespace {

constexpr mode_t kFileMode = 0644;
constexpr std::size_t kReadBlock = std::size_t{64} << 10;

using Writer = std::unique_ptr<archive, decltype(&archive_write_free)>;
using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;
using Entry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

// Writing into memory fails only where the program is wrong.
void Must(archive* a, la_ssize_t result) {
  if (result < 0) throw std::runtime_error(std::string("libarchive: ") + archive_error_string(a));
}

la_ssize_t AppendTo(archive*, void* out, const void* bytes, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

Error Bad(std::string reason) {
  return {"bad_archive", std::move(reason)};
}

bool LeavesFolder(const std::string& name) {
  const std::filesystem::path path(name);
  if (path.empty() || path.is_absolute()) return true;
  for (const std::filesystem::path& part : path) {
    if (part == "..") return true;
  }
  return false;
}

Status ReadEntry(archive* reader, std::string& bytes, std::size_t limit) {
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kReadBlock);
    const la_ssize_t got = archive_read_data(reader, bytes.data() + before, kReadBlock);
    if (got < 0) return Bad(archive_error_string(reader));
    bytes.resize(before + static_cast<std::size_t>(got));
    if (got == 0) return Ok();
    if (bytes.size() > limit) return Bad("it unpacks to more than the limit");
  }
}

}  // namespace

std::string PackTarGz(std::span<const TarEntry> entries) {
  std::string out;
  const Writer writer(archive_write_new(), archive_write_free);
  Must(writer.get(), archive_write_set_format_ustar(writer.get()));
  Must(writer.get(), archive_write_add_filter_gzip(writer.get()));
  Must(writer.get(), archive_write_set_filter_option(writer.get(), "gzip", "timestamp", nullptr));
  // Without zeroes behind the gzip member, at which a strict reader stumbles.
  Must(writer.get(), archive_write_set_bytes_in_last_block(writer.get(), 1));
  Must(writer.get(), archive_write_open(writer.get(), &out, nullptr, AppendTo, nullptr));
  for (const TarEntry& file : entries) {
    const Entry entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_pathname(entry.get(), file.name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.bytes.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), kFileMode);
    Must(writer.get(), archive_write_header(writer.get(), entry.get()));
    Must(writer.get(), archive_write_data(writer.get(), file.bytes.data(), file.bytes.size()));
  }
  Must(writer.get(), archive_write_close(writer.get()));
  return out;
}

Result<std::vector<TarEntry>> UnpackTarGz(std::string_view bytes, std::size_t limit) {
  const Reader reader(archive_read_new(), archive_read_free);
  archive_read_support_format_tar(reader.get());
  archive_read_support_filter_gzip(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    return Bad(archive_error_string(reader.get()));
  }
  std::vector<TarEntry> entries;
  std::size_t left = limit;
  archive_entry* entry = nullptr;
  for (;;) {
    const int result = archive_read_next_header(reader.get(), &entry);
    if (result == ARCHIVE_EOF) return entries;
    if (result != ARCHIVE_OK) return Bad(archive_error_string(reader.get()));
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    const char* const name = archive_entry_pathname(entry);
    TarEntry file{name == nullptr ? "" : name, {}};
    if (LeavesFolder(file.name)) return Bad("the entry '" + file.name + "' leaves the folder");
    if (Status status = ReadEntry(reader.get(), file.bytes, left); !status.ok()) {
      return Bad(file.name + ": " + status.error().detail);
    }
    left -= file.bytes.size();
    entries.push_back(std::move(file));
  }
}

}  // namespace tunehub::core
