//===- Files.h - Files of tests -------------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_TARGET_FILES_H
#define DYN_TEST_UNIT_TARGET_FILES_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <set>
#include <string>

namespace dyn::test {

/// A folder that is removed at the end.
class Folder {
public:
  Folder() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("dyn-test", path));
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  ~Folder() { llvm::sys::fs::remove_directories(path); }

  std::string getPath(llvm::StringRef name) const {
    llvm::SmallString<128> file = path;
    llvm::sys::path::append(file, name);
    return file.str().str();
  }
  /// Writes a file and returns its path.
  std::string write(llvm::StringRef name, llvm::StringRef bytes) const {
    std::error_code code;
    llvm::raw_fd_ostream(getPath(name), code) << bytes;
    EXPECT_FALSE(code);
    return getPath(name);
  }
  std::string read(llvm::StringRef name) const {
    auto buffer = llvm::MemoryBuffer::getFile(getPath(name));
    EXPECT_TRUE(buffer) << name.str();
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  /// The names of all files.
  std::set<std::string> list() const {
    std::set<std::string> names;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(path, code), end;
         it != end && !code; it.increment(code))
      names.insert(llvm::sys::path::filename(it->path()).str());
    return names;
  }

private:
  llvm::SmallString<128> path;
};

} // namespace dyn::test

#endif // DYN_TEST_UNIT_TARGET_FILES_H
