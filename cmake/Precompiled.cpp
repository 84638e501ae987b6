//===- Precompiled.cpp - The anchor of the precompiled header -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Anchors the precompiled header that all compiler targets share.
