// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Declarations of sizes, with each fact alone and all together; operations that
// turn sizes into data and data into sizes; constants.

// CHECK: dhlo.dim @A{{ *$}}
dhlo.dim @A
// CHECK: dhlo.dim @B in [1, 64]{{ *$}}
dhlo.dim @B in [1, 64]
// CHECK: dhlo.dim @C in [3, ?]{{ *$}}
dhlo.dim @C in [3, ?]
// CHECK: dhlo.dim @D in [0, 0]{{ *$}}
dhlo.dim @D in [0, 0]
// CHECK: dhlo.dim @E multiple_of 8{{ *$}}
dhlo.dim @E multiple_of 8
// CHECK: dhlo.dim @F likely [128]{{ *$}}
dhlo.dim @F likely [128]
// CHECK: dhlo.dim @G in [1, 512] multiple_of 8 likely [128, 384]{{ *$}}
dhlo.dim @G in [1, 512] multiple_of 8 likely [128, 384]
// CHECK: dhlo.dim @H = @A * @B{{ *$}}
dhlo.dim @H = @A * @B
// CHECK: dhlo.dim @I = @A - 1 in [0, ?]{{ *$}}
dhlo.dim @I = @A - 1 in [0, ?]
// CHECK: dhlo.dim @J = 8 * @A in [8, 800] multiple_of 8 likely [80]{{ *$}}
dhlo.dim @J = 8 * @A in [8, 800] multiple_of 8 likely [80]
// CHECK: dhlo.dim @M in [0, ?] at_most 2 * @A + @G likely [8]{{ *$}}
dhlo.dim @M in [0, ?] at_most 2 * @A + @G likely [8]
// CHECK: dhlo.dim @N at_most 7{{ *$}}
dhlo.dim @N at_most 7
// CHECK: dhlo.dim @K = 3{{ *$}}
dhlo.dim @K = 3
// CHECK: dhlo.dim @"a name with spaces"{{ *$}}
dhlo.dim @"a name with spaces"
// CHECK: dhlo.dim @L = @"a name with spaces" + 1{{ *$}}
dhlo.dim @L = @"a name with spaces" + 1

// CHECK-LABEL: func.func @bind(
func.func @bind(%a: tensor<i64>, %b: tensor<i32>) {
  // CHECK: dhlo.bind @A = %{{.*}} : tensor<i64>
  dhlo.bind @A = %a : tensor<i64>
  // CHECK: dhlo.bind @C = %{{.*}} : tensor<i32>
  dhlo.bind @C = %b : tensor<i32>
  return
}

// CHECK-LABEL: func.func @quoted_names(
func.func @quoted_names(%x: tensor<?xf32, #dhlo.dims<"a name with spaces">>) {
  // CHECK: dhlo.neg %{{.*}} : tensor<?xf32, #dhlo.dims<"a name with spaces">>
  %0 = dhlo.neg %x : tensor<?xf32, #dhlo.dims<"a name with spaces">>
  return
}

// CHECK-LABEL: func.func @constant(
func.func @constant() {
  // CHECK: dhlo.constant dense<true> : tensor<i1>
  %0 = dhlo.constant dense<true> : tensor<i1>
  // CHECK: dhlo.constant dense<[1, -2]> : tensor<2xi8>
  %1 = dhlo.constant dense<[1, -2]> : tensor<2xi8>
  // CHECK: dhlo.constant dense<-3> : tensor<i16>
  %2 = dhlo.constant dense<-3> : tensor<i16>
  // CHECK: dhlo.constant dense<7> : tensor<100xi32>
  %3 = dhlo.constant dense<7> : tensor<100xi32>
  // CHECK: dhlo.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi64>
  %4 = dhlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  // CHECK: dhlo.constant dense<255> : tensor<ui8>
  %5 = dhlo.constant dense<255> : tensor<ui8>
  // CHECK: dhlo.constant dense<65535> : tensor<ui16>
  %6 = dhlo.constant dense<65535> : tensor<ui16>
  // CHECK: dhlo.constant dense<4294967295> : tensor<ui32>
  %7 = dhlo.constant dense<4294967295> : tensor<ui32>
  // CHECK: dhlo.constant dense<18446744073709551615> : tensor<ui64>
  %8 = dhlo.constant dense<18446744073709551615> : tensor<ui64>
  // CHECK: dhlo.constant dense<5.000000e-01> : tensor<f16>
  %9 = dhlo.constant dense<5.000000e-01> : tensor<f16>
  // CHECK: dhlo.constant dense<[0x7F80, 0xFF80]> : tensor<2xbf16>
  %10 = dhlo.constant dense<[0x7F80, 0xFF80]> : tensor<2xbf16>
  // CHECK: dhlo.constant dense<0x7FC00000> : tensor<f32>
  %11 = dhlo.constant dense<0x7FC00000> : tensor<f32>
  // CHECK: dhlo.constant dense<1.000000e-300> : tensor<f64>
  %12 = dhlo.constant dense<1.000000e-300> : tensor<f64>
  // CHECK: dhlo.constant dense<> : tensor<0xf32>
  %13 = dhlo.constant dense<> : tensor<0xf32>
  // CHECK: dhlo.constant dense<> : tensor<2x0xi64>
  %14 = dhlo.constant dense<> : tensor<2x0xi64>
  // CHECK: dhlo.constant {origin = "a model"} dense<1.000000e+00> : tensor<4xf32>
  %15 = dhlo.constant {origin = "a model"} dense<1.000000e+00> : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @weight(
func.func @weight() {
  // CHECK: dhlo.weight <"m.onnx", offset = 64, length = 48, key = "w"> : tensor<3x4xf32>
  %0 = dhlo.weight <"m.onnx", offset = 64, length = 48, key = "w"> : tensor<3x4xf32>
  // CHECK: dhlo.weight <"", offset = 0, length = 1, key = ""> : tensor<i1>
  %1 = dhlo.weight <"", offset = 0, length = 1, key = ""> : tensor<i1>
  // CHECK: dhlo.weight <"dir/a b.bin", offset = 9007199254740993, length = 2, key = "/a/b.c"> : tensor<f16>
  %2 = dhlo.weight <"dir/a b.bin", offset = 9007199254740993, length = 2, key = "/a/b.c"> : tensor<f16>
  // CHECK: dhlo.weight <"m.onnx", offset = 0, length = 0, key = "empty"> : tensor<0x4xf64>
  %3 = dhlo.weight <"m.onnx", offset = 0, length = 0, key = "empty"> : tensor<0x4xf64>
  return
}

// CHECK-LABEL: func.func @from_dims(
func.func @from_dims() {
  // CHECK: dhlo.from_dims [@A] : tensor<i64>
  %0 = dhlo.from_dims [@A] : tensor<i64>
  // CHECK: dhlo.from_dims [@A, @B + 1, 384] : tensor<3xi64>
  %1 = dhlo.from_dims [@A, @B + 1, 384] : tensor<3xi64>
  // CHECK: dhlo.from_dims [2 * @A * @B - 1, -7] : tensor<2xi32>
  %2 = dhlo.from_dims [2 * @A * @B - 1, -7] : tensor<2xi32>
  // CHECK: dhlo.from_dims [@A floordiv 2] : tensor<1xf32>
  %3 = dhlo.from_dims [@A floordiv 2] : tensor<1xf32>
  // CHECK: dhlo.from_dims [] : tensor<0xi64>
  %4 = dhlo.from_dims [] : tensor<0xi64>
  return
}
