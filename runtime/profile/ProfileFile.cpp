//===- ProfileFile.cpp - Writes profiles ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// docs/Profiles.md describes the format, which lib/Profile reads: the three
// change together.

#include "Profile.h"
#include "TextFile.h"

#include <cinttypes>
#include <cstdlib>
#include <unistd.h>

using namespace dyn::rt;

static std::string expand(const std::string &pattern,
                          const std::string &process) {
  std::string expanded;
  for (const char *c = pattern.c_str(); *c; ++c) {
    if (c[0] == '%' && (c[1] == 'p' || c[1] == '%')) {
      ++c;
      expanded += *c == 'p' ? process : "%";
    } else {
      expanded += *c;
    }
  }
  return expanded;
}

std::string dyn::rt::expandProcess(const std::string &pattern) {
  return expand(pattern, std::to_string(::getpid()));
}

bool dyn::rt::tellsProcessesApart(const std::string &pattern) {
  return expand(pattern, "1") != expand(pattern, "2");
}

std::string dyn::rt::anchorPattern(const std::string &pattern) {
  if (pattern.empty() || pattern[0] == '/')
    return pattern;
  std::unique_ptr<char, decltype(&std::free)> folder(::getcwd(nullptr, 0),
                                                     std::free);
  // Opening the relative name fails as well, and reports the error.
  if (!folder)
    return pattern;
  std::string anchored;
  for (const char *c = folder.get(); *c; ++c)
    anchored += *c == '%' ? "%%" : std::string(1, *c);
  return anchored + "/" + pattern;
}

static void writeText(std::FILE *file, const char *name,
                      const std::string &text) {
  if (text.empty())
    return;
  std::fprintf(file, ",\n   \"%s\": ", name);
  writeJsonString(file, text.c_str());
}

/// The non-zero elements of a table, as triples.
static void writeTable(std::FILE *file, const char *name,
                       const std::vector<uint64_t> &table, size_t columns) {
  if (table.empty())
    return;
  std::fprintf(file, ", \"%s\": [", name);
  const char *separator = "";
  for (size_t i = 0; i < table.size(); ++i) {
    if (!table[i])
      continue;
    std::fprintf(file, "%s[%zu,%zu,%" PRIu64 "]", separator, i / columns,
                 i % columns, table[i]);
    separator = ",";
  }
  std::fputc(']', file);
}

static void writeWindow(std::FILE *file, const RouteWindow &window) {
  std::fprintf(
      file,
      "{\"at\": %" PRId64 ", \"calls\": %" PRIu64 ", \"cells\": %" PRIu64
      ", \"dropped\": %" PRIu64 ", \"hottest\": %" PRIu64 ", \"load\": [",
      window.at, window.calls, window.cells, window.dropped, window.hottest);
  size_t paths = window.load.size();
  for (size_t path = 0; path < paths; ++path)
    std::fprintf(file, path ? ",%" PRIu64 : "%" PRIu64, window.load[path]);
  std::fputc(']', file);
  writeTable(file, "pairs", window.pairs, paths);
  writeTable(file, "transitions", window.transitions, paths);
  std::fputc('}', file);
}

static void writeRouter(std::FILE *file, const RouteTables &tables) {
  const RouterIdentity &router = tables.identity();
  std::fputs("  {\"key\": ", file);
  writeJsonString(file, router.key.c_str());
  writeText(file, "label", router.label);
  writeText(file, "cell", router.cell);
  std::fprintf(file, ",\n   \"paths\": %u", router.paths);
  writeText(file, "fingerprint", router.fingerprint);
  if (!router.after.empty()) {
    writeText(file, "after", router.after);
    std::fprintf(file, ",\n   \"after_paths\": %u", router.afterPaths);
  }
  std::fprintf(file, ",\n   \"window_ms\": %" PRIu64 ",\n   \"windows\": [",
               tables.windowLength());
  const char *separator = "\n    ";
  for (const RouteWindow &window : tables.getWindows()) {
    std::fputs(separator, file);
    writeWindow(file, window);
    separator = ",\n    ";
  }
  std::fputs("]}", file);
}

dyn_status_t
dyn::rt::writeProfile(const std::string &path, uint64_t lost,
                      const std::vector<const RouteTables *> &routers) {
  TextFile out(path.c_str());
  DYN_RETURN_IF_FAILED(out.open());
  std::FILE *file = out.get();
  std::fprintf(file,
               "{\"dyn_profile\": 1,\n \"producer\": \"dyn " DYN_RUNTIME_VERSION
               "\",\n \"lost\": %" PRIu64 ",\n \"routers\": [",
               lost);
  const char *separator = "\n";
  for (const RouteTables *router : routers) {
    if (router->getWindows().empty())
      continue;
    std::fputs(separator, file);
    writeRouter(file, *router);
    separator = ",\n";
  }
  std::fputs("]}\n", file);
  return out.commit();
}

dyn_status_t dyn_profile::writeLocked(const char *pattern) {
  std::vector<const RouteTables *> routers;
  for (const std::unique_ptr<RouteTables> &table : tables)
    routers.push_back(table.get());
  return writeProfile(expandProcess(pattern), lostRecords(), routers);
}

dyn_status_t dyn_profile::write(const char *pattern) {
  std::lock_guard<std::mutex> lock(folding);
  fold();
  return writeLocked(pattern);
}
