# Every outside library, as a SYSTEM target. ARCHITECTURE.md gives the reason for each.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(nlohmann_json REQUIRED)
# Only fmt's headers are used: core/base/fmt_definitions.cpp compiles what version 9 has in its library.
find_package(fmt 9...<10 REQUIRED)
# The compiled library: with spdlog's headers alone the build would take 26 s longer.
find_package(spdlog REQUIRED)
target_compile_options(spdlog::spdlog INTERFACE "SHELL:-include \"${CMAKE_SOURCE_DIR}/core/base/fmt_declarations.h\"")
find_package(PkgConfig REQUIRED)
find_package(Boost 1.74 REQUIRED)
pkg_check_modules(pqxx REQUIRED IMPORTED_TARGET libpqxx)
pkg_check_modules(pq REQUIRED IMPORTED_TARGET libpq)  # libpqxx uses it
# libdeflate compresses a third faster and smaller than zlib, but only zlib unpacks piece by piece.
pkg_check_modules(deflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(archive REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
# Strangers' configs contain patterns: these need look-aheads, as in Python, and a limit of steps.
pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(prometheus REQUIRED IMPORTED_TARGET prometheus-cpp-core)
# CLI11's header costs three seconds, so core/base/command_line.cpp alone includes it.
find_package(CLI11 REQUIRED)
find_package(cpprestsdk REQUIRED)

# Libraries that tunehub-agent carries. Of libarchive.a the agent links only tar and gzip, which need only zlib.
include(carried_libraries)
carried_library(tunehub_crypto libssl-dev SHARED OpenSSL::Crypto ARCHIVES libcrypto.a)
carried_library(tunehub_tls libssl-dev SHARED OpenSSL::SSL ARCHIVES libssl.a libcrypto.a)
carried_library(tunehub_archive "libarchive-dev, zlib1g-dev" SHARED PkgConfig::archive PkgConfig::zlib ARCHIVES libarchive.a libz.a)
carried_library(tunehub_deflate libdeflate-dev SHARED PkgConfig::deflate ARCHIVES libdeflate.a)
carried_library(tunehub_pcre2 libpcre2-dev SHARED PkgConfig::pcre2 ARCHIVES libpcre2-8.a)
