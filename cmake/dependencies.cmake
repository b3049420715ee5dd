# Every third-party library, as a SYSTEM target. ARCHITECTURE.md gives the reason for each.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(nlohmann_json REQUIRED)
# tunehub uses only fmt's headers. core/base/fmt_definitions.cpp compiles the code that version 9 has in its library.
find_package(fmt 9...<10 REQUIRED)
# The compiled library, because a header-only spdlog would make the build 26 s longer.
find_package(spdlog REQUIRED)
target_compile_options(spdlog::spdlog INTERFACE "SHELL:-include \"${CMAKE_SOURCE_DIR}/core/base/fmt_declarations.h\"")
find_package(PkgConfig REQUIRED)
find_package(Boost 1.74 REQUIRED)
pkg_check_modules(pqxx REQUIRED IMPORTED_TARGET libpqxx)
pkg_check_modules(pq REQUIRED IMPORTED_TARGET libpq)  # libpqxx uses it
# libdeflate compresses a third faster than zlib, and smaller. But only zlib decompresses a stream in pieces.
pkg_check_modules(deflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(archive REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
# Third-party configs contain regular expressions. They need look-aheads, as in Python, and a limit of steps.
pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(prometheus REQUIRED IMPORTED_TARGET prometheus-cpp-core)
# CLI11's header takes three seconds to compile, so only core/base/command_line.cpp includes it.
find_package(CLI11 REQUIRED)
find_package(cpprestsdk REQUIRED)

# Libraries that tunehub-agent carries. The agent uses only tar and gzip of libarchive.a, which need only zlib.
include(carried_libraries)
carried_library(tunehub_crypto libssl-dev SHARED OpenSSL::Crypto ARCHIVES libcrypto.a)
carried_library(tunehub_tls libssl-dev SHARED OpenSSL::SSL ARCHIVES libssl.a libcrypto.a)
carried_library(tunehub_archive "libarchive-dev, zlib1g-dev" SHARED PkgConfig::archive PkgConfig::zlib ARCHIVES libarchive.a libz.a)
carried_library(tunehub_deflate libdeflate-dev SHARED PkgConfig::deflate ARCHIVES libdeflate.a)
carried_library(tunehub_pcre2 libpcre2-dev SHARED PkgConfig::pcre2 ARCHIVES libpcre2-8.a)
