// Dense matmuls that are left to a GEMM library, on the emulator's.

// RUN: rm -rf %t && mkdir %t
// RUN: dyn-compile %s -o %t/m.so --target=cpu,emu --isa=v3 --cuda-library=always
// RUN: dyn-run --reference %s --input x=random:3x50x64 --input h=random:3x50x64 --input q=random:3x50x64 --input r=random:3x50x96 --output %t/r.npz
// RUN: dyn-run %t/m.so --device=emu --input x=random:3x50x64 --input h=random:3x50x64 --input q=random:3x50x64 --input r=random:3x50x96 --check %t/r.npz --stats | FileCheck %s
// CHECK: GEMM library: libdynemu.so, version 1; per call 4 launches, and 0 that kernels had to compute; algorithms of 0 in its table, 0 tuned

// One row, no rows.
// RUN: dyn-run --reference %s --input x=random:1x1x64 --input h=random:1x1x64 --input q=random:1x1x64 --input r=random:1x1x96 --output %t/o.npz
// RUN: dyn-run %t/m.so --device=emu --input x=random:1x1x64 --input h=random:1x1x64 --input q=random:1x1x64 --input r=random:1x1x96 --check %t/o.npz
// RUN: dyn-run --reference %s --input x=random:0x5x64 --input h=random:0x5x64 --input q=random:0x5x64 --input r=random:0x5x96 --output %t/z.npz
// RUN: dyn-run %t/m.so --device=emu --input x=random:0x5x64 --input h=random:0x5x64 --input q=random:0x5x64 --input r=random:0x5x96 --check %t/z.npz

// Without a library the artifact's own kernels run, and the statistics say why.
// RUN: env DYN_EMU_GEMMS=broken dyn-run %t/m.so --device=emu --input x=random:3x50x64 --input h=random:3x50x64 --input q=random:3x50x64 --input r=random:3x50x96 --check %t/r.npz --stats | FileCheck %s --check-prefix=NONE
// NONE: GEMM library: none (cannot start the GEMM library: the library was not initialized (error 1 of 'libdynemu.so')); per call 0 launches, and 4 that kernels had to compute
// RUN: dyn-run %t/m.so --device=emu --gemm-library=none --input x=random:1x1x64 --input h=random:1x1x64 --input q=random:1x1x64 --input r=random:1x1x96 --check %t/o.npz --stats=json | FileCheck %s --check-prefix=JSON
// JSON: "gemm_library": {
// JSON: "launches": 0,
// JSON: "misses": 4,
// JSON: "reason": "none is wanted",
// RUN: not dyn-run %t/m.so --device=emu --gemm-library=libnone.so --input x=random:1x1x64 --input h=random:1x1x64 --input q=random:1x1x64 --input r=random:1x1x96 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: dyn-run: error: no GEMM library: libnone.so: cannot open
// RUN: env DYN_EMU_GEMMS=failing not dyn-run %t/m.so --device=emu --input x=random:1x1x64 --input h=random:1x1x64 --input q=random:1x1x64 --input r=random:1x1x96 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: dyn-run: error: cannot compute the GEMM of '{{.*}}': the device failed (error 13 of 'libdynemu.so')

// A table is made, read and extended.
// RUN: dyn-run %t/m.so --device=emu --tune-gemms=3 --gemm-table=%t/t.txt --input x=random:3x50x64 --input h=random:3x50x64 --input q=random:3x50x64 --input r=random:3x50x96 --check %t/r.npz --stats | FileCheck %s --check-prefix=TUNED
// TUNED: algorithms of 4 in its table, 4 tuned
// RUN: dyn-run %t/m.so --device=emu --gemm-table=%t/t.txt --input x=random:3x50x64 --input h=random:3x50x64 --input q=random:3x50x64 --input r=random:3x50x96 --check %t/r.npz --stats | FileCheck %s --check-prefix=READ
// READ: algorithms of 4 in its table, 0 tuned
// RUN: dyn-run %t/m.so --device=emu --tune-gemms=3 --gemm-table=%t/t.txt --input x=random:1x1x64 --input h=random:1x1x64 --input q=random:1x1x64 --input r=random:1x1x96 --check %t/o.npz --stats | FileCheck %s --check-prefix=MORE
// MORE: algorithms of 8 in its table, 4 tuned
// RUN: sed -e 's/^library 1/library 2/' %t/t.txt > %t/d.txt
// RUN: not dyn-run %t/m.so --device=emu --gemm-table=%t/d.txt --input x=random:1x1x64 --input h=random:1x1x64 --input q=random:1x1x64 --input r=random:1x1x96 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: d.txt' is no GEMM table, or damaged: its lines do not hash to what its end says

// The default leaves nothing to a library, and small ones stay kernels'.
// RUN: dyn-compile %s --emit=kernels --target=cpu,emu | FileCheck %s --check-prefix=NEVER
// NEVER-NOT: dlhlo.library_gemm
// RUN: dyn-compile %s --emit=kernels --target=cpu,emu --cuda-library=large | FileCheck %s --check-prefix=LARGE
// LARGE-COUNT-4: dlhlo.library_gemm {{.*}} from 1073741824
// RUN: not dyn-compile %s -o %t/n.so --cuda-library=large 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: --cuda-library: expected cuda or emu among the targets, found 'cpu'

dhlo.dim @B in [0, 64]
dhlo.dim @S in [1, 512]
func.func @main(%x: tensor<?x?x64xf32, #dhlo.dims<B, S>> {dhlo.name = "x"},
                %h: tensor<?x?x64xf16, #dhlo.dims<B, S>> {dhlo.name = "h"},
                %q: tensor<?x?x64xbf16, #dhlo.dims<B, S>> {dhlo.name = "q"},
                %r: tensor<?x?x96xf32, #dhlo.dims<B, S>> {dhlo.name = "r"})
    -> (tensor<?x?x96xf32, #dhlo.dims<B, S>> {dhlo.name = "gelu"},
        tensor<?x?x96xf32, #dhlo.dims<B, S>> {dhlo.name = "added"},
        tensor<?x?x48xf16, #dhlo.dims<B, S>> {dhlo.name = "relu"},
        tensor<?x?x?xbf16, #dhlo.dims<B, S, S>> {dhlo.name = "batched"}) attributes {dhlo.entry} {
  %iota = dhlo.iota axis = 1 start = [0] step = [1] : tensor<64x96xf32>
  %scale = dhlo.constant dense<0.01> : tensor<64x96xf32>
  %w = dhlo.mul %iota, %scale : tensor<64x96xf32>
  %biota = dhlo.iota axis = 0 start = [0] step = [1] : tensor<96xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x64xf32, #dhlo.dims<B, S>>, tensor<64x96xf32>) -> tensor<?x?x96xf32, #dhlo.dims<B, S>>
  %1 = dhlo.broadcast %biota axes = [2] : (tensor<96xf32>) -> tensor<?x?x96xf32, #dhlo.dims<B, S>>
  %2 = dhlo.add %0, %1 : tensor<?x?x96xf32, #dhlo.dims<B, S>>
  %3 = dhlo.gelu tanh %2 : tensor<?x?x96xf32, #dhlo.dims<B, S>>

  %v = dhlo.transpose %w permutation = [1, 0] : (tensor<64x96xf32>) -> tensor<96x64xf32>
  %4 = dhlo.dot_general %x, %v batch = 0 lhs_contract = [2] rhs_contract = [1]
      : (tensor<?x?x64xf32, #dhlo.dims<B, S>>, tensor<96x64xf32>) -> tensor<?x?x96xf32, #dhlo.dims<B, S>>
  %5 = dhlo.add %4, %r : tensor<?x?x96xf32, #dhlo.dims<B, S>>

  %u = dhlo.constant dense<0.125> : tensor<64x48xf16>
  %z = dhlo.constant dense<0.0> : tensor<f16>
  %6 = dhlo.dot_general %h, %u batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x64xf16, #dhlo.dims<B, S>>, tensor<64x48xf16>) -> tensor<?x?x48xf16, #dhlo.dims<B, S>>
  %7 = dhlo.broadcast %z axes = [] : (tensor<f16>) -> tensor<?x?x48xf16, #dhlo.dims<B, S>>
  %8 = dhlo.maximum %6, %7 : tensor<?x?x48xf16, #dhlo.dims<B, S>>

  %9 = dhlo.dot_general %q, %q batch = 1 lhs_contract = [2] rhs_contract = [2]
      : (tensor<?x?x64xbf16, #dhlo.dims<B, S>>, tensor<?x?x64xbf16, #dhlo.dims<B, S>>) -> tensor<?x?x?xbf16, #dhlo.dims<B, S, S>>
  return %3, %5, %8, %9 : tensor<?x?x96xf32, #dhlo.dims<B, S>>, tensor<?x?x96xf32, #dhlo.dims<B, S>>, tensor<?x?x48xf16, #dhlo.dims<B, S>>, tensor<?x?x?xbf16, #dhlo.dims<B, S, S>>
}
