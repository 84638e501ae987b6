// As a matmul of bytes, the bits are those of the matmul in i32: interpreted, and
// compiled for each instruction set.
// DEFINE: %{inputs} = --input x=random:7x3x10 --input p=random:1 --input q=random:1 --seed=3
// RUN: dyn-run --reference %s %{inputs} --output %t.npz
// RUN: dyn-opt %s -dhlo-narrow-contractions -canonicalize -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: dyn-run --reference %t.mlir %{inputs} --check %t.npz --tolerance 0
// RUN: dyn-compile %s -o %t.so --isa=v2,v3
// RUN: dyn-run %t.so --isa=v2 %{inputs} --check %t.npz --tolerance 0
// RUN: dyn-run %t.so --isa=v3 %{inputs} --check %t.npz --tolerance 0

// CHECK-COUNT-4: dhlo.dot_general {{.*}}xui8{{.*}}xi8{{.*}}xi32
// CHECK-NOT: dhlo.dot_general
dhlo.dim @N
dhlo.dim @M
func.func @main(%x: tensor<?x?x10xi8, #dhlo.dims<N, M>> {dhlo.name = "x"}, %p: tensor<1xi8> {dhlo.name = "p"}, %q: tensor<1xui8> {dhlo.name = "q"})
    -> (tensor<?x?x3xi32, #dhlo.dims<N, M>> {dhlo.name = "a"}, tensor<?x?x3xi32, #dhlo.dims<N, M>> {dhlo.name = "b"}, tensor<?x?x3xi32, #dhlo.dims<N, M>> {dhlo.name = "c"}, tensor<?x?x3xi32, #dhlo.dims<N, M>> {dhlo.name = "d"})
    attributes {dhlo.entry} {
  %w = dhlo.constant dense<[[-128, 127, 0], [1, 2, 3], [127, -128, 5], [9, 9, 9], [-1, -2, -3], [100, 50, 25], [-128, 127, 0], [64, 32, 16], [1, 0, -1], [7, 77, -77]]> : tensor<10x3xi8>
  %u = dhlo.constant dense<[[0, 255, 128], [1, 2, 3], [255, 0, 5], [9, 9, 9], [200, 201, 202], [100, 50, 25], [0, 127, 0], [64, 32, 16], [1, 0, 255], [7, 77, 177]]> : tensor<10x3xui8>
  %z = dhlo.constant dense<[3, -5, 0]> : tensor<3xi8>
  %x32 = dhlo.convert %x : (tensor<?x?x10xi8, #dhlo.dims<N, M>>) -> tensor<?x?x10xi32, #dhlo.dims<N, M>>
  %w32 = dhlo.convert %w : (tensor<10x3xi8>) -> tensor<10x3xi32>
  %u32 = dhlo.convert %u : (tensor<10x3xui8>) -> tensor<10x3xi32>

  // One zero point of each operand, that of the LHS of one element, and bytes of the other signs.
  %p32 = dhlo.convert %p : (tensor<1xi8>) -> tensor<1xi32>
  %ps = dhlo.broadcast %p32 axes = [2] : (tensor<1xi32>) -> tensor<?x?x10xi32, #dhlo.dims<N, M>>
  %xp = dhlo.sub %x32, %ps : tensor<?x?x10xi32, #dhlo.dims<N, M>>
  %q32 = dhlo.convert %q : (tensor<1xui8>) -> tensor<1xi32>
  %q0 = dhlo.reshape %q32 : (tensor<1xi32>) -> tensor<i32>
  %qs = dhlo.broadcast %q0 axes = [] : (tensor<i32>) -> tensor<10x3xi32>
  %uq = dhlo.sub %u32, %qs : tensor<10x3xi32>
  %a = dhlo.dot_general %xp, %uq batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x10xi32, #dhlo.dims<N, M>>, tensor<10x3xi32>) -> tensor<?x?x3xi32, #dhlo.dims<N, M>>

  // A zero point of each column.
  %z32 = dhlo.convert %z : (tensor<3xi8>) -> tensor<3xi32>
  %zs = dhlo.broadcast %z32 axes = [1] : (tensor<3xi32>) -> tensor<10x3xi32>
  %wz = dhlo.sub %w32, %zs : tensor<10x3xi32>
  %b = dhlo.dot_general %xp, %wz batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x10xi32, #dhlo.dims<N, M>>, tensor<10x3xi32>) -> tensor<?x?x3xi32, #dhlo.dims<N, M>>

  // Bytes by bytes.
  %c = dhlo.dot_general %x, %u batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x10xi8, #dhlo.dims<N, M>>, tensor<10x3xui8>) -> tensor<?x?x3xi32, #dhlo.dims<N, M>>

  // A zero point whose bytes change their sign.
  %m = dhlo.constant dense<-1> : tensor<i8>
  %ms = dhlo.broadcast %m axes = [] : (tensor<i8>) -> tensor<?x?x10xi8, #dhlo.dims<N, M>>
  %mu = dhlo.convert %ms : (tensor<?x?x10xi8, #dhlo.dims<N, M>>) -> tensor<?x?x10xui8, #dhlo.dims<N, M>>
  %m32 = dhlo.convert %mu : (tensor<?x?x10xui8, #dhlo.dims<N, M>>) -> tensor<?x?x10xi32, #dhlo.dims<N, M>>
  %xm = dhlo.sub %x32, %m32 : tensor<?x?x10xi32, #dhlo.dims<N, M>>
  %d = dhlo.dot_general %xm, %w32 batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x10xi32, #dhlo.dims<N, M>>, tensor<10x3xi32>) -> tensor<?x?x3xi32, #dhlo.dims<N, M>>
  return %a, %b, %c, %d : tensor<?x?x3xi32, #dhlo.dims<N, M>>, tensor<?x?x3xi32, #dhlo.dims<N, M>>, tensor<?x?x3xi32, #dhlo.dims<N, M>>, tensor<?x?x3xi32, #dhlo.dims<N, M>>
}
