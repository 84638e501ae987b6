// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// Integers at the ends of their types in operations that combine several elements: sums wrap in
// the type of the result, orders are those of the type's sign, and 64 bits stay 64 bits.

// CHECK-LABEL: @sums_wrap{{$}}
// CHECK-NEXT:    tensor<i16> -32768
// CHECK-NEXT:    tensor<ui16> 0
// CHECK-NEXT:    tensor<i32> -2147483648
// CHECK-NEXT:    tensor<ui32> 0
// CHECK-NEXT:    tensor<i64> -9223372036854775808
// CHECK-NEXT:    tensor<ui64> 0
func.func @sums_wrap() -> (tensor<i16>, tensor<ui16>, tensor<i32>, tensor<ui32>, tensor<i64>, tensor<ui64>) {
  %a = dhlo.constant dense<[32767, 1]> : tensor<2xi16>
  %b = dhlo.constant dense<[65535, 1]> : tensor<2xui16>
  %c = dhlo.constant dense<[2147483647, 1]> : tensor<2xi32>
  %d = dhlo.constant dense<[4294967295, 1]> : tensor<2xui32>
  %e = dhlo.constant dense<[9223372036854775807, 1]> : tensor<2xi64>
  %f = dhlo.constant dense<[18446744073709551615, 1]> : tensor<2xui64>
  %p = dhlo.reduce sum %a axes = [0] : (tensor<2xi16>) -> tensor<i16>
  %q = dhlo.reduce sum %b axes = [0] : (tensor<2xui16>) -> tensor<ui16>
  %r = dhlo.reduce sum %c axes = [0] : (tensor<2xi32>) -> tensor<i32>
  %s = dhlo.reduce sum %d axes = [0] : (tensor<2xui32>) -> tensor<ui32>
  %t = dhlo.reduce sum %e axes = [0] : (tensor<2xi64>) -> tensor<i64>
  %u = dhlo.reduce sum %f axes = [0] : (tensor<2xui64>) -> tensor<ui64>
  return %p, %q, %r, %s, %t, %u : tensor<i16>, tensor<ui16>, tensor<i32>, tensor<ui32>, tensor<i64>, tensor<ui64>
}

// CHECK-LABEL: @products_wrap{{$}}
// CHECK-NEXT:    tensor<i8> 0
// CHECK-NEXT:    tensor<ui8> 225
// CHECK-NEXT:    tensor<i64> 1
func.func @products_wrap() -> (tensor<i8>, tensor<ui8>, tensor<i64>) {
  %a = dhlo.constant dense<[16, 16]> : tensor<2xi8>
  %b = dhlo.constant dense<[241, 241]> : tensor<2xui8>
  %c = dhlo.constant dense<[9223372036854775807, 9223372036854775807]> : tensor<2xi64>
  %p = dhlo.reduce prod %a axes = [0] : (tensor<2xi8>) -> tensor<i8>
  %q = dhlo.reduce prod %b axes = [0] : (tensor<2xui8>) -> tensor<ui8>
  %r = dhlo.reduce prod %c axes = [0] : (tensor<2xi64>) -> tensor<i64>
  return %p, %q, %r : tensor<i8>, tensor<ui8>, tensor<i64>
}

// The largest unsigned number is -1 of the signed type, which is its least but one here.
// CHECK-LABEL: @signs{{$}}
// CHECK-NEXT:    tensor<i8> 1
// CHECK-NEXT:    tensor<ui8> 255
// CHECK-NEXT:    tensor<i64> -1
// CHECK-NEXT:    tensor<ui64> 1
// CHECK-NEXT:    tensor<2xui64> [1, 18446744073709551615]
// CHECK-NEXT:    tensor<2xi64> [-1, 1]
// CHECK-NEXT:    tensor<i64> 0
// CHECK-NEXT:    tensor<i64> 1
func.func @signs() -> (tensor<i8>, tensor<ui8>, tensor<i64>, tensor<ui64>, tensor<2xui64>, tensor<2xi64>, tensor<i64>, tensor<i64>) {
  %a = dhlo.constant dense<[-1, 1]> : tensor<2xi8>
  %b = dhlo.constant dense<[255, 1]> : tensor<2xui8>
  %c = dhlo.constant dense<[-1, 1]> : tensor<2xi64>
  %d = dhlo.constant dense<[18446744073709551615, 1]> : tensor<2xui64>
  %p = dhlo.reduce max %a axes = [0] : (tensor<2xi8>) -> tensor<i8>
  %q = dhlo.reduce max %b axes = [0] : (tensor<2xui8>) -> tensor<ui8>
  %r = dhlo.reduce min %c axes = [0] : (tensor<2xi64>) -> tensor<i64>
  %s = dhlo.reduce min %d axes = [0] : (tensor<2xui64>) -> tensor<ui64>
  %v, %i = dhlo.sort %d axis = 0 : tensor<2xui64>, tensor<2xi64>
  %w, %j = dhlo.sort %c axis = 0 : tensor<2xi64>, tensor<2xi64>
  %x = dhlo.arg_reduce max %d axis = 0 : (tensor<2xui64>) -> tensor<i64>
  %y = dhlo.arg_reduce max %c axis = 0 : (tensor<2xi64>) -> tensor<i64>
  return %p, %q, %r, %s, %v, %w, %x, %y : tensor<i8>, tensor<ui8>, tensor<i64>, tensor<ui64>, tensor<2xui64>, tensor<2xi64>, tensor<i64>, tensor<i64>
}

// Numbers that f64 does not tell apart are found, ordered and selected apart.
// CHECK-LABEL: @wide{{$}}
// CHECK-NEXT:    tensor<3xi64> [9007199254740992, 9007199254740993, 9007199254740994]
// CHECK-NEXT:    tensor<i64> 9007199254740993
// CHECK-NEXT:    tensor<1xi1> [false]
// CHECK-NEXT:    tensor<1xi64> [9007199254740993]
func.func @wide() -> (tensor<3xi64>, tensor<i64>, tensor<1xi1>, tensor<1xi64>) {
  %x = dhlo.constant dense<[9007199254740993, 9007199254740994, 9007199254740992]> : tensor<3xi64>
  %v, %i = dhlo.sort %x axis = 0 : tensor<3xi64>, tensor<3xi64>
  %y = dhlo.constant dense<[9007199254740993, 9007199254740992]> : tensor<2xi64>
  %m = dhlo.reduce max %y axes = [0] : (tensor<2xi64>) -> tensor<i64>
  %a = dhlo.constant dense<[9007199254740993]> : tensor<1xi64>
  %b = dhlo.constant dense<[9007199254740992]> : tensor<1xi64>
  %p = dhlo.compare eq %a, %b : tensor<1xi64> -> tensor<1xi1>
  %z = dhlo.select %p, %b, %a : tensor<1xi1>, tensor<1xi64>
  return %v, %m, %p, %z : tensor<3xi64>, tensor<i64>, tensor<1xi1>, tensor<1xi64>
}

// Products of bytes are summed in 32 bits: 300 of -128 * -128 are more than 16 bits hold, and of
// ui8 with i8 the first factor counts as positive.
// CHECK-LABEL: @bytes{{$}}
// CHECK-NEXT:    tensor<1x1xi32> {{\[\[}}4915200]]
// CHECK-NEXT:    tensor<1x1xi32> {{\[\[}}-9792000]]
func.func @bytes() -> (tensor<1x1xi32>, tensor<1x1xi32>) {
  %x = dhlo.constant dense<-128> : tensor<1x300xi8>
  %w = dhlo.constant dense<-128> : tensor<300x1xi8>
  %a = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<1x300xi8>, tensor<300x1xi8>) -> tensor<1x1xi32>
  %u = dhlo.constant dense<255> : tensor<1x300xui8>
  %b = dhlo.dot_general %u, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<1x300xui8>, tensor<300x1xi8>) -> tensor<1x1xi32>
  return %a, %b : tensor<1x1xi32>, tensor<1x1xi32>
}

// Sums of products wrap where their type ends.
// CHECK-LABEL: @dot_wraps{{$}}
// CHECK-NEXT:    tensor<1x1xi32> {{\[\[}}-2147483648]]
// CHECK-NEXT:    tensor<1x1xi64> {{\[\[}}-9223372036854775808]]
func.func @dot_wraps() -> (tensor<1x1xi32>, tensor<1x1xi64>) {
  %x = dhlo.constant dense<1073741824> : tensor<1x2xi32>
  %w = dhlo.constant dense<1> : tensor<2x1xi32>
  %a = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<1x2xi32>, tensor<2x1xi32>) -> tensor<1x1xi32>
  %y = dhlo.constant dense<4611686018427387904> : tensor<1x2xi64>
  %v = dhlo.constant dense<1> : tensor<2x1xi64>
  %b = dhlo.dot_general %y, %v batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<1x2xi64>, tensor<2x1xi64>) -> tensor<1x1xi64>
  return %a, %b : tensor<1x1xi32>, tensor<1x1xi64>
}

// Updates wrap one by one, running sums from element to element.
// CHECK-LABEL: @steps{{$}}
// CHECK-NEXT:    tensor<1xi8> [-56]
// CHECK-NEXT:    tensor<1xui8> [64]
// CHECK-NEXT:    tensor<3xui8> [200, 144, 88]
// CHECK-NEXT:    tensor<3xi8> [0, 100, -56]
// CHECK-NEXT:    tensor<2xi8> [-56, 1]
func.func @steps() -> (tensor<1xi8>, tensor<1xui8>, tensor<3xui8>, tensor<3xi8>, tensor<2xi8>) {
  %x = dhlo.constant dense<[0]> : tensor<1xi8>
  %i = dhlo.constant dense<[[0], [0]]> : tensor<2x1xi64>
  %u = dhlo.constant dense<100> : tensor<2xi8>
  %a = dhlo.scatter_nd %x, %i, %u add : (tensor<1xi8>, tensor<2x1xi64>, tensor<2xi8>) -> tensor<1xi8>
  %y = dhlo.constant dense<[100]> : tensor<1xui8>
  %v = dhlo.constant dense<[20, 4]> : tensor<2xui8>
  %ten = dhlo.scatter_nd %y, %i, %v mul : (tensor<1xui8>, tensor<2x1xi64>, tensor<2xui8>) -> tensor<1xui8>
  %hundreds = dhlo.constant dense<200> : tensor<3xui8>
  %c = dhlo.cumulative sum %hundreds axis = 0 : tensor<3xui8>
  %signed = dhlo.constant dense<100> : tensor<3xi8>
  %d = dhlo.cumulative sum %signed axis = 0 exclusive : tensor<3xi8>
  %s = dhlo.constant dense<[100, 100, 1]> : tensor<3xi8>
  %o = dhlo.constant dense<[0, 2, 3]> : tensor<3xi64>
  %e = dhlo.segment_reduce sum %s, %o : (tensor<3xi8>, tensor<3xi64>) -> tensor<2xi8>
  return %a, %ten, %c, %d, %e : tensor<1xi8>, tensor<1xui8>, tensor<3xui8>, tensor<3xi8>, tensor<2xi8>
}

// Indices of the narrower types count from the end, too.
// CHECK-LABEL: @indices{{$}}
// CHECK-NEXT:    tensor<2xf32> [3, 1]
// CHECK-NEXT:    tensor<1xf32> [3]
// CHECK-NEXT:    dhlo.gather: index out of range
func.func @indices() -> (tensor<2xf32>, tensor<1xf32>) {
  %t = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %i = dhlo.constant dense<[-1, -3]> : tensor<2xi32>
  %a = dhlo.gather %t, %i axis = 0 batch = 0 : (tensor<3xf32>, tensor<2xi32>) -> tensor<2xf32>
  %far = dhlo.constant dense<[9223372036854775807]> : tensor<1xi64>
  %b = dhlo.gather %t, %far axis = 0 batch = 0 : (tensor<3xf32>, tensor<1xi64>) -> tensor<1xf32>
  return %a, %b : tensor<2xf32>, tensor<1xf32>
}

// CHECK-LABEL: @least_index{{$}}
// CHECK-NEXT:    tensor<1xf32> [1]
// CHECK-NEXT:    tensor<2xf32> [1, 2]
// CHECK-NEXT:    dhlo.gather: index out of range
// CHECK-NEXT:    dhlo.scatter_elements: index out of range
func.func @least_index() -> (tensor<1xf32>, tensor<2xf32>) {
  %t = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %far = dhlo.constant dense<[-9223372036854775808]> : tensor<1xi64>
  %a = dhlo.gather %t, %far axis = 0 batch = 0 : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
  %u = dhlo.constant dense<[9.0]> : tensor<1xf32>
  %b = dhlo.scatter_elements %t, %far, %u replace axis = 0 : (tensor<2xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<2xf32>
  return %a, %b : tensor<1xf32>, tensor<2xf32>
}

// Counters wrap like any integer.
// CHECK-LABEL: @iota{{$}}
// CHECK-NEXT:    tensor<3xi8> [126, 127, -128]
// CHECK-NEXT:    tensor<3xui8> [255, 0, 1]
func.func @iota() -> (tensor<3xi8>, tensor<3xui8>) {
  %a = dhlo.iota axis = 0 start = [126] step = [1] : tensor<3xi8>
  %b = dhlo.iota axis = 0 start = [255] step = [1] : tensor<3xui8>
  return %a, %b : tensor<3xi8>, tensor<3xui8>
}
