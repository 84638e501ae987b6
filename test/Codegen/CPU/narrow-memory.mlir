// RUN: dyn-compile %s --isa=v2,v3,v4,v4-bf16 -o %t.so
// RUN: dyn-compile %s --isa=v4 --emit=code | FileCheck %s

// Rows of four: the lanes behind them are known to be masked, and LLVM takes
// such loads apart. With bf16 it would call functions for each element that are
// not there.
// CHECK-LABEL: llvm.func @reduce_sub_exp_log
// CHECK: llvm.intr.masked.load {{.*}} -> vector<16xi16>
// CHECK: llvm.intr.masked.store {{.*}} : vector<16xi16>

dhlo.dim @N

func.func @main(%x: tensor<?x4xbf16, #dhlo.dims<N>>) -> tensor<?x4xbf16, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.reduce max %x axes = [1] : (tensor<?x4xbf16, #dhlo.dims<N>>) -> tensor<?xbf16, #dhlo.dims<N>>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<?xbf16, #dhlo.dims<N>>) -> tensor<?x4xbf16, #dhlo.dims<N>>
  %2 = dhlo.sub %x, %1 : tensor<?x4xbf16, #dhlo.dims<N>>
  %3 = dhlo.exp %2 : tensor<?x4xbf16, #dhlo.dims<N>>
  %4 = dhlo.reduce sum %3 axes = [1] : (tensor<?x4xbf16, #dhlo.dims<N>>) -> tensor<?xbf16, #dhlo.dims<N>>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<?xbf16, #dhlo.dims<N>>) -> tensor<?x4xbf16, #dhlo.dims<N>>
  %6 = dhlo.log %5 : tensor<?x4xbf16, #dhlo.dims<N>>
  %7 = dhlo.sub %2, %6 : tensor<?x4xbf16, #dhlo.dims<N>>
  return %7 : tensor<?x4xbf16, #dhlo.dims<N>>
}
