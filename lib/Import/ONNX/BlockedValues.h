//===- BlockedValues.h - Values whose channels are in blocks --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// ONNX Runtime keeps channels of images in blocks of as many as a vector of the
// processor holds, and pads the last block. The importer keeps tensors
// [N, C, spatial] in the usual layout, with the channels that are read: padding
// channels are multiplied by filters of zeros, or are sliced off at the end.

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

  /// The size of the blocks: as implied by the sizes of filters and the
  /// channels that leave the blocks or, where both sizes are possible, this
  /// processor's.
  int64_t getBlock() const { return block; }
  bool isBlockOfHost() const { return isOfHost; }
  bool contains(llvm::StringRef name) const { return numbers.contains(name); }
  /// The number of channels of a value that are read, from the first on;
  /// nullopt if it must have all, with the padding of its last block.
  std::optional<int64_t> getChannels(llvm::StringRef name) const;

private:
  void findValues();
  /// Finds which of a node's values have the same number of channels, and how
  /// many it reads.
  void visit(const Node &node);
  void visitConvolution(const Node &node);
  /// One more than the last input channel with a nonzero filter; nullopt if
  /// unknown, or if the inputs are not in blocks.
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
  /// By class; none for those that are read as a whole or of which nothing is
  /// known.
  std::vector<std::optional<int64_t>> channels;
  /// Channels that are read of values, before classes are known.
  std::vector<std::pair<unsigned, int64_t>> reads;
};

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_BLOCKEDVALUES_H
