//===- DLHLOBase.td - The dlhlo dialect -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_BASE
#define DYN_DLHLO_BASE

include "mlir/IR/OpBase.td"

def DLHLO_Dialect : Dialect {
  let name = "dlhlo";
  let cppNamespace = "::dyn::dlhlo";
  let summary = "fusions, kernels, buffers";
  let description = [{
    `dlhlo` represents a program between tensors and machine code.

    ```
      dhlo  ->  dlhlo: fusions -> kernels and launches -> buffers  ->  LLVM
    ```

    1. *Fusions*: regions of `dhlo` operations with a kind, in value semantics.
    2. *Kernels and launches*: each fusion's body becomes a `dlhlo.kernel`,
       polymorphic in its sizes, and `dlhlo.launch` calls it. Fusions that are
       equal after renaming of symbols share one kernel.
    3. *Buffers*: values between launches become slots of arenas, sizes become
       SSA values of type `index`, computed by the shape program at the start of
       each segment.

    Constants (weights and values computed from weights alone) are
    `dlhlo.constant` symbols from the first step on.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::dyn::dhlo::DHLODialect"];
  let extraClassDeclaration = [{
    /// Module attribute of a lowered program: an array of SiteAttr. The number
    /// of a site is its index.
    static constexpr llvm::StringLiteral kSitesAttr = "dlhlo.sites";
    /// Module attribute of a lowered program: an array of dictionaries, one for
    /// each router with a `dlhlo.probe`, with the attributes of its
    /// `dhlo.probe` and the number of `paths`.
    static constexpr llvm::StringLiteral kProbesAttr = "dlhlo.probes";
    /// The maximum number of kernels launched together: DYN_MAX_LAUNCHES.
    static constexpr int64_t kMaxLaunches = 64;
  }];
}

#endif // DYN_DLHLO_BASE
