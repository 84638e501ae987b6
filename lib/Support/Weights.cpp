//===- Weights.cpp - Mapped files of weights ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Support/Weights.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dyn;
namespace path = llvm::sys::path;

namespace {
/// A file completely mapped into memory, whatever its size: LLVM's own buffers
/// read small files and files with awkward sizes into memory.
class MappedFile : public llvm::MemoryBuffer {
public:
  MappedFile(const char *data, size_t size) : data(data), bytes(size) {
    init(data, data + size, /*RequiresNullTerminator=*/false);
  }
  ~MappedFile() override {
    if (bytes)
      ::munmap(const_cast<char *>(data), bytes);
  }
  BufferKind getBufferKind() const override { return MemoryBuffer_MMap; }

private:
  const char *data;
  size_t bytes;
};
} // namespace

static llvm::Error makeError(const llvm::Twine &file, const llvm::Twine &what) {
  return llvm::createStringError("weights in '" + file + "': " + what);
}

WeightFiles::WeightFiles(llvm::StringRef folder)
    : folder(folder.empty() ? "." : folder.str()) {}

llvm::Expected<std::string> WeightFiles::resolve(llvm::StringRef file) const {
  if (file.empty())
    return makeError(file, "expected the name of a file");
  if (llvm::is_contained(llvm::make_range(path::begin(file), path::end(file)),
                         ".."))
    return makeError(file, "the name leaves the model's folder");
  llvm::SmallString<256> joined;
  if (path::is_absolute(file))
    joined = file;
  else
    path::append(joined, folder, file);
  llvm::SmallString<256> realFolder, realFile;
  if (std::error_code error = llvm::sys::fs::real_path(folder, realFolder))
    return makeError(file, "cannot find the folder '" + folder +
                               "': " + error.message());
  if (std::error_code error = llvm::sys::fs::real_path(joined, realFile))
    return makeError(file, "cannot open it: " + error.message());
  // Compared name by name, since /models is not a parent of /models2.
  auto in = path::begin(realFile), end = path::end(realFile);
  for (llvm::StringRef part :
       llvm::make_range(path::begin(realFolder), path::end(realFolder))) {
    if (in == end || *in != part)
      return makeError(file, "the name leaves the model's folder");
    ++in;
  }
  return std::string(realFile);
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mapFile(llvm::StringRef file, const std::string &path) {
  auto fail = [&] {
    return makeError(file,
                     "cannot open it: " + llvm::errnoAsErrorCode().message());
  };
  // Does not block: the name may be that of a pipe.
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return fail();
  struct stat status;
  if (::fstat(descriptor, &status) != 0) {
    llvm::Error error = fail();
    ::close(descriptor);
    return std::move(error);
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return makeError(file, "expected a regular file");
  }
  void *data = nullptr;
  if (status.st_size) {
    data =
        ::mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) {
      llvm::Error error = fail();
      ::close(descriptor);
      return std::move(error);
    }
  }
  ::close(descriptor);
  return std::make_unique<MappedFile>(static_cast<const char *>(data),
                                      status.st_size);
}

llvm::Expected<llvm::ArrayRef<char>>
WeightFiles::getBytes(llvm::StringRef file, uint64_t offset, uint64_t length) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<llvm::MemoryBuffer> &buffer = buffers[file];
  if (!buffer) {
    llvm::Expected<std::string> path = resolve(file);
    if (!path)
      return path.takeError();
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> mapped =
        mapFile(file, *path);
    if (!mapped)
      return mapped.takeError();
    buffer = std::move(*mapped);
  }
  uint64_t size = buffer->getBufferSize();
  if (offset > size || length > size - offset)
    return makeError(file, "expected " + llvm::Twine(length) +
                               " bytes at offset " + llvm::Twine(offset) +
                               ", and the file has " + llvm::Twine(size));
  return llvm::ArrayRef<char>(buffer->getBufferStart() + offset, length);
}
