//===- CudaToolkit.cpp - The CUDA tools that create images ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/CudaToolkit.h"

#include "dyn/Support/ChildProcesses.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <list>

using namespace dyn;
using llvm::StringRef;

namespace {
/// Files that are removed with the object.
class TemporaryFiles {
public:
  /// A new file; empty with a message if there can be none.
  StringRef add(StringRef ending, std::string &error) {
    llvm::SmallString<128> path;
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("dyn", ending, path)) {
      error = "cannot create a temporary file: " + code.message();
      return {};
    }
    paths.push_back(path.str().str());
    removers.emplace_back(paths.back());
    return paths.back();
  }

private:
  std::list<std::string> paths;
  std::list<llvm::FileRemover> removers;
};
} // namespace

static std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// Runs a tool of the toolkit.
static bool runTool(StringRef name, llvm::ArrayRef<std::string> arguments,
                    TemporaryFiles &files, std::string &error) {
  llvm::ErrorOr<std::string> tool = llvm::sys::findProgramByName(name);
  if (!tool)
    tool = llvm::sys::findProgramByName(name, {DYN_CUDA_TOOLS});
  if (!tool) {
    error = (name + " of the CUDA toolkit is neither in PATH nor in " +
             DYN_CUDA_TOOLS)
                .str();
    return false;
  }
  StringRef log = files.add("log", error);
  if (log.empty())
    return false;
  llvm::SmallVector<StringRef> words = {*tool};
  words.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(), log, log};
  std::string reason;
  AwaitChildren await;
  if (llvm::sys::ExecuteAndWait(*tool, words, std::nullopt, redirects, 0, 0,
                                &reason) == 0)
    return true;
  error = (name + " failed: " + reason + readFile(log)).str();
  return false;
}

bool dyn::makeFatbin(llvm::ArrayRef<ChipCode> codes,
                     std::vector<uint8_t> &fatbin, std::string &error) {
  TemporaryFiles files;
  StringRef image = files.add("fatbin", error);
  std::vector<std::string> bundle = {("--create=" + image).str(), "-64"};
  for (const ChipCode &code : codes) {
    StringRef ptx = files.add("ptx", error), cubin = files.add("cubin", error);
    if (image.empty() || ptx.empty() || cubin.empty())
      return false;
    std::error_code failure;
    llvm::raw_fd_ostream stream(ptx, failure);
    stream << code.ptx;
    stream.close();
    if (failure || stream.has_error()) {
      stream.clear_error();
      error = ("cannot write " + ptx).str();
      return false;
    }
    if (!runTool("ptxas",
                 {"--gpu-name=" + code.chip, ptx.str(), "-o", cubin.str()},
                 files, error))
      return false;
    StringRef number = StringRef(code.chip).substr(strlen("sm_"));
    bundle.push_back(
        ("--image3=kind=elf,sm=" + number + ",file=" + cubin).str());
    bundle.push_back(("--image3=kind=ptx,sm=" + number + ",file=" + ptx).str());
  }
  if (!runTool("fatbinary", bundle, files, error))
    return false;
  std::string bytes = readFile(image);
  fatbin.assign(bytes.begin(), bytes.end());
  return true;
}
