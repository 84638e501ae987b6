//===- ProgramFile.cpp - MLIR programs in files ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Support/ProgramFile.h"

#include "dyn/Support/ChildProcesses.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

/// CPU seconds that a trial may take, and more for each megabyte; a complete
/// file takes a hundredth of that.
constexpr rlim_t kTrialSeconds = 5;
constexpr rlim_t kTrialSecondsPerMegabyte = 1;

/// The factor from CPU time to wall-clock time of a trial.
constexpr rlim_t kTrialPatience = 20;

/// Bytes of memory that a trial may take, and more for each byte it reads.
constexpr rlim_t kTrialBytes = rlim_t(4) << 30;
constexpr rlim_t kTrialBytesPerByte = 64;

/// The status of a trial whose reader refuses the bytes without an error
/// message.
constexpr int kRefusesInSilence = 100;

/// The static sizes of a tensor multiply to at most this, so that no count of
/// its bytes overflows.
constexpr int64_t kMostElements = int64_t(1) << 59;

/// Bytes of address space of this process.
static rlim_t getMappedBytes() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

/// The process of a trial: reads, without output, and exits.
[[noreturn]] static void tryBytecode(llvm::MemoryBufferRef bytes,
                                     MLIRContext &context) {
  // Handlers of this tool would print a stack and ask for a bug report.
  for (int signal :
       {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGXCPU, SIGALRM})
    std::signal(signal, SIG_DFL);
  rlim_t seconds =
      kTrialSeconds + (bytes.getBufferSize() >> 20) * kTrialSecondsPerMegabyte;
  rlim_t memory = getMappedBytes() + kTrialBytes +
                  bytes.getBufferSize() * kTrialBytesPerByte;
  rlimit time{seconds, seconds}, space{memory, memory}, noCore{0, 0};
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_AS, &space);
  setrlimit(RLIMIT_CORE, &noCore);
  alarm(seconds * kTrialPatience);
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);

  // A context without threads: the other one's do not exist in this process.
  MLIRContext trial(context.getDialectRegistry(),
                    MLIRContext::Threading::DISABLED);
  trial.allowUnregisteredDialects(context.allowsUnregisteredDialects());
  bool isExplained = false;
  ScopedDiagnosticHandler silent(&trial, [&](Diagnostic &diag) {
    isExplained |= diag.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(bytes, false),
                             SMLoc());
  Block read;
  bool isRead =
      succeeded(parseSourceFile(sources, &read, ParserConfig(&trial)));
  _exit(isRead || isExplained ? 0 : kRefusesInSilence);
}

LogicalResult dyn::checkBytecode(llvm::MemoryBufferRef bytes,
                                 MLIRContext &context) {
  if (!isBytecode(bytes))
    return success();
  Location loc =
      FileLineColLoc::get(&context, bytes.getBufferIdentifier(), 0, 0);
  AwaitChildren await;
  pid_t child = fork();
  if (child == 0)
    tryBytecode(bytes, context);
  int status = 0;
  pid_t ended = -1;
  while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 &&
         errno == EINTR)
    ;
  // No test: processes start where tests run.
  if (ended < 0)
    return emitError(loc, "cannot start a process that tries the bytecode: ")
           << std::strerror(errno);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return success();
  // No test: only damaged bytecode, such as mutants, is refused without a
  // message.
  if (WIFEXITED(status) && WEXITSTATUS(status) == kRefusesInSilence)
    return emitError(
        loc, "expected a program, found bytes that MLIR's reader refuses");
  InFlightDiagnostic diag = emitError(
      loc, "expected MLIR bytecode, found bytes at which its reader ");
  if (!WIFSIGNALED(status))
    return diag << "ends with status " << WEXITSTATUS(status);
  // A process that reaches a time limit is killed.
  if (llvm::is_contained({SIGXCPU, SIGKILL, SIGALRM}, WTERMSIG(status)))
    return diag << "does not come to an end";
  return diag << "crashes (" << strsignal(WTERMSIG(status)) << ')';
}

/// Checks the invariants of a tensor's type. Its verifier runs on text, but not
/// on bytecode.
static LogicalResult verifyTensor(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  int64_t count = 1;
  bool isEmpty = false, isLarge = false;
  for (int64_t size : tensor.getShape()) {
    if (ShapedType::isDynamic(size))
      continue;
    if (size < 0)
      return op->emitError("expected sizes of at least 0, found ") << size;
    isEmpty |= size == 0;
    isLarge |= llvm::MulOverflow(count, size, count) || count > kMostElements;
  }
  if (isLarge && !isEmpty)
    return op->emitError("expected static sizes with a product of at most "
                         "2^59, found ")
           << tensor;
  auto encoding =
      dyn_cast_or_null<VerifiableTensorEncoding>(tensor.getEncoding());
  if (!encoding)
    return success();
  return encoding.verifyEncoding(tensor.getShape(), tensor.getElementType(),
                                 [&] { return op->emitError(); });
}

/// The same for all tensors that a program computes.
static LogicalResult verifyTensors(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    SmallVector<Type> types(op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(types, block.getArgumentTypes());
    for (Type type : types)
      if (failed(verifyTensor(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

OwningOpRef<ModuleOp> dyn::readProgram(llvm::StringRef path,
                                       MLIRContext &context) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false);
  if (!file) {
    emitError(UnknownLoc::get(&context), "could not open input file ") << path;
    return {};
  }
  if (failed(checkBytecode(**file, context)))
    return {};
  // Shared, so that constants of bytecode stay in the file.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(*file), SMLoc());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (module && failed(verifyTensors(*module)))
    return {};
  return module;
}
