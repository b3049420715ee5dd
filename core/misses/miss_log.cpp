#include "core/misses/miss_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/base/encoding.h"
#include "core/base/text.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kExcerptOfLine = 200;
constexpr std::size_t kMostSeenBytes = 1024;  // twice a fused-MoE line

std::string_view Find(std::string_view text, std::string_view part) {
  const void* const found = ::memmem(text.data(), text.size(), part.data(), part.size());
  if (found == nullptr) return {};
  return text.substr(static_cast<std::size_t>(static_cast<const char*>(found) - text.data()));
}

std::uint64_t CountLines(std::string_view text) {
  std::uint64_t lines = 0;
  for (const char* at = text.data(); at != nullptr && at < text.data() + text.size(); ++lines) {
    at = static_cast<const char*>(
        std::memchr(at, '\n', static_cast<std::size_t>(text.data() + text.size() - at)));
    if (at != nullptr) ++at;
  }
  return lines;
}

// Calls `read` with each line that contains the mark, and the mark's position. Searches the whole
// block at once, so that lines without the mark cost nothing.
template <typename Read>
void ForEachMark(std::string_view lines, std::string_view mark, const Read& read) {
  for (std::string_view rest = Find(lines, mark); !rest.empty();
       rest = Find(rest.substr(mark.size()), mark)) {
    const std::size_t at = lines.size() - rest.size();
    const std::size_t begin = lines.rfind('\n', at) + 1;  // npos + 1 is 0
    const std::string_view line = lines.substr(begin);
    read(line.substr(0, line.find('\n', at - begin)), at - begin);
  }
}

}  // namespace

MissLog::MissLog(const Families& families, MissLogOptions options)
    : families_(families),
      family_(options.family),
      marked_(MissFormsOf(families, options.hits)),
      opposite_(MissFormsOf(families, !options.hits)),
      files_(options.files, options.hits),
      file_marks_(files_.Marks()),
      remarks_(options.remarks),
      fold_(std::move(options)),
      seen_(kSeenLines) {
  FindHeads();
}

void MissLog::Feed(std::string_view bytes) {
  counts_.bytes += bytes.size();
  if (overlong_ || !carried_.empty()) {
    const std::size_t end = bytes.find('\n');
    Carry(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    Finish();
    bytes.remove_prefix(end + 1);
  }
  const std::size_t lines = bytes.rfind('\n') + 1;  // npos + 1 is 0
  ReadLines(bytes.substr(0, lines));
  Carry(bytes.substr(lines));
}

void MissLog::Carry(std::string_view part) {
  if (!overlong_ && carried_.size() + part.size() <= kMaxLogLineBytes) {
    carried_.append(part);
    return;
  }
  if (!overlong_) ++counts_.overlong;
  overlong_ = true;
  carried_.clear();
}

void MissLog::Finish() {
  if (overlong_) {
    ++counts_.lines;
  } else if (!carried_.empty()) {
    ReadLines(carried_);
  }
  overlong_ = false;
  carried_.clear();
}

void MissLog::ReadLines(std::string_view lines) {
  counts_.lines += CountLines(lines);
  for (const MarkedForms& marked : marked_) {
    ForEachMark(lines, marked.mark,
                [&](std::string_view line, std::size_t at) { ReadMarked(marked, line, at); });
  }
  for (const MarkedForms& marked : opposite_) {
    ForEachMark(lines, marked.mark,
                [&](std::string_view line, std::size_t at) { CountKnown(marked, line, at); });
  }
  for (std::size_t i = 0; i < file_marks_.size(); ++i) {
    ForEachMark(lines, file_marks_[i],
                [&](std::string_view line, std::size_t at) { ReadNamed(i, line, at); });
  }
  ReadRemarks(lines);
  CountBroken(lines);
}

void MissLog::ReadRemarks(std::string_view lines) {
  for (RemarkedLines& it : remarks_) {
    ForEachMark(lines, it.mark, [&](std::string_view line, std::size_t) {
      if (++it.count == 1) it.first = Excerpt(Trim(line), kExcerptOfLine);
    });
  }
}

void MissLog::FindHeads() {
  for (const auto* const all : {&marked_, &opposite_}) {
    for (const MarkedForms& marked : *all) {
      for (const MissForm& form : marked.forms) {
        const std::string_view text = form.line.head();
        const std::string_view head = Trim(text.substr(0, text.find(marked.mark)));
        if (!head.empty() && std::ranges::find(heads_, head) == heads_.end())
          heads_.emplace_back(head);
      }
    }
  }
}

// Counts lines with a message's beginning but without its mark. They show that a log without misses
// may be broken. The search takes a third of the time, so it ends at the first miss.
void MissLog::CountBroken(std::string_view lines) {
  if (counts_.misses > 0) return;
  const auto has_mark = [](const std::vector<MarkedForms>& all, std::string_view line) {
    return std::ranges::any_of(all,
                               [line](const auto& it) { return !Find(line, it.mark).empty(); });
  };
  for (const std::string& head : heads_) {
    ForEachMark(lines, head, [&](std::string_view line, std::size_t) {
      if (!has_mark(marked_, line) && !has_mark(opposite_, line)) ++counts_.fragments;
    });
  }
}

void MissLog::ReadNamed(std::size_t mark, std::string_view line, std::size_t at) {
  switch (files_.ReadLine(mark, line, at)) {
    case FileMisses::Read::kOther:
      return;
    case FileMisses::Read::kCounted:
      ++counts_.misses;
      return;
    case FileMisses::Read::kKnown:
      ++counts_.known;
      return;
    case FileMisses::Read::kDropped:
      ++counts_.dropped;
      return;
    case FileMisses::Read::kUnread:
      return Unread(line.substr(at));
    case FileMisses::Read::kMisnamed:
      break;
  }
  if (++counts_.misnamed > 1) return;
  const MisnamedFile first = files_.Misnamed().front();
  counts_.first_misnamed =
      std::string(Excerpt(first.path, kExcerptOfLine)) + ": " + first.error.detail;
}

void MissLog::Unread(std::string_view what) {
  ++counts_.unread;
  if (counts_.first_unread.empty()) counts_.first_unread = Excerpt(what, kExcerptOfLine);
}

void MissLog::Add(MissShape shape) {
  const std::uint64_t count = shape.count;
  const bool counted = fold_.AddShape(std::move(shape)).added == MissFold::Added::kCounted;
  (counted ? counts_.misses : counts_.dropped) += count;
  counts_.lines += count;
}

MissLog::SeenLine& MissLog::SeenAt(std::string_view text) {
  return seen_[std::hash<std::string_view>()(text) % kSeenLines];
}

// A message begins at the last head before the mark, because another process may have written into
// the line before that.
void MissLog::ReadMarked(const MarkedForms& marked, std::string_view line, std::size_t mark) {
  std::string_view unread;
  for (const MissForm& form : marked.forms) {
    const std::size_t begin = line.rfind(form.line.head(), mark);
    if (begin == std::string_view::npos) continue;
    const std::string_view message = line.substr(begin);
    if (const SeenLine& seen = SeenAt(message); seen.shape != kNoShape && seen.text == message) {
      fold_.Again(seen.shape);
      ++counts_.misses;
      return;
    }
    if (ReadMessage(form, message)) return;
    unread = message;
  }
  if (!unread.empty()) return Unread(unread);
  ++counts_.fragments;  // a wrapped line, or a line of another program
}

void MissLog::CountKnown(const MarkedForms& marked, std::string_view line, std::size_t mark) {
  for (const MissForm& form : marked.forms) {
    const std::size_t begin = line.rfind(form.line.head(), mark);
    if (begin == std::string_view::npos) continue;
    if (!form.line.Match(line.substr(begin), values_)) continue;
    ++counts_.known;
    return;
  }
  ++counts_.fragments;
}

// Returns false if the message does not have this form.
bool MissLog::ReadMessage(const MissForm& form, std::string_view message) {
  if (!form.line.Match(message, values_)) return false;
  std::string_view path;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (form.line.names()[i] == kFilePlace) path = values_[i];
  }
  const MissReading* const reading = ReadingOf(families_, form, path, family_);
  if (reading == nullptr) {
    ++counts_.unnamed;
    if (counts_.first_unnamed.empty()) counts_.first_unnamed = Excerpt(message, kExcerptOfLine);
    return true;
  }
  const MissFold::Addition addition = fold_.Add(*reading, values_);
  if (addition.added == MissFold::Added::kUnread) return false;
  if (addition.added == MissFold::Added::kDropped) {
    ++counts_.dropped;
    return true;
  }
  ++counts_.misses;
  if (message.size() <= kMostSeenBytes) SeenAt(message) = {std::string(message), addition.shape};
  return true;
}

std::vector<MissShape> MissLog::Take() {
  std::vector<MissShape> shapes = fold_.Sorted();
  fold_.Clear();
  seen_.assign(kSeenLines, {});
  return shapes;
}

void MissLog::AddUnread(std::string_view what) {
  ++counts_.lines;
  Unread(what);
}

std::vector<MissedFile> MissLog::TakeFiles() {
  std::vector<MissedFile> files = files_.Sorted();
  files_.Clear();
  return files;
}

std::vector<RemarkedLines> MissLog::Remarks() const {
  std::vector<RemarkedLines> seen = remarks_;
  std::erase_if(seen, [](const RemarkedLines& it) { return it.count == 0; });
  return seen;
}

Status CheckLogBytes(std::string_view bytes, bool first, std::string_view place) {
  if (const ForeignForm* const form = first ? FormOf(bytes) : nullptr) {
    const std::string run =
        form->command.empty() ? "" : fmt::format(". Convert it: {} FILE > LOG", form->command);
    return Error{kBadLog,
                 fmt::format("{}: is {}; expected a log as UTF-8 text{}", place, form->what, run)};
  }
  const std::size_t nul = bytes.find('\0');
  if (nul == std::string_view::npos) return Ok();
  return Error{kBadLog,
               fmt::format("{}: line {} (counted from the first line read) contains a NUL byte; "
                           "expected a log as UTF-8 text\n"
                           "UTF-16: iconv -f UTF-16LE -t UTF-8 FILE > LOG\n"
                           "stray NUL bytes: tr -d '\\000' < FILE > LOG",
                           place, LineNumber(bytes, nul))};
}

}  // namespace tunehub::core
