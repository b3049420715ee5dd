// The lines of all readers' files, each with the grammar that takes its paths apart.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/targets.h"
#include "core/misses/file_misses.h"
#include "core/misses/miss_log.h"
#include "core/readers/reader.h"

namespace tunehub::core {

// Says of a log's bytes whether they can be lines of text at all.
inline constexpr char kBadLog[] = "bad_log";

// `bytes`: the next of a log; `first`: its first. `place` names the log in the error. Packed logs
// and UTF-16 are known by their first bytes, UTF-16 without a mark by its NUL bytes.
// Errors: bad_log.
Status CheckLogBytes(std::string_view bytes, bool first, std::string_view place);

// `readers` must outlive the answer.
std::vector<FileLine> FileLinesOf(const Readers& readers);

// Those about tuned files in general, none of them seen yet.
std::vector<RemarkedLines> RemarksOf(const Readers& readers);

// Each M of each file's ladder, as often as the file was missed. The target is what is known of the
// device; of one that nobody knows there is none, and the shape keeps its name.
std::vector<MissShape> ShapesOfFiles(const Families& families, const Targets& targets,
                                     std::span<const MissedFile> files);

}  // namespace tunehub::core
