// An artifact with a stage for each rank, which holds the weights of its stage, and through which blocks of the batch go.
// Fewer rows than blocks leave some empty.

// RUN: rm -rf %t && mkdir %t && cd %t && truncate -s 2674688 w.bin && cp %s model.mlir
// RUN: echo '{"ranks": 2, "rank": {"flops": 3e10, "bytesPerSecond": 1e10, "memoryBytes": 2e6, "kernelSeconds": 2e-6}, "links": [{"ranks": 1, "bytesPerSecond": 2e9, "seconds": 3e-5}]}' > small.json
// RUN: dyn-compile model.mlir --plan=small.json --explain-at=N=512 --plan-stages=2 --plan-micro-batches=16 -o model.so --isa=v3
// RUN: dyn-compile --describe model.so | FileCheck %s --check-prefix=PARTS
// RUN: dyn-run model.so --ranks=2 --input x=random:5x784 | FileCheck %s --check-prefix=VALUES

// PARTS: entry main_0: rank 0 of 2 of main, reads 1605632 bytes of constants
// PARTS: entry main_1: rank 1 of 2 of main, reads 1081344 bytes of constants
// VALUES: rank 0: y: f32[5, 10] = 0 0 0
// VALUES: rank 1: y: f32[5, 10] = 0 0 0

dhlo.dim @N
func.func @main(%x: tensor<?x784xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x10xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w0 = dhlo.weight <"w.bin", offset = 0, length = 1605632, key = "w0"> : tensor<784x512xf32>
  %w1 = dhlo.weight <"w.bin", offset = 1605632, length = 1048576, key = "w1"> : tensor<512x512xf32>
  %w2 = dhlo.weight <"w.bin", offset = 2654208, length = 20480, key = "w2"> : tensor<512x10xf32>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x784xf32, #dhlo.dims<N>>, tensor<784x512xf32>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %1 = dhlo.tanh %0 : tensor<?x512xf32, #dhlo.dims<N>>
  %2 = dhlo.dot_general %1, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<512x512xf32>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %3 = dhlo.tanh %2 : tensor<?x512xf32, #dhlo.dims<N>>
  %4 = dhlo.dot_general %3, %w2 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<512x10xf32>) -> tensor<?x10xf32, #dhlo.dims<N>>
  return %4 : tensor<?x10xf32, #dhlo.dims<N>>
}
