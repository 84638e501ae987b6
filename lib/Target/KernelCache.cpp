//===- KernelCache.cpp - A folder of compiled kernels ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/KernelCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace dyn;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// The first bytes of every entry; the last byte is the version of the format.
static constexpr StringRef kMagic = "dynkern\1";

/// LLVM's pruning removes files with this prefix and no others.
static constexpr StringRef kPrefix = "/llvmcache-";

/// Entries that were not used for so long are removed.
static constexpr std::chrono::hours kExpiration(30 * 24);

namespace {
/// The start of an entry; its contents follow.
struct EntryHeader {
  char magic[8];
  CacheKey key;      ///< a renamed entry is of no use
  CacheKey checksum; ///< of the contents
};
static_assert(sizeof(EntryHeader) == 8 + 2 * sizeof(CacheKey), "no padding");
} // namespace

CacheKey dyn::getCacheKey(StringRef bytes) {
  llvm::BLAKE3 hasher;
  hasher.update(bytes);
  return hasher.final<sizeof(CacheKey)>();
}

static EntryHeader makeHeader(const CacheKey &key, StringRef contents) {
  EntryHeader header;
  std::memcpy(header.magic, kMagic.data(), sizeof(header.magic));
  header.key = key;
  header.checksum = getCacheKey(contents);
  return header;
}

std::string KernelCache::getPath(const CacheKey &key) const {
  return options.folder +
         (kPrefix + llvm::toHex(key, /*LowerCase=*/true)).str();
}

std::optional<ObjectCode> KernelCache::lookup(const CacheKey &key) const {
  llvm::Expected<fs::file_t> file =
      fs::openNativeFileForRead(getPath(key), fs::OF_None);
  if (!file) {
    llvm::consumeError(file.takeError());
    return std::nullopt;
  }
  // Read and not mapped: a file may be truncated by others.
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getOpenFile(*file, "kernel", /*FileSize=*/-1,
                                      /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  std::optional<ObjectCode> contents;
  if (buffer && (*buffer)->getBufferSize() >= sizeof(EntryHeader)) {
    StringRef bytes = (*buffer)->getBuffer();
    StringRef rest = bytes.drop_front(sizeof(EntryHeader));
    EntryHeader header = makeHeader(key, rest);
    if (std::memcmp(&header, bytes.data(), sizeof(header)) == 0) {
      contents.emplace(rest.begin(), rest.end());
      // For the order in which entries are removed. No failure matters: many
      // disks do not note when a file is read, and others' files cannot be
      // touched.
      (void)fs::setLastAccessAndModificationTime(
          *file, std::chrono::system_clock::now());
    }
  }
  (void)fs::closeFile(*file);
  return contents;
}

llvm::Error KernelCache::write(const CacheKey &key, StringRef contents) const {
  // Whoever can write to the folder decides what code models run.
  if (std::error_code code = fs::create_directories(
          options.folder, /*IgnoreExisting=*/true, fs::owner_all))
    return llvm::errorCodeToError(code);
  // Pruning removes what killed processes left.
  llvm::Expected<fs::TempFile> file = fs::TempFile::create(
      options.folder + (kPrefix + "tmp-%%%%%%%%%%%%").str());
  if (!file)
    return file.takeError();
  EntryHeader header = makeHeader(key, contents);
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream.write(reinterpret_cast<const char *>(&header), sizeof(header));
  stream << contents;
  stream.flush();
  if (std::error_code code = stream.error()) {
    stream.clear_error();
    return llvm::joinErrors(llvm::errorCodeToError(code), file->discard());
  }
  return file->keep(getPath(key));
}

void KernelCache::insert(const CacheKey &key, StringRef contents) {
  if (!isWritable)
    return;
  if (llvm::Error error = write(key, contents)) {
    isWritable = false;
    std::string message = llvm::toString(std::move(error));
    std::lock_guard<std::mutex> guard(lock);
    problem = std::move(message);
    return;
  }
  isChanged = true;
}

void KernelCache::prune() {
  // The pruning ends the program if it cannot learn the size of the disk.
  if (!isChanged || !fs::disk_space(options.folder))
    return;
  llvm::CachePruningPolicy policy;
  policy.Interval = options.pruneInterval;
  policy.Expiration = kExpiration;
  policy.MaxSizeBytes = options.maxBytes;
  llvm::pruneCache(options.folder, policy);
}

std::string KernelCache::getProblem() const {
  std::lock_guard<std::mutex> guard(lock);
  return problem;
}
