// RUN: dyn-opt %s --dist-split-batch -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: dyn-run %s --reference --input ids=random:9:0:3 --input mask=random:5x3:0:1 --input x=random:5x3 > %t.expected
// RUN: dyn-run %t --reference --input ids=random:9:0:3 --input mask=random:5x3:0:1 --input x=random:5x3 | diff %t.expected -

// The batch is not the size of `ids`, whose rows are read together. A mask that is read by computed indices is there
// before the blocks, and what it needs is computed for it of the whole batch.

// CHECK-LABEL: func.func @main
// CHECK:       %[[M:.*]] = dhlo.convert %arg1 : (tensor<?x3xi64, #dhlo.dims<B>>)
// CHECK:       %[[F:.*]] = dhlo.reshape %[[M]]
// CHECK:       %[[G:.*]] = dhlo.gather %[[F]]
// CHECK:       dhlo.slice %[[G]] starts = [0, 0]
// CHECK:       dhlo.slice %[[G]] starts = [(@B + 1) floordiv 2, 0]
// CHECK:       dhlo.concat
dhlo.dim @I
dhlo.dim @B in [0, 64]
dhlo.dim @N = 3 * @B
func.func @main(%ids: tensor<?xi64, #dhlo.dims<I>> {dhlo.name = "ids"}, %mask: tensor<?x3xi64, #dhlo.dims<B>> {dhlo.name = "mask"},
                %x: tensor<?x3xf32, #dhlo.dims<B>> {dhlo.name = "x"})
    -> (tensor<?x3xf32, #dhlo.dims<B>> {dhlo.name = "y"}) attributes {dhlo.entry, dist.micro_batches = 2 : i64} {
  %0 = dhlo.convert %mask : (tensor<?x3xi64, #dhlo.dims<B>>) -> tensor<?x3xi1, #dhlo.dims<B>>
  %1 = dhlo.reshape %0 : (tensor<?x3xi1, #dhlo.dims<B>>) -> tensor<?xi1, #dhlo.dims<N>>
  %2 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<N>>
  %3 = dhlo.reshape %2 : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x3xi64, #dhlo.dims<B>>
  %4 = dhlo.gather %1, %3 axis = 0 batch = 0 : (tensor<?xi1, #dhlo.dims<N>>, tensor<?x3xi64, #dhlo.dims<B>>) -> tensor<?x3xi1, #dhlo.dims<B>>
  %5 = dhlo.convert %ids : (tensor<?xi64, #dhlo.dims<I>>) -> tensor<?xf32, #dhlo.dims<I>>
  %6 = dhlo.reduce sum %5 axes = [0] : (tensor<?xf32, #dhlo.dims<I>>) -> tensor<f32>
  %7 = dhlo.broadcast %6 axes = [] : (tensor<f32>) -> tensor<?x3xf32, #dhlo.dims<B>>
  %8 = dhlo.select %4, %x, %7 : tensor<?x3xi1, #dhlo.dims<B>>, tensor<?x3xf32, #dhlo.dims<B>>
  return %8 : tensor<?x3xf32, #dhlo.dims<B>>
}
