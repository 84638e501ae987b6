// RUN: not dyn-opt %s --dlhlo-verify-fusions 2>&1 | FileCheck %s --check-prefix=FUSIONS
// RUN: not dyn-opt %s --dlhlo-verify-kernels 2>&1 | FileCheck %s --check-prefix=KERNELS
// RUN: not dyn-opt %s --dlhlo-verify-buffers 2>&1 | FileCheck %s --check-prefix=BUFFERS

// KERNELS-DAG: 'dlhlo.kernel' op expected a declaration of the size @d0 in the kernel
dlhlo.kernel @undeclared loop {
^bb0(%0: tensor<?xf32, #dhlo.dims<d0>>):
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
}
dlhlo.kernel @copy loop {
^bb0(%0: tensor<5xf32>):
  dlhlo.yield %0 : tensor<5xf32>
}

// BUFFERS-DAG: 'func.func' op expected a dlhlo.entry instead of an entry over tensors
func.func @main(%x: tensor<4xf32>) attributes {dhlo.entry} {
  // FUSIONS: 'dhlo.neg' op expected to be in a fusion or a constant
  // KERNELS-DAG: 'dhlo.neg' op expected to be in a kernel
  %0 = dhlo.neg %x : tensor<4xf32>
  // KERNELS-DAG: 'dlhlo.launch' op expected operand 0 to match the kernel's 'tensor<5xf32>', found 'tensor<4xf32>'
  %1 = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// BUFFERS-DAG: 'dlhlo.entry' op expected a function over buffers called 'nothing'
dlhlo.entry @lost calls "nothing" : () -> () inputs [] outputs [] dims [] arenas 0

// BUFFERS-DAG: 'dhlo.constant' op expected buffers and sizes alone in an entry, found 'tensor<4xf32>'
dlhlo.entry @tensors calls "dyn.entry.tensors" : () -> () inputs [] outputs [] dims [] arenas 0
func.func @dyn.entry.tensors() {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  return
}
