//===- BlockedValues.h - Values whose channels are in blocks
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// ONNX Runtime keeps channels of images in blocks of as many as a vector of the
// processor holds, and fills the last block up. The importer keeps tensors
// [N, C, spatial] in order, with the channels that something reads: those that
// only fill meet filters of zeros, or are cut off at the end.

#ifndef DYN_LIB_IMPORT_ONNX_BLOCKEDVALUES_H
#define DYN_LIB_IMPORT_ONNX_BLOCKEDVALUES_H

#include "Model.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace dyn::onnx {

class TensorData;

class BlockedValues {
public:
  BlockedValues(const Graph &graph, TensorData &data);

  /// The size of the blocks: as the sizes of filters and the channels that
  /// leave the blocks tell it, or, where both sizes fit, this processor's.
  int64_t getBlock() const { return block; }
  bool isBlockOfHost() const { return isOfHost; }
  bool contains(llvm::StringRef name) const { return numbers.contains(name); }
  /// How many channels of a value are read, the first ones; nothing if it has
  /// to have all, with those that fill its last block.
  std::optional<int64_t> getChannels(llvm::StringRef name) const;

private:
  void findValues();
  /// Learns from the node which of its values have as many channels as others,
  /// and how many it reads.
  void visit(const Node &node);
  void visitConvolution(const Node &node);
  /// One more than the last input channel with a filter that is not zero;
  /// nothing if that is not known, or if the inputs are in no blocks.
  std::optional<int64_t> findLastInput(const Tensor &filter) const;
  void join(llvm::StringRef lhs, llvm::StringRef rhs);
  void read(llvm::StringRef name, int64_t channels);

  const Graph &graph;
  TensorData &data;
  int64_t block;
  bool isOfHost;
  llvm::StringMap<const Tensor *> tensors;
  llvm::StringMap<unsigned> numbers;
  llvm::IntEqClasses classes;
  /// By class; those of which all is read, or nothing is known, have none.
  std::vector<std::optional<int64_t>> channels;
  /// Channels that are read of values, before classes are known.
  std::vector<std::pair<unsigned, int64_t>> reads;
};

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_BLOCKEDVALUES_H
