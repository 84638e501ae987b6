// RUN: dyn-compile %s --explain | FileCheck %s
// RUN: dyn-compile %s --explain --together=false | FileCheck %s --check-prefix=APART
// RUN: rm -rf %t && mkdir %t && dyn-compile %s --explain=html -o %t/page.html
// RUN: FileCheck %s --check-prefix=HTML < %t/page.html

// CHECK: entry main: 2 launches, 2 of them together in 1
// APART: entry main: 2 launches{{$}}
// HTML: <em>together 1</em>
dhlo.dim @N in [1, 64]
func.func @main(%x: tensor<?x8xf32, #dhlo.dims<N>>, %v: tensor<8x4xf32>, %w: tensor<8x6xf32>)
    -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x6xf32, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %0 = dhlo.dot_general %x, %v batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x6xf32>) -> tensor<?x6xf32, #dhlo.dims<N>>
  return %0, %1 : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x6xf32, #dhlo.dims<N>>
}
