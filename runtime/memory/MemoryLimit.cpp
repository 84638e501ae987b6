//===- MemoryLimit.cpp - Memory that this process may have ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// /proc/self/cgroup names the group of the process in each hierarchy:
//
//   4:memory:/jobs/7        version 1, its hierarchy of memory
//   0::/jobs/7              version 2
//
// and /proc/self/mountinfo where hierarchies are mounted, from which group on:
//
//   35 31 0:32 /jobs /sys/fs/cgroup/memory rw,relatime - cgroup cgroup
//   rw,memory
//
// A container often sees its own group as the root of the mount.

#include "MemoryLimit.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sys/sysinfo.h>

using namespace dyn::rt;

namespace {
void forEachLine(const std::string &path,
                 const std::function<void(std::string)> &visit) {
  std::FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    return;
  char *line = nullptr;
  size_t capacity = 0;
  for (ssize_t length; (length = ::getline(&line, &capacity, file)) > 0;)
    visit(std::string(line, line[length - 1] == '\n' ? length - 1 : length));
  std::free(line);
  std::fclose(file);
}

/// Removes the next word, up to `separator`, from the front of a text.
std::string takeWord(std::string &text, char separator) {
  size_t end = text.find(separator);
  std::string word = text.substr(0, end);
  text.erase(0, end == std::string::npos ? end : end + 1);
  return word;
}

/// Whether a comma-separated list contains the word.
bool lists(std::string list, const char *word) {
  while (!list.empty())
    if (takeWord(list, ',') == word)
      return true;
  return false;
}

/// Escapes in paths of mountinfo, such as blanks, are octal numbers.
std::string unescape(const std::string &text) {
  auto isOctal = [&](size_t i) { return text[i] >= '0' && text[i] <= '7'; };
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && isOctal(i + 1) &&
        isOctal(i + 2) && isOctal(i + 3)) {
      result += char((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                     (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// Lowers a limit to the number in a file; "max" is no limit.
void lower(uint64_t &limit, const std::string &path) {
  forEachLine(path, [&](std::string line) {
    char *end = nullptr;
    unsigned long long value = std::strtoull(line.c_str(), &end, 10);
    if (end != line.c_str() && *end == '\0')
      limit = std::min<uint64_t>(limit, value);
  });
}

/// Visits the folders of a group and of its ancestors, up to the mount point of
/// the hierarchy, which shows the group `root`.
void forEachGroup(const std::string &mount, const std::string &root,
                  std::string group,
                  const std::function<void(const std::string &)> &visit) {
  if (root != "/") {
    bool isBelow = group.compare(0, root.size(), root) == 0 &&
                   (group.size() == root.size() || group[root.size()] == '/');
    group = isBelow ? group.substr(root.size()) : "";
  }
  while (!group.empty() && group != "/") {
    visit(mount + group);
    group.erase(group.rfind('/'));
  }
  visit(mount);
}
} // namespace

MemoryLimit MemoryLimit::ofGroups(const std::string &process) {
  std::string first, second;
  forEachLine(process + "/cgroup", [&](std::string line) {
    std::string number = takeWord(line, ':');
    std::string controllers = takeWord(line, ':');
    if (lists(controllers, "memory"))
      first = line;
    else if (number == "0" && controllers.empty())
      second = line;
  });
  MemoryLimit limit;
  forEachLine(process + "/mountinfo", [&](std::string line) {
    std::string root, mount;
    for (int i = 0; i < 3; ++i)
      takeWord(line, ' ');
    root = unescape(takeWord(line, ' '));
    mount = unescape(takeWord(line, ' '));
    // A dash ends the optional fields.
    while (!line.empty() && takeWord(line, ' ') != "-")
      ;
    std::string type = takeWord(line, ' ');
    takeWord(line, ' ');
    if (type == "cgroup" && !first.empty() && lists(line, "memory"))
      forEachGroup(mount, root, first, [&](const std::string &folder) {
        lower(limit.memory, folder + "/memory.limit_in_bytes");
        lower(limit.both, folder + "/memory.memsw.limit_in_bytes");
      });
    if (type == "cgroup2" && !second.empty())
      forEachGroup(mount, root, second, [&](const std::string &folder) {
        lower(limit.memory, folder + "/memory.max");
        lower(limit.swap, folder + "/memory.swap.max");
      });
  });
  return limit;
}

uint64_t MemoryLimit::apply(uint64_t machineMemory,
                            uint64_t machineSwap) const {
  return std::min(both, std::min(memory, machineMemory) +
                            std::min(swap, machineSwap));
}

uint64_t dyn::rt::usableMemory() {
  struct sysinfo info;
  if (::sysinfo(&info) != 0)
    return UINT64_MAX;
  return MemoryLimit::ofGroups().apply(uint64_t(info.totalram) * info.mem_unit,
                                       uint64_t(info.totalswap) *
                                           info.mem_unit);
}
