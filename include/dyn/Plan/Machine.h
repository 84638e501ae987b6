//===- Machine.h - The ranks and links that a plan is for -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A file of JSON describes a machine of equal ranks:
//
//   {"ranks": 16,
//    "rank": {"flops": 5e10, "bytesPerSecond": 1e10, "memoryBytes":
//    17179869184,
//             "kernelSeconds": 2e-6},
//    "links": [{"ranks": 1, "bytesPerSecond": 1e10, "seconds": 3e-5},
//              {"ranks": 8, "bytesPerSecond": 1.25e9, "seconds": 6e-5}]}
//
// Links form a tree: each group of `ranks` consecutive ranks shares one link to
// the others, with this rate in each direction. Above, a rank sends 10 GB/s to
// the seven in its machine, and all eight together 1.25 GB/s to other machines.
// A message takes the links of all groups that it leaves and enters, and
// `seconds` of the outermost, however short it is.

#ifndef DYN_PLAN_MACHINE_H
#define DYN_PLAN_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace dyn::plan {

/// The links of the groups of one size.
struct LinkLevel {
  int64_t ranks = 1;
  double bytesPerSecond = 1, seconds = 0;
};

/// Bytes from one rank to another.
struct Message {
  int64_t from, to;
  double bytes;
};

struct Machine {
  int64_t ranks = 1;
  /// The rates of a rank, its memory, and the time that a kernel takes at
  /// least.
  double flops = 1, bytesPerSecond = 1, memoryBytes = 0, kernelSeconds = 0;
  /// From the inside to the outside; the first is that of each rank.
  llvm::SmallVector<LinkLevel> links;

  /// Reads the text of a file; `name` is named by messages.
  static llvm::Expected<Machine> parse(llvm::StringRef text,
                                       llvm::StringRef name);
  static llvm::Expected<Machine> read(llvm::StringRef path);

  /// The levels of links that a message between two ranks takes; 0 to itself.
  size_t countLevels(int64_t from, int64_t to) const;
  /// The time of messages that begin together: that of the fullest link, and
  /// the latency of the outermost one.
  double getTime(llvm::ArrayRef<Message> messages) const;
  /// The time of a kernel.
  double getTime(double operations, double bytes) const {
    return std::max(operations / flops, bytes / bytesPerSecond);
  }
};

} // namespace dyn::plan

#endif // DYN_PLAN_MACHINE_H
