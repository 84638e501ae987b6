//===- ConstantsFile.cpp - Constants of an image or sidecar ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ConstantsFile.h"

#include "dyn/Interpreter/ConstantEvaluator.h"
#include "dyn/Support/Weights.h"
#include "dyn/Target/SharedWeights.h"
#include "dyn/artifact.h"

#include "mlir/IR/Threading.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using namespace dyn;

namespace {
/// A constant, its bytes in the file, and a digest of them.
struct EvaluatedConstant {
  dlhlo::ConstantOp op;
  const ConstantDescription &slot;
  Identity digest = {};
};
} // namespace

/// Compares a constant with its bytes in the file of another artifact.
static LogicalResult compareConstant(dlhlo::ConstantOp op, WeightFiles &files,
                                     ArrayRef<char> found, StringRef path) {
  std::unique_ptr<llvm::WritableMemoryBuffer> own =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(found.size());
  if (failed(evaluateConstant(op, files, own->getBuffer())))
    return failure();
  if (std::memcmp(own->getBufferStart(), found.data(), found.size()) == 0)
    return success();
  return op.emitError("the constants in '")
         << path << "' are of another model: those of '" << op.getSymName()
         << "' differ";
}

/// Evaluates the constants of programs to their offsets from `area`, whose
/// bytes are those from `begin` on. Returns the digests of those.
static FailureOr<SmallVector<Identity>>
evaluateConstants(ModuleOp module, ModuleOp device,
                  const ArtifactDescription &description,
                  const SharedWeights *shared, StringRef weightsFolder,
                  char *area, uint64_t begin) {
  using Owner = ConstantDescription::Owner;
  SmallVector<EvaluatedConstant> constants;
  auto collect = [&](ModuleOp program, const ProgramDescription &layout) {
    for (auto [constant, slot] :
         llvm::zip_equal(program.getOps<dlhlo::ConstantOp>(), layout.constants))
      if (slot.owner != Owner::Cpu)
        constants.push_back({constant, slot});
  };
  collect(module, description);
  if (device)
    collect(device, description.programs.front());
  WeightFiles files(weightsFolder);
  if (failed(failableParallelForEach(
          module.getContext(), constants,
          [&](EvaluatedConstant &constant) -> LogicalResult {
            const ConstantDescription &slot = constant.slot;
            if (slot.owner == Owner::SharedWeights)
              return compareConstant(constant.op, files,
                                     shared->get(slot.offset, slot.bytes),
                                     shared->getPath());
            MutableArrayRef<char> bytes(area + (slot.offset - begin),
                                        slot.bytes);
            if (failed(evaluateConstant(constant.op, files, bytes)))
              return failure();
            constant.digest = getDigest(bytes);
            return success();
          })))
    return failure();
  SmallVector<Identity> digests;
  for (const EvaluatedConstant &constant : constants)
    if (constant.slot.owner == Owner::Own)
      digests.push_back(constant.digest);
  return digests;
}

std::string dyn::getSidecarName(StringRef artifact, const Identity &id) {
  return (artifact + "." + llvm::toHex(id, /*LowerCase=*/true) + ".weights")
      .str();
}

std::optional<Identity> dyn::readId(StringRef path) {
  std::string file = path.str();
  int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return std::nullopt;
  llvm::scope_exit close([&] { ::close(fd); });
  struct stat status;
  dyn_trailer_t trailer;
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
      size_t(status.st_size) < sizeof(trailer) ||
      ::pread(fd, &trailer, sizeof(trailer),
              status.st_size - sizeof(trailer)) != sizeof(trailer) ||
      std::memcmp(trailer.magic, DYN_TRAILER_MAGIC, sizeof(trailer.magic)) != 0)
    return std::nullopt;
  Identity id;
  std::memcpy(id.data(), trailer.id, sizeof(trailer.id));
  return id;
}

/// Replaces the placeholder of a sidecar's name.
static void nameSidecar(MutableArrayRef<char> image, StringRef artifact,
                        const Identity &id) {
  std::string before = getSidecarName(artifact);
  std::string after = getSidecarName(artifact, id);
  StringRef text(image.data(), image.size());
  for (size_t at = 0; (at = text.find(before, at)) != StringRef::npos;
       at += after.size())
    std::memcpy(&image[at], after.data(), after.size());
}

/// Writes the ids, and the sidecar's name if there is one, into an image, and
/// fills the trailer, which does not depend on what will be appended to the
/// image. `weights` is the id of another artifact's file, if it is used. False
/// if it is not an image.
static bool sealImage(MutableArrayRef<char> image, ArrayRef<Identity> constants,
                      StringRef sidecarOf, const Identity *weights,
                      dyn_trailer_t &trailer) {
  Identity digest;
  if (!sidecarOf.empty()) {
    // Artifacts with equal constants have the same.
    digest = getDigest({reinterpret_cast<const char *>(constants.data()),
                        constants.size() * sizeof(Identity)});
    weights = &digest;
  }
  if (weights && !nameWeights(image, *weights))
    return false;
  std::optional<Identity> id = identifyImage(image, constants);
  if (!id)
    return false;
  if (!sidecarOf.empty()) {
    nameSidecar(image, sidecarOf, digest);
    id = digest;
  }
  std::memcpy(trailer.id, id->data(), sizeof(trailer.id));
  trailer.image_bytes = image.size();
  trailer.image_digest = dyn_image_digest(
      image.size(), reinterpret_cast<const uint8_t *>(image.data()),
      image.size());
  return true;
}

FailureOr<Identity> dyn::appendConstants(ModuleOp module, ModuleOp device,
                                         const ArtifactDescription &description,
                                         const SharedWeights *shared,
                                         StringRef weightsFolder,
                                         StringRef artifact, StringRef image,
                                         StringRef path) {
  auto fail = [&](StringRef what) {
    return module.emitError("cannot ")
           << what << ' ' << path << ": " << std::strerror(errno);
  };
  std::string file = path.str();
  int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    return fail("open");
  llvm::scope_exit close([&] { ::close(fd); });
  struct stat status;
  // No test: a file that is open has a size.
  if (::fstat(fd, &status) != 0)
    return fail("read the size of");

  // Mapped as long as the image is, to which constants may be appended.
  auto mapped = llvm::WriteThroughMemoryBuffer::getFile(image);
  if (!mapped)
    return module.emitError("cannot read ")
           << image << ": " << mapped.getError().message();
  dyn_trailer_t trailer;
  std::memcpy(trailer.magic, DYN_TRAILER_MAGIC, sizeof(trailer.magic));
  trailer.offset = llvm::alignTo(status.st_size, DYN_PAGE);
  // A sidecar that is written now has all of them.
  uint64_t begin = shared ? description.getOwnBegin() : 0;
  trailer.bytes = description.constantsBytes - begin;
  uint64_t end = trailer.offset + trailer.bytes;
  // Reserving the blocks now turns a full disk into an error instead of a
  // signal while the mapping is written. No test: it would need a full disk.
  if (int code = ::posix_fallocate(fd, 0, end + sizeof(trailer))) {
    errno = code;
    return fail("reserve space in");
  }

  void *memory = nullptr;
  llvm::scope_exit unmap([&] {
    if (memory)
      ::munmap(memory, trailer.bytes);
  });
  if (trailer.bytes != 0) {
    void *mapping = ::mmap(nullptr, trailer.bytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED, fd, trailer.offset);
    if (mapping == MAP_FAILED)
      return fail("map");
    memory = mapping;
  }
  FailureOr<SmallVector<Identity>> digests =
      evaluateConstants(module, device, description, shared, weightsFolder,
                        static_cast<char *>(memory), begin);
  if (failed(digests))
    return failure();
  bool isImage = sealImage((*mapped)->getBuffer(), *digests,
                           image == path ? StringRef() : artifact,
                           shared ? &shared->getId() : nullptr, trailer);
  // No test: the linker writes images.
  if (!isImage)
    return module.emitError("the linker has written no artifact to ") << image;
  if (::pwrite(fd, &trailer, sizeof(trailer), end) != sizeof(trailer))
    return fail("write");
  Identity id;
  std::memcpy(id.data(), trailer.id, sizeof(trailer.id));
  if (image == path)
    return id;
  // An artifact ends with a trailer wherever its constants are.
  trailer.offset = llvm::alignTo(trailer.image_bytes, DYN_PAGE);
  trailer.bytes = 0;
  file = image.str();
  int imageFd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  llvm::scope_exit closeImage([&] { ::close(imageFd); });
  if (imageFd < 0 || ::pwrite(imageFd, &trailer, sizeof(trailer),
                              trailer.offset) != sizeof(trailer))
    return module.emitError("cannot write ")
           << image << ": " << std::strerror(errno);
  return id;
}
