// RUN: dyn-opt %s --dyn-optimize | FileCheck %s --check-prefix=OPTIMIZE
// RUN: dyn-opt %s --dyn-optimize --dyn-form-fusions | FileCheck %s --check-prefix=FUSIONS
// RUN: dyn-opt %s --dyn-optimize --dyn-form-fusions --dyn-form-kernels | FileCheck %s --check-prefix=KERNELS
// RUN: dyn-opt %s --dyn-optimize --dyn-form-fusions --dyn-form-kernels --dyn-plan-buffers | FileCheck %s --check-prefix=BUFFERS
// RUN: dyn-opt %s --dyn-optimize --dyn-form-fusions --dyn-form-kernels --dyn-plan-buffers --dyn-lower-entries | FileCheck %s --check-prefix=ENTRIES
// RUN: dyn-opt %s '-pass-pipeline=builtin.module(dyn-optimize,dyn-form-fusions)' | FileCheck %s --check-prefix=FUSIONS
// The named pipelines one after the other, each with what holds at its end.

dhlo.dim @N in [1, 64]
dhlo.dim @T in [0, ?]

// Shape arithmetic has become a size, and its operations are gone.
// OPTIMIZE: dhlo.dim @T = 2 * @N
// OPTIMIZE-LABEL: func.func @main
// OPTIMIZE-NOT: dhlo.bind
// OPTIMIZE: dhlo.concat
// OPTIMIZE-NOT: dhlo.mul
// OPTIMIZE: dhlo.exp
// OPTIMIZE: return

// FUSIONS-LABEL: func.func @main
// FUSIONS: dlhlo.fusion
// FUSIONS: dhlo.exp
// FUSIONS: dlhlo.yield
// FUSIONS: return

// KERNELS: dlhlo.kernel @[[KERNEL:.*]] loop
// KERNELS-LABEL: func.func @main
// KERNELS-NOT: dlhlo.fusion
// KERNELS: dlhlo.launch @[[KERNEL]] dims
// KERNELS: return

// BUFFERS-NOT: func.func @main(
// BUFFERS: dlhlo.entry @main calls "dyn.entry.main"
// BUFFERS: func.func @dyn.entry.main(%{{.*}}: !dlhlo.buffer, %{{.*}}: index)
// BUFFERS: dlhlo.dispatch

// ENTRIES-NOT: func.func
// ENTRIES: llvm.func @dyn.entry.main(%{{.*}}: !llvm.ptr) -> i32
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?xf32, #dhlo.dims<T>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %n = dhlo.from_dims [@N] : tensor<i64>
  %two = dhlo.constant dense<2> : tensor<i64>
  %t = dhlo.mul %n, %two : tensor<i64>
  dhlo.bind @T = %t : tensor<i64>
  %0 = dhlo.concat %x, %x axis = 0 : (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<T>>
  %1 = dhlo.exp %0 : tensor<?xf32, #dhlo.dims<T>>
  return %1 : tensor<?xf32, #dhlo.dims<T>>
}
