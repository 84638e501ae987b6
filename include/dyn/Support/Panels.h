//===- Panels.h - Columns of a packed panel -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SUPPORT_PANELS_H
#define DYN_SUPPORT_PANELS_H

#include <cstdint>

namespace dyn {

/// The columns of a panel of a packed matrix: a cache line of f32, which is one
/// AVX-512 register or two of AVX2. The layouts are those of dlhlo's PackKind.
inline constexpr int64_t kPanelWidth = 16;

} // namespace dyn

#endif // DYN_SUPPORT_PANELS_H
