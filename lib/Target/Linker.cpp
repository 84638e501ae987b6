//===- Linker.cpp - Links objects into a shared object in process ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Linker.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace dyn;

// The object file of Builtins.c, put into this library by Builtins.S.
extern "C" const char dyn_builtins_begin[];
extern "C" const char dyn_builtins_end[];

/// Writes bytes to a new temporary file and appends its path to `paths`.
static bool writeTemporary(llvm::StringRef bytes, llvm::StringRef suffix,
                           std::vector<std::string> &paths,
                           std::string &error) {
  llvm::SmallString<128> path;
  int fd = -1;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("dyn", suffix, fd, path)) {
    error = "cannot create a temporary file: " + code.message();
    return false;
  }
  paths.push_back(path.str().str());
  llvm::raw_fd_ostream stream(fd, /*shouldClose=*/true);
  stream << bytes;
  stream.flush();
  if (stream.has_error()) {
    error =
        ("cannot write " + path.str() + ": ").str() + stream.error().message();
    stream.clear_error();
    return false;
  }
  return true;
}

/// Asks for as much of the disk as the linker needs at most: it writes through
/// a mapping, where a full disk is a signal and no error.
static bool checkSpace(const std::string &path, uint64_t bytes,
                       std::string &error) {
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    return true; // The linker says why.
  int code = ::posix_fallocate(fd, 0, bytes);
  ::close(fd);
  llvm::sys::fs::remove(path);
  if (code)
    error = "cannot reserve space in " + path + ": " + std::strerror(code);
  return code == 0;
}

bool dyn::linkSharedObject(llvm::ArrayRef<ObjectCode> objects,
                           llvm::StringRef symbol, llvm::StringRef path,
                           bool sanitize, std::string &error) {
  static std::mutex lock;
  static bool canRunAgain = true;

  std::vector<std::string> files;
  llvm::scope_exit removeFiles([&] {
    for (const std::string &file : files)
      llvm::sys::fs::remove(file);
  });
  // Headers, and the ends of pages.
  uint64_t bytes = 1 << 16;
  for (const ObjectCode &object : objects) {
    if (!writeTemporary({object.data(), object.size()}, "o", files, error))
      return false;
    bytes += object.size();
  }
  llvm::StringRef builtins(dyn_builtins_begin,
                           dyn_builtins_end - dyn_builtins_begin);
  if (!writeTemporary(builtins, "o", files, error))
    return false;
  std::string script = "{ global: " + symbol.str() + "; local: *; };\n";
  if (!writeTemporary(script, "map", files, error))
    return false;
  std::string scriptOption = "--version-script=" + files.back();

  std::vector<const char *> args = {
      "ld.lld",          "-shared",     "--gc-sections",     "--hash-style=gnu",
      "--build-id=none", "-z",          "noexecstack",       "-z",
      "relro",           "--threads=1", scriptOption.c_str()};
  if (!sanitize) {
    args.push_back("--strip-debug");
    args.push_back("-z");
    args.push_back("defs");
  }
  for (const std::string &file : llvm::ArrayRef(files).drop_back())
    args.push_back(file.c_str());
  std::string output = path.str();
  if (!checkSpace(output, bytes + builtins.size(), error))
    return false;
  args.push_back("-o");
  args.push_back(output.c_str());

  std::lock_guard<std::mutex> guard(lock);
  if (!canRunAgain) {
    error = "the linker crashed before and cannot run again in this process";
    return false;
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result =
      lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}});
  canRunAgain = result.canRunAgain;
  if (result.retCode != 0) {
    error = "linking failed: " + llvm::StringRef(messages).trim().str();
    return false;
  }
  return true;
}
