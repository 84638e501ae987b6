//===- Options.h - Options of the compilation driver ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DRIVER_OPTIONS_H
#define DYN_DRIVER_OPTIONS_H

#include "dyn/Pipelines/Compiler.h"
#include "dyn/Plan/Plan.h"
#include "dyn/Target/KernelCache.h"

namespace dyn {

/// The output of the driver: the program at a stage of the compilation, or the
/// artifact.
enum class Emit {
  Import,
  Optimize,
  Fusions,
  Kernels,
  Buffers,
  Entries,
  Code,
  Ptx,
  LLVMIR,
  Artifact
};

/// The level that a module must have when this is written.
Level getLevel(Emit emit);

/// How the driver prints the explanation of a compilation.
enum class ExplainFormat { None, Text, Json, Html };

/// The options of one compilation. A copy of the command line's variables,
/// since lld resets those when it links an artifact.
struct DriverOptions {
  /// The model, or the artifact to describe; "-" is the standard input.
  std::string input = "-";
  /// The file to write; empty or "-" is the standard output.
  std::string output;
  Emit emit = Emit::Artifact;
  std::vector<DimOption> dims;
  LoweringOptions lowering;
  ArtifactOptions artifact;
  KernelCacheOptions kernelCache;
  /// The GPU of Emit::Ptx.
  std::string chip = "sm_80";
  ExplainFormat explain = ExplainFormat::None;
  /// Values at which an explanation evaluates its formulas.
  std::vector<SizeValue> explainAt;
  /// The machine to plan the model for, "" for none. The plan is written, or
  /// the model compiled by it if `output` is an artifact, or both.
  std::string planMachine;
  plan::PlanOptions plan;
  /// Passes whose remarks on decisions are printed, as a regular expression; ""
  /// for none.
  std::string remarksFilter;
  /// Write the signature of an artifact instead of compiling a model.
  bool describe = false;
  /// Write the numbers of the machine for these instructions instead.
  std::optional<Isa> printTargetInfo;

  /// Whether `output` is the file of the explanation rather than an artifact.
  bool isOutputExplanation() const;
  /// Whether a model with a plan is compiled by it.
  bool compilesPlan() const;
};

/// Reads the command line of dyn-compile. Prints a message on failure; ends the
/// program for --help and for options that do not exist.
llvm::LogicalResult parseCommandLine(int argc, char **argv,
                                     DriverOptions &options);

} // namespace dyn

#endif // DYN_DRIVER_OPTIONS_H
