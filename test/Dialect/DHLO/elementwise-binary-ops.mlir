// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Operations on two or three tensors, at each element type that they take and at
// every kind of shape: scalars, empty, static and symbolic ones.

dhlo.dim @N
dhlo.dim @M

// CHECK-LABEL: func.func @add(
func.func @add(%x0: tensor<i8>, %y0: tensor<i8>, %x1: tensor<3xi16>, %y1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %y2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %y3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %y5: tensor<2x1xui16>, %x6: tensor<7xui32>, %y6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %y7: tensor<?xui64, #dhlo.dims<N>>, %x8: tensor<1x?xf16, #dhlo.dims<N>>, %y8: tensor<1x?xf16, #dhlo.dims<N>>, %x9: tensor<0xbf16>, %y9: tensor<0xbf16>, %x10: tensor<?x?xf32, #dhlo.dims<M, N>>, %y10: tensor<?x?xf32, #dhlo.dims<M, N>>, %x11: tensor<4x4xf64>, %y11: tensor<4x4xf64>) {
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<i8>
  %0 = dhlo.add %x0, %y0 : tensor<i8>
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<3xi16>
  %1 = dhlo.add %x1, %y1 : tensor<3xi16>
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.add %x2, %y2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.add %x3, %y3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.add %x4, %y4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.add %x5, %y5 : tensor<2x1xui16>
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<7xui32>
  %6 = dhlo.add %x6, %y6 : tensor<7xui32>
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.add %x7, %y7 : tensor<?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<1x?xf16, #dhlo.dims<N>>
  %8 = dhlo.add %x8, %y8 : tensor<1x?xf16, #dhlo.dims<N>>
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<0xbf16>
  %9 = dhlo.add %x9, %y9 : tensor<0xbf16>
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.add %x10, %y10 : tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.add %{{.*}}, %{{.*}} : tensor<4x4xf64>
  %11 = dhlo.add %x11, %y11 : tensor<4x4xf64>
  return
}

// CHECK-LABEL: func.func @sub(
func.func @sub(%x0: tensor<i8>, %y0: tensor<i8>, %x1: tensor<3xi16>, %y1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %y2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %y3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %y5: tensor<2x1xui16>, %x6: tensor<7xui32>, %y6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %y7: tensor<?xui64, #dhlo.dims<N>>, %x8: tensor<1x?xf16, #dhlo.dims<N>>, %y8: tensor<1x?xf16, #dhlo.dims<N>>, %x9: tensor<0xbf16>, %y9: tensor<0xbf16>, %x10: tensor<?x?xf32, #dhlo.dims<M, N>>, %y10: tensor<?x?xf32, #dhlo.dims<M, N>>, %x11: tensor<4x4xf64>, %y11: tensor<4x4xf64>) {
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<i8>
  %0 = dhlo.sub %x0, %y0 : tensor<i8>
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<3xi16>
  %1 = dhlo.sub %x1, %y1 : tensor<3xi16>
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.sub %x2, %y2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.sub %x3, %y3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.sub %x4, %y4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.sub %x5, %y5 : tensor<2x1xui16>
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<7xui32>
  %6 = dhlo.sub %x6, %y6 : tensor<7xui32>
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.sub %x7, %y7 : tensor<?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<1x?xf16, #dhlo.dims<N>>
  %8 = dhlo.sub %x8, %y8 : tensor<1x?xf16, #dhlo.dims<N>>
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<0xbf16>
  %9 = dhlo.sub %x9, %y9 : tensor<0xbf16>
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.sub %x10, %y10 : tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.sub %{{.*}}, %{{.*}} : tensor<4x4xf64>
  %11 = dhlo.sub %x11, %y11 : tensor<4x4xf64>
  return
}

// CHECK-LABEL: func.func @mul(
func.func @mul(%x0: tensor<i8>, %y0: tensor<i8>, %x1: tensor<3xi16>, %y1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %y2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %y3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %y5: tensor<2x1xui16>, %x6: tensor<7xui32>, %y6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %y7: tensor<?xui64, #dhlo.dims<N>>, %x8: tensor<1x?xf16, #dhlo.dims<N>>, %y8: tensor<1x?xf16, #dhlo.dims<N>>, %x9: tensor<0xbf16>, %y9: tensor<0xbf16>, %x10: tensor<?x?xf32, #dhlo.dims<M, N>>, %y10: tensor<?x?xf32, #dhlo.dims<M, N>>, %x11: tensor<4x4xf64>, %y11: tensor<4x4xf64>) {
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<i8>
  %0 = dhlo.mul %x0, %y0 : tensor<i8>
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<3xi16>
  %1 = dhlo.mul %x1, %y1 : tensor<3xi16>
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.mul %x2, %y2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.mul %x3, %y3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.mul %x4, %y4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.mul %x5, %y5 : tensor<2x1xui16>
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<7xui32>
  %6 = dhlo.mul %x6, %y6 : tensor<7xui32>
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.mul %x7, %y7 : tensor<?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<1x?xf16, #dhlo.dims<N>>
  %8 = dhlo.mul %x8, %y8 : tensor<1x?xf16, #dhlo.dims<N>>
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<0xbf16>
  %9 = dhlo.mul %x9, %y9 : tensor<0xbf16>
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.mul %x10, %y10 : tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.mul %{{.*}}, %{{.*}} : tensor<4x4xf64>
  %11 = dhlo.mul %x11, %y11 : tensor<4x4xf64>
  return
}

// CHECK-LABEL: func.func @div(
func.func @div(%x0: tensor<i8>, %y0: tensor<i8>, %x1: tensor<3xi16>, %y1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %y2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %y3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %y5: tensor<2x1xui16>, %x6: tensor<7xui32>, %y6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %y7: tensor<?xui64, #dhlo.dims<N>>, %x8: tensor<1x?xf16, #dhlo.dims<N>>, %y8: tensor<1x?xf16, #dhlo.dims<N>>, %x9: tensor<0xbf16>, %y9: tensor<0xbf16>, %x10: tensor<?x?xf32, #dhlo.dims<M, N>>, %y10: tensor<?x?xf32, #dhlo.dims<M, N>>, %x11: tensor<4x4xf64>, %y11: tensor<4x4xf64>) {
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<i8>
  %0 = dhlo.div %x0, %y0 : tensor<i8>
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<3xi16>
  %1 = dhlo.div %x1, %y1 : tensor<3xi16>
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.div %x2, %y2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.div %x3, %y3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.div %x4, %y4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.div %x5, %y5 : tensor<2x1xui16>
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<7xui32>
  %6 = dhlo.div %x6, %y6 : tensor<7xui32>
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.div %x7, %y7 : tensor<?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<1x?xf16, #dhlo.dims<N>>
  %8 = dhlo.div %x8, %y8 : tensor<1x?xf16, #dhlo.dims<N>>
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<0xbf16>
  %9 = dhlo.div %x9, %y9 : tensor<0xbf16>
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.div %x10, %y10 : tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.div %{{.*}}, %{{.*}} : tensor<4x4xf64>
  %11 = dhlo.div %x11, %y11 : tensor<4x4xf64>
  return
}

// CHECK-LABEL: func.func @rem(
func.func @rem(%x0: tensor<i8>, %y0: tensor<i8>, %x1: tensor<3xi16>, %y1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %y2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %y3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %y5: tensor<2x1xui16>, %x6: tensor<7xui32>, %y6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %y7: tensor<?xui64, #dhlo.dims<N>>, %x8: tensor<1x?xf16, #dhlo.dims<N>>, %y8: tensor<1x?xf16, #dhlo.dims<N>>, %x9: tensor<0xbf16>, %y9: tensor<0xbf16>, %x10: tensor<?x?xf32, #dhlo.dims<M, N>>, %y10: tensor<?x?xf32, #dhlo.dims<M, N>>, %x11: tensor<4x4xf64>, %y11: tensor<4x4xf64>) {
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<i8>
  %0 = dhlo.rem %x0, %y0 : tensor<i8>
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<3xi16>
  %1 = dhlo.rem %x1, %y1 : tensor<3xi16>
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.rem %x2, %y2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.rem %x3, %y3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.rem %x4, %y4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.rem %x5, %y5 : tensor<2x1xui16>
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<7xui32>
  %6 = dhlo.rem %x6, %y6 : tensor<7xui32>
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.rem %x7, %y7 : tensor<?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<1x?xf16, #dhlo.dims<N>>
  %8 = dhlo.rem %x8, %y8 : tensor<1x?xf16, #dhlo.dims<N>>
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<0xbf16>
  %9 = dhlo.rem %x9, %y9 : tensor<0xbf16>
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.rem %x10, %y10 : tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.rem %{{.*}}, %{{.*}} : tensor<4x4xf64>
  %11 = dhlo.rem %x11, %y11 : tensor<4x4xf64>
  return
}

// CHECK-LABEL: func.func @pow(
func.func @pow(%x0: tensor<i8>, %y0: tensor<i8>, %x1: tensor<3xi16>, %y1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %y2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %y3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %y5: tensor<2x1xui16>, %x6: tensor<7xui32>, %y6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %y7: tensor<?xui64, #dhlo.dims<N>>, %x8: tensor<1x?xf16, #dhlo.dims<N>>, %y8: tensor<1x?xf16, #dhlo.dims<N>>, %x9: tensor<0xbf16>, %y9: tensor<0xbf16>, %x10: tensor<?x?xf32, #dhlo.dims<M, N>>, %y10: tensor<?x?xf32, #dhlo.dims<M, N>>, %x11: tensor<4x4xf64>, %y11: tensor<4x4xf64>) {
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<i8>
  %0 = dhlo.pow %x0, %y0 : tensor<i8>
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<3xi16>
  %1 = dhlo.pow %x1, %y1 : tensor<3xi16>
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.pow %x2, %y2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.pow %x3, %y3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.pow %x4, %y4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.pow %x5, %y5 : tensor<2x1xui16>
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<7xui32>
  %6 = dhlo.pow %x6, %y6 : tensor<7xui32>
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.pow %x7, %y7 : tensor<?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<1x?xf16, #dhlo.dims<N>>
  %8 = dhlo.pow %x8, %y8 : tensor<1x?xf16, #dhlo.dims<N>>
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<0xbf16>
  %9 = dhlo.pow %x9, %y9 : tensor<0xbf16>
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.pow %x10, %y10 : tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.pow %{{.*}}, %{{.*}} : tensor<4x4xf64>
  %11 = dhlo.pow %x11, %y11 : tensor<4x4xf64>
  return
}

// CHECK-LABEL: func.func @maximum(
func.func @maximum(%x0: tensor<i8>, %y0: tensor<i8>, %x1: tensor<3xi16>, %y1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %y2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %y3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %y5: tensor<2x1xui16>, %x6: tensor<7xui32>, %y6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %y7: tensor<?xui64, #dhlo.dims<N>>, %x8: tensor<1x?xf16, #dhlo.dims<N>>, %y8: tensor<1x?xf16, #dhlo.dims<N>>, %x9: tensor<0xbf16>, %y9: tensor<0xbf16>, %x10: tensor<?x?xf32, #dhlo.dims<M, N>>, %y10: tensor<?x?xf32, #dhlo.dims<M, N>>, %x11: tensor<4x4xf64>, %y11: tensor<4x4xf64>) {
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<i8>
  %0 = dhlo.maximum %x0, %y0 : tensor<i8>
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<3xi16>
  %1 = dhlo.maximum %x1, %y1 : tensor<3xi16>
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.maximum %x2, %y2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.maximum %x3, %y3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.maximum %x4, %y4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.maximum %x5, %y5 : tensor<2x1xui16>
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<7xui32>
  %6 = dhlo.maximum %x6, %y6 : tensor<7xui32>
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.maximum %x7, %y7 : tensor<?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<1x?xf16, #dhlo.dims<N>>
  %8 = dhlo.maximum %x8, %y8 : tensor<1x?xf16, #dhlo.dims<N>>
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<0xbf16>
  %9 = dhlo.maximum %x9, %y9 : tensor<0xbf16>
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.maximum %x10, %y10 : tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.maximum %{{.*}}, %{{.*}} : tensor<4x4xf64>
  %11 = dhlo.maximum %x11, %y11 : tensor<4x4xf64>
  return
}

// CHECK-LABEL: func.func @minimum(
func.func @minimum(%x0: tensor<i8>, %y0: tensor<i8>, %x1: tensor<3xi16>, %y1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %y2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %y3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %y5: tensor<2x1xui16>, %x6: tensor<7xui32>, %y6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %y7: tensor<?xui64, #dhlo.dims<N>>, %x8: tensor<1x?xf16, #dhlo.dims<N>>, %y8: tensor<1x?xf16, #dhlo.dims<N>>, %x9: tensor<0xbf16>, %y9: tensor<0xbf16>, %x10: tensor<?x?xf32, #dhlo.dims<M, N>>, %y10: tensor<?x?xf32, #dhlo.dims<M, N>>, %x11: tensor<4x4xf64>, %y11: tensor<4x4xf64>) {
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<i8>
  %0 = dhlo.minimum %x0, %y0 : tensor<i8>
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<3xi16>
  %1 = dhlo.minimum %x1, %y1 : tensor<3xi16>
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.minimum %x2, %y2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.minimum %x3, %y3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.minimum %x4, %y4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.minimum %x5, %y5 : tensor<2x1xui16>
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<7xui32>
  %6 = dhlo.minimum %x6, %y6 : tensor<7xui32>
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.minimum %x7, %y7 : tensor<?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<1x?xf16, #dhlo.dims<N>>
  %8 = dhlo.minimum %x8, %y8 : tensor<1x?xf16, #dhlo.dims<N>>
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<0xbf16>
  %9 = dhlo.minimum %x9, %y9 : tensor<0xbf16>
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.minimum %x10, %y10 : tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.minimum %{{.*}}, %{{.*}} : tensor<4x4xf64>
  %11 = dhlo.minimum %x11, %y11 : tensor<4x4xf64>
  return
}

// CHECK-LABEL: func.func @atan2(
func.func @atan2(%x0: tensor<f16>, %y0: tensor<f16>, %x1: tensor<3xbf16>, %y1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %y2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>, %y3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.atan2 %{{.*}}, %{{.*}} : tensor<f16>
  %0 = dhlo.atan2 %x0, %y0 : tensor<f16>
  // CHECK: dhlo.atan2 %{{.*}}, %{{.*}} : tensor<3xbf16>
  %1 = dhlo.atan2 %x1, %y1 : tensor<3xbf16>
  // CHECK: dhlo.atan2 %{{.*}}, %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.atan2 %x2, %y2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.atan2 %{{.*}}, %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.atan2 %x3, %y3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @and(
func.func @and(%x0: tensor<i1>, %y0: tensor<i1>, %x1: tensor<3xi8>, %y1: tensor<3xi8>, %x2: tensor<?x4xi16, #dhlo.dims<N>>, %y2: tensor<?x4xi16, #dhlo.dims<N>>, %x3: tensor<0x?xi32, #dhlo.dims<N>>, %y3: tensor<0x?xi32, #dhlo.dims<N>>, %x4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %x5: tensor<2x1xui8>, %y5: tensor<2x1xui8>, %x6: tensor<7xui16>, %y6: tensor<7xui16>, %x7: tensor<?xui32, #dhlo.dims<N>>, %y7: tensor<?xui32, #dhlo.dims<N>>, %x8: tensor<1x?xui64, #dhlo.dims<N>>, %y8: tensor<1x?xui64, #dhlo.dims<N>>) {
  // CHECK: dhlo.and %{{.*}}, %{{.*}} : tensor<i1>
  %0 = dhlo.and %x0, %y0 : tensor<i1>
  // CHECK: dhlo.and %{{.*}}, %{{.*}} : tensor<3xi8>
  %1 = dhlo.and %x1, %y1 : tensor<3xi8>
  // CHECK: dhlo.and %{{.*}}, %{{.*}} : tensor<?x4xi16, #dhlo.dims<N>>
  %2 = dhlo.and %x2, %y2 : tensor<?x4xi16, #dhlo.dims<N>>
  // CHECK: dhlo.and %{{.*}}, %{{.*}} : tensor<0x?xi32, #dhlo.dims<N>>
  %3 = dhlo.and %x3, %y3 : tensor<0x?xi32, #dhlo.dims<N>>
  // CHECK: dhlo.and %{{.*}}, %{{.*}} : tensor<?x?x5xi64, #dhlo.dims<N, M>>
  %4 = dhlo.and %x4, %y4 : tensor<?x?x5xi64, #dhlo.dims<N, M>>
  // CHECK: dhlo.and %{{.*}}, %{{.*}} : tensor<2x1xui8>
  %5 = dhlo.and %x5, %y5 : tensor<2x1xui8>
  // CHECK: dhlo.and %{{.*}}, %{{.*}} : tensor<7xui16>
  %6 = dhlo.and %x6, %y6 : tensor<7xui16>
  // CHECK: dhlo.and %{{.*}}, %{{.*}} : tensor<?xui32, #dhlo.dims<N>>
  %7 = dhlo.and %x7, %y7 : tensor<?xui32, #dhlo.dims<N>>
  // CHECK: dhlo.and %{{.*}}, %{{.*}} : tensor<1x?xui64, #dhlo.dims<N>>
  %8 = dhlo.and %x8, %y8 : tensor<1x?xui64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @or(
func.func @or(%x0: tensor<i1>, %y0: tensor<i1>, %x1: tensor<3xi8>, %y1: tensor<3xi8>, %x2: tensor<?x4xi16, #dhlo.dims<N>>, %y2: tensor<?x4xi16, #dhlo.dims<N>>, %x3: tensor<0x?xi32, #dhlo.dims<N>>, %y3: tensor<0x?xi32, #dhlo.dims<N>>, %x4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %x5: tensor<2x1xui8>, %y5: tensor<2x1xui8>, %x6: tensor<7xui16>, %y6: tensor<7xui16>, %x7: tensor<?xui32, #dhlo.dims<N>>, %y7: tensor<?xui32, #dhlo.dims<N>>, %x8: tensor<1x?xui64, #dhlo.dims<N>>, %y8: tensor<1x?xui64, #dhlo.dims<N>>) {
  // CHECK: dhlo.or %{{.*}}, %{{.*}} : tensor<i1>
  %0 = dhlo.or %x0, %y0 : tensor<i1>
  // CHECK: dhlo.or %{{.*}}, %{{.*}} : tensor<3xi8>
  %1 = dhlo.or %x1, %y1 : tensor<3xi8>
  // CHECK: dhlo.or %{{.*}}, %{{.*}} : tensor<?x4xi16, #dhlo.dims<N>>
  %2 = dhlo.or %x2, %y2 : tensor<?x4xi16, #dhlo.dims<N>>
  // CHECK: dhlo.or %{{.*}}, %{{.*}} : tensor<0x?xi32, #dhlo.dims<N>>
  %3 = dhlo.or %x3, %y3 : tensor<0x?xi32, #dhlo.dims<N>>
  // CHECK: dhlo.or %{{.*}}, %{{.*}} : tensor<?x?x5xi64, #dhlo.dims<N, M>>
  %4 = dhlo.or %x4, %y4 : tensor<?x?x5xi64, #dhlo.dims<N, M>>
  // CHECK: dhlo.or %{{.*}}, %{{.*}} : tensor<2x1xui8>
  %5 = dhlo.or %x5, %y5 : tensor<2x1xui8>
  // CHECK: dhlo.or %{{.*}}, %{{.*}} : tensor<7xui16>
  %6 = dhlo.or %x6, %y6 : tensor<7xui16>
  // CHECK: dhlo.or %{{.*}}, %{{.*}} : tensor<?xui32, #dhlo.dims<N>>
  %7 = dhlo.or %x7, %y7 : tensor<?xui32, #dhlo.dims<N>>
  // CHECK: dhlo.or %{{.*}}, %{{.*}} : tensor<1x?xui64, #dhlo.dims<N>>
  %8 = dhlo.or %x8, %y8 : tensor<1x?xui64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @xor(
func.func @xor(%x0: tensor<i1>, %y0: tensor<i1>, %x1: tensor<3xi8>, %y1: tensor<3xi8>, %x2: tensor<?x4xi16, #dhlo.dims<N>>, %y2: tensor<?x4xi16, #dhlo.dims<N>>, %x3: tensor<0x?xi32, #dhlo.dims<N>>, %y3: tensor<0x?xi32, #dhlo.dims<N>>, %x4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %x5: tensor<2x1xui8>, %y5: tensor<2x1xui8>, %x6: tensor<7xui16>, %y6: tensor<7xui16>, %x7: tensor<?xui32, #dhlo.dims<N>>, %y7: tensor<?xui32, #dhlo.dims<N>>, %x8: tensor<1x?xui64, #dhlo.dims<N>>, %y8: tensor<1x?xui64, #dhlo.dims<N>>) {
  // CHECK: dhlo.xor %{{.*}}, %{{.*}} : tensor<i1>
  %0 = dhlo.xor %x0, %y0 : tensor<i1>
  // CHECK: dhlo.xor %{{.*}}, %{{.*}} : tensor<3xi8>
  %1 = dhlo.xor %x1, %y1 : tensor<3xi8>
  // CHECK: dhlo.xor %{{.*}}, %{{.*}} : tensor<?x4xi16, #dhlo.dims<N>>
  %2 = dhlo.xor %x2, %y2 : tensor<?x4xi16, #dhlo.dims<N>>
  // CHECK: dhlo.xor %{{.*}}, %{{.*}} : tensor<0x?xi32, #dhlo.dims<N>>
  %3 = dhlo.xor %x3, %y3 : tensor<0x?xi32, #dhlo.dims<N>>
  // CHECK: dhlo.xor %{{.*}}, %{{.*}} : tensor<?x?x5xi64, #dhlo.dims<N, M>>
  %4 = dhlo.xor %x4, %y4 : tensor<?x?x5xi64, #dhlo.dims<N, M>>
  // CHECK: dhlo.xor %{{.*}}, %{{.*}} : tensor<2x1xui8>
  %5 = dhlo.xor %x5, %y5 : tensor<2x1xui8>
  // CHECK: dhlo.xor %{{.*}}, %{{.*}} : tensor<7xui16>
  %6 = dhlo.xor %x6, %y6 : tensor<7xui16>
  // CHECK: dhlo.xor %{{.*}}, %{{.*}} : tensor<?xui32, #dhlo.dims<N>>
  %7 = dhlo.xor %x7, %y7 : tensor<?xui32, #dhlo.dims<N>>
  // CHECK: dhlo.xor %{{.*}}, %{{.*}} : tensor<1x?xui64, #dhlo.dims<N>>
  %8 = dhlo.xor %x8, %y8 : tensor<1x?xui64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @shift_left(
func.func @shift_left(%x0: tensor<i8>, %y0: tensor<i8>, %x1: tensor<3xi16>, %y1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %y2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %y3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %y5: tensor<2x1xui16>, %x6: tensor<7xui32>, %y6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %y7: tensor<?xui64, #dhlo.dims<N>>) {
  // CHECK: dhlo.shift_left %{{.*}}, %{{.*}} : tensor<i8>
  %0 = dhlo.shift_left %x0, %y0 : tensor<i8>
  // CHECK: dhlo.shift_left %{{.*}}, %{{.*}} : tensor<3xi16>
  %1 = dhlo.shift_left %x1, %y1 : tensor<3xi16>
  // CHECK: dhlo.shift_left %{{.*}}, %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.shift_left %x2, %y2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.shift_left %{{.*}}, %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.shift_left %x3, %y3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.shift_left %{{.*}}, %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.shift_left %x4, %y4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.shift_left %{{.*}}, %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.shift_left %x5, %y5 : tensor<2x1xui16>
  // CHECK: dhlo.shift_left %{{.*}}, %{{.*}} : tensor<7xui32>
  %6 = dhlo.shift_left %x6, %y6 : tensor<7xui32>
  // CHECK: dhlo.shift_left %{{.*}}, %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.shift_left %x7, %y7 : tensor<?xui64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @shift_right(
func.func @shift_right(%x0: tensor<i8>, %y0: tensor<i8>, %x1: tensor<3xi16>, %y1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %y2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %y3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %y5: tensor<2x1xui16>, %x6: tensor<7xui32>, %y6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %y7: tensor<?xui64, #dhlo.dims<N>>) {
  // CHECK: dhlo.shift_right %{{.*}}, %{{.*}} : tensor<i8>
  %0 = dhlo.shift_right %x0, %y0 : tensor<i8>
  // CHECK: dhlo.shift_right %{{.*}}, %{{.*}} : tensor<3xi16>
  %1 = dhlo.shift_right %x1, %y1 : tensor<3xi16>
  // CHECK: dhlo.shift_right %{{.*}}, %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.shift_right %x2, %y2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.shift_right %{{.*}}, %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.shift_right %x3, %y3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.shift_right %{{.*}}, %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.shift_right %x4, %y4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.shift_right %{{.*}}, %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.shift_right %x5, %y5 : tensor<2x1xui16>
  // CHECK: dhlo.shift_right %{{.*}}, %{{.*}} : tensor<7xui32>
  %6 = dhlo.shift_right %x6, %y6 : tensor<7xui32>
  // CHECK: dhlo.shift_right %{{.*}}, %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.shift_right %x7, %y7 : tensor<?xui64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @compare(
func.func @compare(%x0: tensor<i1>, %y0: tensor<i1>, %x1: tensor<3xi8>, %y1: tensor<3xi8>, %x2: tensor<?x4xi16, #dhlo.dims<N>>, %y2: tensor<?x4xi16, #dhlo.dims<N>>, %x3: tensor<0x?xi32, #dhlo.dims<N>>, %y3: tensor<0x?xi32, #dhlo.dims<N>>, %x4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %x5: tensor<2x1xui8>, %y5: tensor<2x1xui8>, %x6: tensor<7xui16>, %y6: tensor<7xui16>, %x7: tensor<?xui32, #dhlo.dims<N>>, %y7: tensor<?xui32, #dhlo.dims<N>>, %x8: tensor<1x?xui64, #dhlo.dims<N>>, %y8: tensor<1x?xui64, #dhlo.dims<N>>, %x9: tensor<0xf16>, %y9: tensor<0xf16>, %x10: tensor<?x?xbf16, #dhlo.dims<M, N>>, %y10: tensor<?x?xbf16, #dhlo.dims<M, N>>, %x11: tensor<4x4xf32>, %y11: tensor<4x4xf32>, %x12: tensor<f64>, %y12: tensor<f64>) {
  // CHECK: dhlo.compare eq %{{.*}}, %{{.*}} : tensor<i1> -> tensor<i1>
  %0 = dhlo.compare eq %x0, %y0 : tensor<i1> -> tensor<i1>
  // CHECK: dhlo.compare ne %{{.*}}, %{{.*}} : tensor<3xi8> -> tensor<3xi1>
  %1 = dhlo.compare ne %x1, %y1 : tensor<3xi8> -> tensor<3xi1>
  // CHECK: dhlo.compare lt %{{.*}}, %{{.*}} : tensor<?x4xi16, #dhlo.dims<N>> -> tensor<?x4xi1, #dhlo.dims<N>>
  %2 = dhlo.compare lt %x2, %y2 : tensor<?x4xi16, #dhlo.dims<N>> -> tensor<?x4xi1, #dhlo.dims<N>>
  // CHECK: dhlo.compare le %{{.*}}, %{{.*}} : tensor<0x?xi32, #dhlo.dims<N>> -> tensor<0x?xi1, #dhlo.dims<N>>
  %3 = dhlo.compare le %x3, %y3 : tensor<0x?xi32, #dhlo.dims<N>> -> tensor<0x?xi1, #dhlo.dims<N>>
  // CHECK: dhlo.compare gt %{{.*}}, %{{.*}} : tensor<?x?x5xi64, #dhlo.dims<N, M>> -> tensor<?x?x5xi1, #dhlo.dims<N, M>>
  %4 = dhlo.compare gt %x4, %y4 : tensor<?x?x5xi64, #dhlo.dims<N, M>> -> tensor<?x?x5xi1, #dhlo.dims<N, M>>
  // CHECK: dhlo.compare ge %{{.*}}, %{{.*}} : tensor<2x1xui8> -> tensor<2x1xi1>
  %5 = dhlo.compare ge %x5, %y5 : tensor<2x1xui8> -> tensor<2x1xi1>
  // CHECK: dhlo.compare eq %{{.*}}, %{{.*}} : tensor<7xui16> -> tensor<7xi1>
  %6 = dhlo.compare eq %x6, %y6 : tensor<7xui16> -> tensor<7xi1>
  // CHECK: dhlo.compare ne %{{.*}}, %{{.*}} : tensor<?xui32, #dhlo.dims<N>> -> tensor<?xi1, #dhlo.dims<N>>
  %7 = dhlo.compare ne %x7, %y7 : tensor<?xui32, #dhlo.dims<N>> -> tensor<?xi1, #dhlo.dims<N>>
  // CHECK: dhlo.compare lt %{{.*}}, %{{.*}} : tensor<1x?xui64, #dhlo.dims<N>> -> tensor<1x?xi1, #dhlo.dims<N>>
  %8 = dhlo.compare lt %x8, %y8 : tensor<1x?xui64, #dhlo.dims<N>> -> tensor<1x?xi1, #dhlo.dims<N>>
  // CHECK: dhlo.compare le %{{.*}}, %{{.*}} : tensor<0xf16> -> tensor<0xi1>
  %9 = dhlo.compare le %x9, %y9 : tensor<0xf16> -> tensor<0xi1>
  // CHECK: dhlo.compare gt %{{.*}}, %{{.*}} : tensor<?x?xbf16, #dhlo.dims<M, N>> -> tensor<?x?xi1, #dhlo.dims<M, N>>
  %10 = dhlo.compare gt %x10, %y10 : tensor<?x?xbf16, #dhlo.dims<M, N>> -> tensor<?x?xi1, #dhlo.dims<M, N>>
  // CHECK: dhlo.compare ge %{{.*}}, %{{.*}} : tensor<4x4xf32> -> tensor<4x4xi1>
  %11 = dhlo.compare ge %x11, %y11 : tensor<4x4xf32> -> tensor<4x4xi1>
  // CHECK: dhlo.compare eq %{{.*}}, %{{.*}} : tensor<f64> -> tensor<i1>
  %12 = dhlo.compare eq %x12, %y12 : tensor<f64> -> tensor<i1>
  return
}

// CHECK-LABEL: func.func @select(
func.func @select(%p0: tensor<i1>, %x0: tensor<i1>, %y0: tensor<i1>, %p1: tensor<3xi1>, %x1: tensor<3xi8>, %y1: tensor<3xi8>, %p2: tensor<?x4xi1, #dhlo.dims<N>>, %x2: tensor<?x4xi16, #dhlo.dims<N>>, %y2: tensor<?x4xi16, #dhlo.dims<N>>, %p3: tensor<0x?xi1, #dhlo.dims<N>>, %x3: tensor<0x?xi32, #dhlo.dims<N>>, %y3: tensor<0x?xi32, #dhlo.dims<N>>, %p4: tensor<?x?x5xi1, #dhlo.dims<N, M>>, %x4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %y4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %p5: tensor<2x1xi1>, %x5: tensor<2x1xui8>, %y5: tensor<2x1xui8>, %p6: tensor<7xi1>, %x6: tensor<7xui16>, %y6: tensor<7xui16>, %p7: tensor<?xi1, #dhlo.dims<N>>, %x7: tensor<?xui32, #dhlo.dims<N>>, %y7: tensor<?xui32, #dhlo.dims<N>>, %p8: tensor<1x?xi1, #dhlo.dims<N>>, %x8: tensor<1x?xui64, #dhlo.dims<N>>, %y8: tensor<1x?xui64, #dhlo.dims<N>>, %p9: tensor<0xi1>, %x9: tensor<0xf16>, %y9: tensor<0xf16>, %p10: tensor<?x?xi1, #dhlo.dims<M, N>>, %x10: tensor<?x?xbf16, #dhlo.dims<M, N>>, %y10: tensor<?x?xbf16, #dhlo.dims<M, N>>, %p11: tensor<4x4xi1>, %x11: tensor<4x4xf32>, %y11: tensor<4x4xf32>, %p12: tensor<i1>, %x12: tensor<f64>, %y12: tensor<f64>) {
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<i1>
  %0 = dhlo.select %p0, %x0, %y0 : tensor<i1>, tensor<i1>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi1>, tensor<3xi8>
  %1 = dhlo.select %p1, %x1, %y1 : tensor<3xi1>, tensor<3xi8>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4xi1, #dhlo.dims<N>>, tensor<?x4xi16, #dhlo.dims<N>>
  %2 = dhlo.select %p2, %x2, %y2 : tensor<?x4xi1, #dhlo.dims<N>>, tensor<?x4xi16, #dhlo.dims<N>>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<0x?xi1, #dhlo.dims<N>>, tensor<0x?xi32, #dhlo.dims<N>>
  %3 = dhlo.select %p3, %x3, %y3 : tensor<0x?xi1, #dhlo.dims<N>>, tensor<0x?xi32, #dhlo.dims<N>>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x?x5xi1, #dhlo.dims<N, M>>, tensor<?x?x5xi64, #dhlo.dims<N, M>>
  %4 = dhlo.select %p4, %x4, %y4 : tensor<?x?x5xi1, #dhlo.dims<N, M>>, tensor<?x?x5xi64, #dhlo.dims<N, M>>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x1xi1>, tensor<2x1xui8>
  %5 = dhlo.select %p5, %x5, %y5 : tensor<2x1xi1>, tensor<2x1xui8>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<7xi1>, tensor<7xui16>
  %6 = dhlo.select %p6, %x6, %y6 : tensor<7xi1>, tensor<7xui16>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi1, #dhlo.dims<N>>, tensor<?xui32, #dhlo.dims<N>>
  %7 = dhlo.select %p7, %x7, %y7 : tensor<?xi1, #dhlo.dims<N>>, tensor<?xui32, #dhlo.dims<N>>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x?xi1, #dhlo.dims<N>>, tensor<1x?xui64, #dhlo.dims<N>>
  %8 = dhlo.select %p8, %x8, %y8 : tensor<1x?xi1, #dhlo.dims<N>>, tensor<1x?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<0xi1>, tensor<0xf16>
  %9 = dhlo.select %p9, %x9, %y9 : tensor<0xi1>, tensor<0xf16>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x?xi1, #dhlo.dims<M, N>>, tensor<?x?xbf16, #dhlo.dims<M, N>>
  %10 = dhlo.select %p10, %x10, %y10 : tensor<?x?xi1, #dhlo.dims<M, N>>, tensor<?x?xbf16, #dhlo.dims<M, N>>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x4xi1>, tensor<4x4xf32>
  %11 = dhlo.select %p11, %x11, %y11 : tensor<4x4xi1>, tensor<4x4xf32>
  // CHECK: dhlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<f64>
  %12 = dhlo.select %p12, %x12, %y12 : tensor<i1>, tensor<f64>
  return
}

// CHECK-LABEL: func.func @convert_to(
func.func @convert_to(%x: tensor<?x4xf32, #dhlo.dims<N>>) {
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi1, #dhlo.dims<N>>
  %0 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi1, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi8, #dhlo.dims<N>>
  %1 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi8, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi16, #dhlo.dims<N>>
  %2 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi16, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>>
  %3 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi64, #dhlo.dims<N>>
  %4 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi64, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xui8, #dhlo.dims<N>>
  %5 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xui8, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xui16, #dhlo.dims<N>>
  %6 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xui16, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xui32, #dhlo.dims<N>>
  %7 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xui32, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xui64, #dhlo.dims<N>>
  %8 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xui64, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf16, #dhlo.dims<N>>
  %9 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf16, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xbf16, #dhlo.dims<N>>
  %10 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xbf16, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %11 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf64, #dhlo.dims<N>>
  %12 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @convert_from(
func.func @convert_from(%x0: tensor<i1>, %x1: tensor<3xi8>, %x2: tensor<?x4xi16, #dhlo.dims<N>>, %x3: tensor<0x?xi32, #dhlo.dims<N>>, %x4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %x5: tensor<2x1xui8>, %x6: tensor<7xui16>, %x7: tensor<?xui32, #dhlo.dims<N>>, %x8: tensor<1x?xui64, #dhlo.dims<N>>, %x9: tensor<0xf16>, %x10: tensor<?x?xbf16, #dhlo.dims<M, N>>, %x11: tensor<4x4xf32>, %x12: tensor<f64>) {
  // CHECK: dhlo.convert %{{.*}} : (tensor<i1>) -> tensor<f32>
  %0 = dhlo.convert %x0 : (tensor<i1>) -> tensor<f32>
  // CHECK: dhlo.convert %{{.*}} : (tensor<3xi8>) -> tensor<3xf32>
  %1 = dhlo.convert %x1 : (tensor<3xi8>) -> tensor<3xf32>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x4xi16, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.convert %x2 : (tensor<?x4xi16, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<0x?xi32, #dhlo.dims<N>>) -> tensor<0x?xf32, #dhlo.dims<N>>
  %3 = dhlo.convert %x3 : (tensor<0x?xi32, #dhlo.dims<N>>) -> tensor<0x?xf32, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x?x5xi64, #dhlo.dims<N, M>>) -> tensor<?x?x5xf32, #dhlo.dims<N, M>>
  %4 = dhlo.convert %x4 : (tensor<?x?x5xi64, #dhlo.dims<N, M>>) -> tensor<?x?x5xf32, #dhlo.dims<N, M>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<2x1xui8>) -> tensor<2x1xf32>
  %5 = dhlo.convert %x5 : (tensor<2x1xui8>) -> tensor<2x1xf32>
  // CHECK: dhlo.convert %{{.*}} : (tensor<7xui16>) -> tensor<7xf32>
  %6 = dhlo.convert %x6 : (tensor<7xui16>) -> tensor<7xf32>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?xui32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  %7 = dhlo.convert %x7 : (tensor<?xui32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<1x?xui64, #dhlo.dims<N>>) -> tensor<1x?xf32, #dhlo.dims<N>>
  %8 = dhlo.convert %x8 : (tensor<1x?xui64, #dhlo.dims<N>>) -> tensor<1x?xf32, #dhlo.dims<N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<0xf16>) -> tensor<0xf32>
  %9 = dhlo.convert %x9 : (tensor<0xf16>) -> tensor<0xf32>
  // CHECK: dhlo.convert %{{.*}} : (tensor<?x?xbf16, #dhlo.dims<M, N>>) -> tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.convert %x10 : (tensor<?x?xbf16, #dhlo.dims<M, N>>) -> tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.convert %{{.*}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %11 = dhlo.convert %x11 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: dhlo.convert %{{.*}} : (tensor<f64>) -> tensor<f32>
  %12 = dhlo.convert %x12 : (tensor<f64>) -> tensor<f32>
  return
}
