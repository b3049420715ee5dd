// The template of libfmt that spdlog formats messages by; fmt_definitions.cpp has it compiled.
// Without this declaration each unit that logs compiles it again, in three seconds. The compiler
// includes this file before each source that may log (cmake/dependencies.cmake).
#pragma once

#include <fmt/core.h>

FMT_BEGIN_NAMESPACE
namespace detail {

extern template FMT_API void vformat_to(buffer<char>&, string_view,
                                        basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
