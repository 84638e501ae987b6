// Columns that are written one after the other, and a block of them: the values are those of the
// scatters, interpreted and compiled, of no rows, too.
// RUN: dyn-run --reference %s --input x=random:5x6 --input u=random:2x5 --seed=7 --output %t.npz
// RUN: dyn-opt %s -dhlo-replace-indices -canonicalize -cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: dyn-run --reference %t.mlir --input x=random:5x6 --input u=random:2x5 --seed=7 --check %t.npz --tolerance 0
// RUN: dyn-compile %s -o %t.so
// RUN: dyn-run %t.so --input x=random:5x6 --input u=random:2x5 --seed=7 --check %t.npz --tolerance 0
// RUN: dyn-run --reference %s --input x=random:0x6 --input u=random:2x0 --seed=7 --output %t.0.npz
// RUN: dyn-run --reference %t.mlir --input x=random:0x6 --input u=random:2x0 --seed=7 --check %t.0.npz --tolerance 0
// RUN: dyn-run %t.so --input x=random:0x6 --input u=random:2x0 --seed=7 --check %t.0.npz --tolerance 0

// CHECK-NOT: dhlo.scatter_nd
// CHECK-NOT: dhlo.gather
dhlo.dim @B in [0, 64]
func.func @main(%x: tensor<?x6xf32, #dhlo.dims<B>> {dhlo.name = "x"}, %u: tensor<2x?xf32, #dhlo.dims<B>> {dhlo.name = "u"}) -> (tensor<?x6xf32, #dhlo.dims<B>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %r = dhlo.iota axis = 1 start = [0] step = [1] : tensor<2x?x1xi64, #dhlo.dims<B>>
  %c = dhlo.iota axis = 0 start = [3] step = [1] : tensor<2x?x1xi64, #dhlo.dims<B>>
  %i = dhlo.concat %r, %c axis = 2 : (tensor<2x?x1xi64, #dhlo.dims<B>>, tensor<2x?x1xi64, #dhlo.dims<B>>) -> tensor<2x?x2xi64, #dhlo.dims<B>>
  %0 = dhlo.scatter_nd %x, %i, %u replace : (tensor<?x6xf32, #dhlo.dims<B>>, tensor<2x?x2xi64, #dhlo.dims<B>>, tensor<2x?xf32, #dhlo.dims<B>>) -> tensor<?x6xf32, #dhlo.dims<B>>
  %s = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x1xi64, #dhlo.dims<B>>
  %d0 = dhlo.constant dense<-6> : tensor<i64>
  %d = dhlo.broadcast %d0 axes = [] : (tensor<i64>) -> tensor<?x1xi64, #dhlo.dims<B>>
  %j = dhlo.concat %s, %d axis = 1 : (tensor<?x1xi64, #dhlo.dims<B>>, tensor<?x1xi64, #dhlo.dims<B>>) -> tensor<?x2xi64, #dhlo.dims<B>>
  %k = dhlo.constant dense<[1, 3, 5]> : tensor<3xi64>
  %g = dhlo.gather %0, %k axis = 1 batch = 0 : (tensor<?x6xf32, #dhlo.dims<B>>, tensor<3xi64>) -> tensor<?x3xf32, #dhlo.dims<B>>
  %v = dhlo.reduce sum %g axes = [1] : (tensor<?x3xf32, #dhlo.dims<B>>) -> tensor<?xf32, #dhlo.dims<B>>
  %1 = dhlo.scatter_nd %0, %j, %v replace : (tensor<?x6xf32, #dhlo.dims<B>>, tensor<?x2xi64, #dhlo.dims<B>>, tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x6xf32, #dhlo.dims<B>>
  return %1 : tensor<?x6xf32, #dhlo.dims<B>>
}
