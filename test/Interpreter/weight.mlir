// RUN: rm -rf %t && mkdir -p %t/nested
// RUN: printf '\0\0\0\200\077\0\0\0\100\0\0\100\100' > %t/w.bin
// RUN: cp %t/w.bin %t/nested/v.bin
// RUN: dyn-opt %s --dhlo-interpret=weights=%t -o /dev/null | FileCheck %s
// RUN: cd %t && dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s
// RUN: not dyn-opt %s --dhlo-interpret=weights=%t/nested -o /dev/null 2>&1 | FileCheck %s --check-prefix=ELSEWHERE

// Bytes need no alignment; a name may lead into a folder below.
// CHECK-LABEL: @weight{{$}}
// CHECK-NEXT:    tensor<3xf32> [1, 2, 3]
// CHECK-NEXT:    tensor<1x2xui8> {{\[\[}}128, 63]]
// CHECK-NEXT:    tensor<0xf32> []
// CHECK-NEXT:    tensor<f16> 1.875
// ELSEWHERE: 'dhlo.weight' op weights in 'w.bin': cannot open it: No such file or directory
func.func @weight() -> (tensor<3xf32>, tensor<1x2xui8>, tensor<0xf32>, tensor<f16>) {
  %0 = dhlo.weight <"w.bin", offset = 1, length = 12, key = "a"> : tensor<3xf32>
  %1 = dhlo.weight <"nested/v.bin", offset = 3, length = 2, key = "b"> : tensor<1x2xui8>
  %2 = dhlo.weight <"w.bin", offset = 13, length = 0, key = "c"> : tensor<0xf32>
  %3 = dhlo.weight <"w.bin", offset = 3, length = 2, key = "d"> : tensor<f16>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<1x2xui8>, tensor<0xf32>, tensor<f16>
}
