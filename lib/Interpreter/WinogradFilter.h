//===- WinogradFilter.h - Filters for Winograd's algorithm ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_WINOGRADFILTER_H
#define DYN_LIB_INTERPRETER_WINOGRADFILTER_H

#include "StridedView.h"

namespace dyn {

/// Writes an f32 filter of 3 x 3 x C x N in the layout winograd4 of
/// #dlhlo.packed: 36 matrices of C x N in panels of 16 columns, then the filter
/// itself in panels.
void packWinogradFilter(const StridedView &filter,
                        llvm::MutableArrayRef<char> out);

/// Writes f32 filters of N x C x 3 x W, after `batch` axes, in the layout
/// winograd4_lines.
void packWinogradLines(const StridedView &filters, int64_t batch,
                       llvm::MutableArrayRef<char> out);

} // namespace dyn

#endif // DYN_LIB_INTERPRETER_WINOGRADFILTER_H
