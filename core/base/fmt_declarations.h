// Declares the libfmt template that formats spdlog's messages. fmt_definitions.cpp compiles it.
// Without this declaration, each source that logs would compile the template again, which takes
// three seconds. The compiler includes this file before each source that may log
// (cmake/dependencies.cmake).
#pragma once

#include <fmt/core.h>

FMT_BEGIN_NAMESPACE
namespace detail {

extern template FMT_API void vformat_to(buffer<char>&, string_view,
                                        basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
