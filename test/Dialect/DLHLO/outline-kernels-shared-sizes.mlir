// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-verify-kernels | FileCheck %s
// RUN: dyn-compile %s --target=cpu,emu --isa=v3 -o %t.so
// RUN: dyn-run --reference %s --input x=random:100 --input y=random:118 --seed=1 --output %t.npz
// RUN: dyn-run %t.so --input x=random:100 --input y=random:118 --seed=1 --check %t.npz --tolerance 1e-6
// RUN: dyn-run %t.so --device=emu --input x=random:100 --input y=random:118 --seed=1 --check %t.npz --tolerance 1e-6
// RUN: not dyn-run %t.so --input x=random:100 --input y=random:119 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: input 'y', axis 0: expected S + S mod 3

// Each size uses the one before twice, so that the last one has 2^9 parts when
// it is written out. Kernels name what sizes share.

dhlo.dim @S in [1, 4096]
dhlo.dim @T in [0, 4096]
dhlo.dim @N1 = @S + @S mod 3
dhlo.dim @N2 = @N1 + @N1 mod 4
dhlo.dim @N3 = @N2 + @N2 mod 5
dhlo.dim @N4 = @N3 + @N3 mod 6
dhlo.dim @N5 = @N4 + @N4 mod 7
dhlo.dim @N6 = @N5 + @N5 mod 8
dhlo.dim @N7 = @N6 + @N6 mod 9
dhlo.dim @N8 = @N7 + @N7 mod 10
dhlo.dim @N9 = @N8 + @N8 mod 11
dhlo.dim @C9 = @S + @N9
dhlo.dim @D = (@S - @T) mod 3 + (@S - @T) mod 4
dhlo.dim @E = @S + @N9 + @D
dhlo.dim @C3 = @S + @N3

// CHECK: dlhlo.kernel @concat_exp loop
// CHECK: dhlo.dim @d0 in [1, 4096]
// CHECK-NEXT: dhlo.dim @d1 = [[N8:@d0 [^()]*]] + ([[N8]]) mod 11
// CHECK-NEXT: dhlo.dim @d2 = @d0 + @d1
// CHECK-NEXT: dhlo.dim @d3 = @d0 mod 3
// CHECK-NEXT: dhlo.dim @d4 = (@d0 + @d3) mod 4
// CHECK-NEXT: dhlo.dim @d5 = (@d0 + @d3 + @d4) mod 5
// CHECK-NEXT: dhlo.dim @d6 = (@d0 + @d3 + @d4 + @d5) mod 6
// CHECK-NEXT: dhlo.dim @d7 = (@d0 + @d3 + @d4 + @d5 + @d6) mod 7
// CHECK-NEXT: dhlo.dim @d8 = {{.*}} mod 8
// CHECK-NEXT: dhlo.dim @d9 = {{.*}} mod 9
// CHECK-NEXT: dhlo.dim @d10 = {{.*}} mod 10
// CHECK-NEXT: %{{.*}} = dhlo.concat
// CHECK: dlhlo.launch @concat_exp dims [@S](
func.func @long(%x: tensor<?xf32, #dhlo.dims<S>> {dhlo.name = "x"}, %y: tensor<?xf32, #dhlo.dims<N9>> {dhlo.name = "y"}) -> (tensor<?xf32, #dhlo.dims<C9>> {dhlo.name = "z"}) attributes {dhlo.entry} {
  %0 = dhlo.concat %x, %y axis = 0 : (tensor<?xf32, #dhlo.dims<S>>, tensor<?xf32, #dhlo.dims<N9>>) -> tensor<?xf32, #dhlo.dims<C9>>
  %1 = dhlo.exp %0 : tensor<?xf32, #dhlo.dims<C9>>
  return %1 : tensor<?xf32, #dhlo.dims<C9>>
}

// Short sizes are written out.
// CHECK: dlhlo.kernel @concat_exp_0 loop
// CHECK: dhlo.dim @d1 = @d0 + @d0 mod 3 + (@d0 + @d0 mod 3) mod 4 +
// CHECK-NEXT: dhlo.dim @d2 = @d0 + @d1
// CHECK-NEXT: %{{.*}} = dhlo.concat
func.func @short(%x: tensor<?xf32, #dhlo.dims<S>>, %y: tensor<?xf32, #dhlo.dims<N3>>) -> tensor<?xf32, #dhlo.dims<C3>> attributes {dhlo.entry} {
  %0 = dhlo.concat %x, %y axis = 0 : (tensor<?xf32, #dhlo.dims<S>>, tensor<?xf32, #dhlo.dims<N3>>) -> tensor<?xf32, #dhlo.dims<C3>>
  %1 = dhlo.exp %0 : tensor<?xf32, #dhlo.dims<C3>>
  return %1 : tensor<?xf32, #dhlo.dims<C3>>
}

// Attributes have the names, too.
// CHECK: dlhlo.kernel @slice_exp loop
// CHECK: dhlo.dim @[[PART:.*]] = @d1 + @d2 + @d3 + @d4 + @d5{{$}}
// CHECK: dhlo.slice {{.*}} starts = [@[[PART]] mod 8]
func.func @attribute(%x: tensor<?xf32, #dhlo.dims<N9>>, %s: tensor<?xf32, #dhlo.dims<S>>) -> tensor<?xf32, #dhlo.dims<S>> attributes {dhlo.entry} {
  %0 = dhlo.slice %x starts = [(@S + @S mod 3 + (@S + @S mod 3) mod 4 + (@S + @S mod 3 + (@S + @S mod 3) mod 4) mod 5 + (@S + @S mod 3 + (@S + @S mod 3) mod 4 + (@S + @S mod 3 + (@S + @S mod 3) mod 4) mod 5) mod 6) mod 8] strides = [1] : (tensor<?xf32, #dhlo.dims<N9>>) -> tensor<?xf32, #dhlo.dims<S>>
  %1 = dhlo.exp %0 : tensor<?xf32, #dhlo.dims<S>>
  return %1 : tensor<?xf32, #dhlo.dims<S>>
}

// Sizes are not negative, so that a part that may be is not one.
// CHECK: dlhlo.kernel @concat_neg loop
// CHECK: dhlo.dim @{{.*}} = (@[[S:.*]] - @[[T:.*]]) mod 3 + (@[[S]] - @[[T]]) mod 4
func.func @negative(%x: tensor<?x?xf32, #dhlo.dims<S, T>>, %y: tensor<?x?xf32, #dhlo.dims<N9, T>>, %z: tensor<?x?xf32, #dhlo.dims<D, T>>) -> tensor<?x?xf32, #dhlo.dims<E, T>> attributes {dhlo.entry} {
  %0 = dhlo.concat %x, %y, %z axis = 0 : (tensor<?x?xf32, #dhlo.dims<S, T>>, tensor<?x?xf32, #dhlo.dims<N9, T>>, tensor<?x?xf32, #dhlo.dims<D, T>>) -> tensor<?x?xf32, #dhlo.dims<E, T>>
  %1 = dhlo.neg %0 : tensor<?x?xf32, #dhlo.dims<E, T>>
  return %1 : tensor<?x?xf32, #dhlo.dims<E, T>>
}
