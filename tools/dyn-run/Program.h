//===- Program.h - Artifacts or interpreted models ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_RUN_PROGRAM_H
#define DYN_TOOLS_RUN_PROGRAM_H

#include "Stats.h"
#include "Tensor.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <optional>

namespace dyn::run {

/// The options of a run.
struct RunOptions {
  std::string entry;           ///< empty for the first
  std::string isa;             ///< empty for the best
  std::string device;          ///< "cuda", "emu", or empty for the CPU
  std::string gemmLibrary;     ///< empty for the first one found
  std::string exchangeLibrary; ///< likewise
  std::string gemmTable;       ///< of algorithms, written by tuning
  unsigned tuneGemms = 0;      ///< algorithms to try
  uint64_t streamFrom = 0;     ///< bytes of a launch, 0 for the default
  unsigned threads = 0;
  uint64_t seed = 0;
  uint64_t timeoutNanoseconds = 0;
  bool profile = false;
  std::string traceFile;
  std::string profileFile, rawProfileFile; ///< of routes; "" for none
  uint64_t profileWindowMs = 0;
  std::string source; ///< the model that variants are compiled from, or ""
  bool reoptimise = false, automatic = false;
  uint64_t windowMs = 0;
  std::string reportFile; ///< of what the model did; "" for none
  dyn_communicator_t *communicator = nullptr; ///< of this rank; not owned
  int deviceOrdinal = 0;
};

struct PortDescription {
  std::string name;
  dyn_dtype_t dtype;
  std::string text; ///< "f32[batch, 3]"
};

/// A function with tensors in and out.
class Program {
public:
  virtual ~Program();

  virtual llvm::ArrayRef<PortDescription> inputs() const = 0;

  /// Runs once. Inputs are in the order of inputs().
  virtual llvm::Expected<std::vector<NamedTensor>>
  run(llvm::ArrayRef<Tensor> inputs) = 0;

  /// Resets the statistics, between the first call and the others.
  virtual void resetStats() {}
  /// The statistics since then; nothing if the program has none.
  virtual std::optional<RunStats> getStats() const { return std::nullopt; }

  /// Called once, after the last run.
  virtual llvm::Error finish() { return llvm::Error::success(); }
};

/// Loads a compiled artifact.
llvm::Expected<std::unique_ptr<Program>>
loadArtifact(llvm::StringRef path, const RunOptions &options);

/// Loads a module of dhlo, or an ONNX model, for the interpreter. Of the
/// options it reads the entry, the seed, and the file and windows of the
/// profile.
llvm::Expected<std::unique_ptr<Program>>
loadReference(llvm::StringRef path, const RunOptions &options);

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_PROGRAM_H
