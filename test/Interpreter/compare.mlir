// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @compare_eq{{$}}
// CHECK-NEXT:    tensor<5xi1> [false, true, false, true, false]
func.func @compare_eq() -> tensor<5xi1> {
  %x = dhlo.constant dense<[1.0, 2.0, 0x7FC00000, -0.0, 0x7FC00000]> : tensor<5xf32>
  %y = dhlo.constant dense<[2.0, 2.0, 1.0, 0.0, 0x7FC00000]> : tensor<5xf32>
  %p = dhlo.compare eq %x, %y : tensor<5xf32> -> tensor<5xi1>
  return %p : tensor<5xi1>
}

// CHECK-LABEL: @compare_ne{{$}}
// CHECK-NEXT:    tensor<5xi1> [true, false, true, false, true]
func.func @compare_ne() -> tensor<5xi1> {
  %x = dhlo.constant dense<[1.0, 2.0, 0x7FC00000, -0.0, 0x7FC00000]> : tensor<5xf32>
  %y = dhlo.constant dense<[2.0, 2.0, 1.0, 0.0, 0x7FC00000]> : tensor<5xf32>
  %p = dhlo.compare ne %x, %y : tensor<5xf32> -> tensor<5xi1>
  return %p : tensor<5xi1>
}

// CHECK-LABEL: @compare_lt{{$}}
// CHECK-NEXT:    tensor<5xi1> [true, false, false, false, false]
func.func @compare_lt() -> tensor<5xi1> {
  %x = dhlo.constant dense<[1.0, 2.0, 0x7FC00000, -0.0, 0x7FC00000]> : tensor<5xf32>
  %y = dhlo.constant dense<[2.0, 2.0, 1.0, 0.0, 0x7FC00000]> : tensor<5xf32>
  %p = dhlo.compare lt %x, %y : tensor<5xf32> -> tensor<5xi1>
  return %p : tensor<5xi1>
}

// CHECK-LABEL: @compare_le{{$}}
// CHECK-NEXT:    tensor<5xi1> [true, true, false, true, false]
func.func @compare_le() -> tensor<5xi1> {
  %x = dhlo.constant dense<[1.0, 2.0, 0x7FC00000, -0.0, 0x7FC00000]> : tensor<5xf32>
  %y = dhlo.constant dense<[2.0, 2.0, 1.0, 0.0, 0x7FC00000]> : tensor<5xf32>
  %p = dhlo.compare le %x, %y : tensor<5xf32> -> tensor<5xi1>
  return %p : tensor<5xi1>
}

// CHECK-LABEL: @compare_gt{{$}}
// CHECK-NEXT:    tensor<5xi1> [false, false, false, false, false]
func.func @compare_gt() -> tensor<5xi1> {
  %x = dhlo.constant dense<[1.0, 2.0, 0x7FC00000, -0.0, 0x7FC00000]> : tensor<5xf32>
  %y = dhlo.constant dense<[2.0, 2.0, 1.0, 0.0, 0x7FC00000]> : tensor<5xf32>
  %p = dhlo.compare gt %x, %y : tensor<5xf32> -> tensor<5xi1>
  return %p : tensor<5xi1>
}

// CHECK-LABEL: @compare_ge{{$}}
// CHECK-NEXT:    tensor<5xi1> [false, true, false, true, false]
func.func @compare_ge() -> tensor<5xi1> {
  %x = dhlo.constant dense<[1.0, 2.0, 0x7FC00000, -0.0, 0x7FC00000]> : tensor<5xf32>
  %y = dhlo.constant dense<[2.0, 2.0, 1.0, 0.0, 0x7FC00000]> : tensor<5xf32>
  %p = dhlo.compare ge %x, %y : tensor<5xf32> -> tensor<5xi1>
  return %p : tensor<5xi1>
}

// Signless integers are signed.
// CHECK-LABEL: @compare_signed{{$}}
// CHECK-NEXT:    tensor<1xi1> [true]
// CHECK-NEXT:    tensor<1xi1> [false]
func.func @compare_signed() -> (tensor<1xi1>, tensor<1xi1>) {
  %a = dhlo.constant dense<[-1]> : tensor<1xi8>
  %b = dhlo.constant dense<[1]> : tensor<1xi8>
  %c = dhlo.constant dense<[255]> : tensor<1xui8>
  %d = dhlo.constant dense<[1]> : tensor<1xui8>
  %p = dhlo.compare lt %a, %b : tensor<1xi8> -> tensor<1xi1>
  %q = dhlo.compare lt %c, %d : tensor<1xui8> -> tensor<1xi1>
  return %p, %q : tensor<1xi1>, tensor<1xi1>
}

// CHECK-LABEL: @compare_bool{{$}}
// CHECK-NEXT:    tensor<2xi1> [true, false]
func.func @compare_bool() -> tensor<2xi1> {
  %a = dhlo.constant dense<[true, false]> : tensor<2xi1>
  %b = dhlo.constant dense<[false, false]> : tensor<2xi1>
  %p = dhlo.compare gt %a, %b : tensor<2xi1> -> tensor<2xi1>
  return %p : tensor<2xi1>
}
