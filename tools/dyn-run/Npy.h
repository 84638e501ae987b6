//===- Npy.h - NumPy's file formats ---------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// .npy: a magic, a version, a header that is a Python dictionary, the data.
// .npz: a zip archive of .npy files, one for each name.
//
// Files are untrusted: headers are parsed by hand, sizes are checked against
// the actual bytes before memory is allocated.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_RUN_NPY_H
#define DYN_TOOLS_RUN_NPY_H

#include "Tensor.h"

#include "llvm/Support/Error.h"

namespace dyn::run {

/// Reads a .npy file's contents. Fortran order and big endian are rejected.
/// Two-byte void elements, as which numpy's extension types are saved, become
/// bf16.
llvm::Expected<Tensor> parseNpy(llvm::StringRef contents);

/// The contents of a .npy file.
std::string formatNpy(const Tensor &tensor);

llvm::Expected<Tensor> readNpy(llvm::StringRef path);

llvm::Expected<std::vector<NamedTensor>> readNpz(llvm::StringRef path);

/// Writes the complete file or nothing.
llvm::Error writeNpz(llvm::StringRef path, llvm::ArrayRef<NamedTensor> tensors);

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_NPY_H
