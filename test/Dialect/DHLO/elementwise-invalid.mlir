// RUN: dyn-opt %s -split-input-file -verify-diagnostics

// compare_c1 stands for is_nan_c1 and the like, which share the check.

func.func @is_nan_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.is_nan' op expected size 4 at axis 0 of result, found 5}}
  %0 = dhlo.is_nan %x : (tensor<4xf32>) -> tensor<5xi1>
  return
}

// -----

func.func @is_inf_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.is_inf' op expected result of rank 1, found rank 2}}
  %0 = dhlo.is_inf %x : (tensor<4xf32>) -> tensor<4x1xi1>
  return
}

// -----

func.func @compare_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.compare' op expected size 4 at axis 0 of result, found 5}}
  %0 = dhlo.compare lt %x, %x : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

func.func @select_c1(%p: tensor<5xi1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.select' op expected size 5 at axis 0 of operand 1, found 4}}
  %0 = dhlo.select %p, %x, %x : tensor<5xi1>, tensor<4xf32>
  return
}

// -----

func.func @convert_c1(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'dhlo.convert' op expected size 2 at axis 1 of result, found 3}}
  %0 = dhlo.convert %x : (tensor<4x2xf32>) -> tensor<4x3xi32>
  return
}

// -----

func.func @same_types(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{'dhlo.add' op requires the same type for all operands and results}}
  %0 = "dhlo.add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}
