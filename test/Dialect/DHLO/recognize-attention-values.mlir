// What is recognised gives the values of what was there, in the interpreter and
// compiled; rows that lose all their keys included.
// RUN: dyn-run --reference %s --input q=random:2x5x3x4 --input k=random:2x5x3x4 --input v=random:2x5x3x4 --input mask=random:2x5:0:2 --seed=7 --output %t.npz
// RUN: dyn-opt %s -dhlo-recognize-attention -canonicalize -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: dyn-run --reference %t.mlir --input q=random:2x5x3x4 --input k=random:2x5x3x4 --input v=random:2x5x3x4 --input mask=random:2x5:0:2 --seed=7 --check %t.npz --tolerance 1e-6
// RUN: dyn-compile %s -o %t.so
// RUN: dyn-run %t.so --input q=random:2x5x3x4 --input k=random:2x5x3x4 --input v=random:2x5x3x4 --input mask=random:2x5:0:2 --seed=7 --check %t.npz --tolerance 1e-5

// CHECK-COUNT-4: dhlo.attention
// CHECK-NOT: dhlo.softmax
dhlo.dim @B
dhlo.dim @S
func.func @main(%q: tensor<?x?x3x4xf32, #dhlo.dims<B, S>> {dhlo.name = "q"}, %k: tensor<?x?x3x4xf32, #dhlo.dims<B, S>> {dhlo.name = "k"},
                %v: tensor<?x?x3x4xf32, #dhlo.dims<B, S>> {dhlo.name = "v"}, %mask: tensor<?x?xi64, #dhlo.dims<B, S>> {dhlo.name = "mask"})
    -> (tensor<?x3x?x4xf32, #dhlo.dims<B, S>> {dhlo.name = "guarded"}, tensor<?x3x?x4xf32, #dhlo.dims<B, S>> {dhlo.name = "finite"},
        tensor<?x3x?x4xf32, #dhlo.dims<B, S>> {dhlo.name = "twice"}, tensor<?x3x?x4xf32, #dhlo.dims<B, S>> {dhlo.name = "lowered"}) attributes {dhlo.entry} {
  %half = dhlo.constant dense<5.000000e-01> : tensor<f32>
  %zero = dhlo.constant dense<0.000000e+00> : tensor<f32>
  %inf = dhlo.constant dense<0xFF800000> : tensor<f32>
  %low = dhlo.constant dense<-3.40282347E+38> : tensor<f32>
  %q1 = dhlo.transpose %q permutation = [0, 2, 1, 3] : (tensor<?x?x3x4xf32, #dhlo.dims<B, S>>) -> tensor<?x3x?x4xf32, #dhlo.dims<B, S>>
  %k1 = dhlo.transpose %k permutation = [0, 2, 3, 1] : (tensor<?x?x3x4xf32, #dhlo.dims<B, S>>) -> tensor<?x3x4x?xf32, #dhlo.dims<B, S>>
  %v1 = dhlo.transpose %v permutation = [0, 2, 1, 3] : (tensor<?x?x3x4xf32, #dhlo.dims<B, S>>) -> tensor<?x3x?x4xf32, #dhlo.dims<B, S>>
  %h = dhlo.broadcast %half axes = [] : (tensor<f32>) -> tensor<?x3x?x4xf32, #dhlo.dims<B, S>>
  %q2 = dhlo.mul %q1, %h : tensor<?x3x?x4xf32, #dhlo.dims<B, S>>
  // Keys that are there and not after the query.
  %i = dhlo.iota axis = 2 start = [0] step = [1] : tensor<?x3x?x?xi64, #dhlo.dims<B, S, S>>
  %j = dhlo.iota axis = 3 start = [0] step = [1] : tensor<?x3x?x?xi64, #dhlo.dims<B, S, S>>
  %causal = dhlo.compare ge %i, %j : tensor<?x3x?x?xi64, #dhlo.dims<B, S, S>> -> tensor<?x3x?x?xi1, #dhlo.dims<B, S, S>>
  %there = dhlo.convert %mask : (tensor<?x?xi64, #dhlo.dims<B, S>>) -> tensor<?x?xi1, #dhlo.dims<B, S>>
  %m1 = dhlo.broadcast %there axes = [0, 3] : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x3x?x?xi1, #dhlo.dims<B, S, S>>
  %m2 = dhlo.and %causal, %m1 : tensor<?x3x?x?xi1, #dhlo.dims<B, S, S>>
  %z = dhlo.broadcast %zero axes = [] : (tensor<f32>) -> tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %n = dhlo.broadcast %inf axes = [] : (tensor<f32>) -> tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %m3 = dhlo.select %m2, %z, %n : tensor<?x3x?x?xi1, #dhlo.dims<B, S, S>>, tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %s = dhlo.dot_general %q2, %k1 batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x3x?x4xf32, #dhlo.dims<B, S>>, tensor<?x3x4x?xf32, #dhlo.dims<B, S>>) -> tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %x = dhlo.add %s, %m3 : tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %p = dhlo.softmax %x axis = 3 : tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %nan = dhlo.is_nan %p : (tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>) -> tensor<?x3x?x?xi1, #dhlo.dims<B, S, S>>
  %p1 = dhlo.select %nan, %z, %p : tensor<?x3x?x?xi1, #dhlo.dims<B, S, S>>, tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %y = dhlo.dot_general %p1, %v1 batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>, tensor<?x3x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x3x?x4xf32, #dhlo.dims<B, S>>

  %l = dhlo.broadcast %low axes = [] : (tensor<f32>) -> tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %s2 = dhlo.dot_general %q2, %k1 batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x3x?x4xf32, #dhlo.dims<B, S>>, tensor<?x3x4x?xf32, #dhlo.dims<B, S>>) -> tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %x2 = dhlo.select %m2, %s2, %l : tensor<?x3x?x?xi1, #dhlo.dims<B, S, S>>, tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %p2 = dhlo.softmax %x2 axis = 3 : tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %y2 = dhlo.dot_general %p2, %v1 batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>, tensor<?x3x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x3x?x4xf32, #dhlo.dims<B, S>>

  // Chosen twice, and a choice after a sum.
  %s3 = dhlo.dot_general %q2, %k1 batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x3x?x4xf32, #dhlo.dims<B, S>>, tensor<?x3x4x?xf32, #dhlo.dims<B, S>>) -> tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %x0 = dhlo.select %causal, %s3, %l : tensor<?x3x?x?xi1, #dhlo.dims<B, S, S>>, tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %x3 = dhlo.select %m1, %x0, %l : tensor<?x3x?x?xi1, #dhlo.dims<B, S, S>>, tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %p3 = dhlo.softmax %x3 axis = 3 : tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %y3 = dhlo.dot_general %p3, %v1 batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>, tensor<?x3x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x3x?x4xf32, #dhlo.dims<B, S>>

  %s4 = dhlo.dot_general %q2, %k1 batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x3x?x4xf32, #dhlo.dims<B, S>>, tensor<?x3x4x?xf32, #dhlo.dims<B, S>>) -> tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %one = dhlo.constant dense<1> : tensor<i64>
  %ones = dhlo.broadcast %one axes = [] : (tensor<i64>) -> tensor<?x?xi64, #dhlo.dims<B, S>>
  %away = dhlo.compare ne %mask, %ones : tensor<?x?xi64, #dhlo.dims<B, S>> -> tensor<?x?xi1, #dhlo.dims<B, S>>
  %f = dhlo.convert %away : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %l1 = dhlo.broadcast %low axes = [] : (tensor<f32>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %f1 = dhlo.mul %f, %l1 : tensor<?x?xf32, #dhlo.dims<B, S>>
  %f2 = dhlo.broadcast %f1 axes = [0, 3] : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %x5 = dhlo.add %s4, %f2 : tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %x4 = dhlo.select %causal, %x5, %l : tensor<?x3x?x?xi1, #dhlo.dims<B, S, S>>, tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %p4 = dhlo.softmax %x4 axis = 3 : tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>
  %y4 = dhlo.dot_general %p4, %v1 batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x3x?x?xf32, #dhlo.dims<B, S, S>>, tensor<?x3x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x3x?x4xf32, #dhlo.dims<B, S>>
  return %y, %y2, %y3, %y4 : tensor<?x3x?x4xf32, #dhlo.dims<B, S>>, tensor<?x3x?x4xf32, #dhlo.dims<B, S>>, tensor<?x3x?x4xf32, #dhlo.dims<B, S>>, tensor<?x3x?x4xf32, #dhlo.dims<B, S>>
}
