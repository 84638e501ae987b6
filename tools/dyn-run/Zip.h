//===- Zip.h - Zip archives, as far as .npz needs them --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_RUN_ZIP_H
#define DYN_TOOLS_RUN_ZIP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace dyn::run {

struct ZipFile {
  std::string name;
  std::string contents;
};

/// Reads all files of an archive, stored or deflated, with Zip64 sizes, and
/// checks their checksums. Archives are untrusted: a file must not be larger
/// than its compressed bytes can unpack to, and no byte belongs to two files.
llvm::Expected<std::vector<ZipFile>> readZip(llvm::StringRef archive);

/// Writes an archive of stored files, which every reader maps or reads at full
/// speed. It has Zip64 records if a file or the archive exceeds 4 GB.
llvm::Error writeZip(llvm::raw_ostream &stream, llvm::ArrayRef<ZipFile> files);

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_ZIP_H
