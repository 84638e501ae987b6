// RUN: dyn-compile --emit=ptx %s | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: dyn-compile --emit=ptx --chip=sm_90a %s | FileCheck %s --check-prefixes=CHECK,SM90

// SM80: .target sm_80
// SM90: .target sm_90a

// Pointers come from parameter space and lead to global memory; a thread's elements
// are one access.

// CHECK-LABEL: .visible .entry gelu(
// CHECK:         .param .align 8 .b8 gelu_param_0[64]
// CHECK:       .reqntid 256
// CHECK:         ld.param
// CHECK:         cvta.to.global
// CHECK:         ld.global.v4.b32
// CHECK:         fma.rn.f32
// CHECK:         st.global.v4.b32
dlhlo.kernel @gelu loop {
^bb0(%x: tensor<?x3072xf32, #dhlo.dims<d0>>, %y: tensor<3072xf32>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.broadcast %y axes = [1] : (tensor<3072xf32>) -> tensor<?x3072xf32, #dhlo.dims<d0>>
  %1 = dhlo.add %x, %0 : tensor<?x3072xf32, #dhlo.dims<d0>>
  %2 = dhlo.gelu erf %1 : tensor<?x3072xf32, #dhlo.dims<d0>>
  dlhlo.yield %2 : tensor<?x3072xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: .visible .entry norm$warps(
// CHECK:         ld.global.v4.b32
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK:         st.shared
// CHECK:         bar.sync
// CHECK:         ld.shared
dlhlo.kernel @norm row {
^bb0(%x: tensor<?x768xf32, #dhlo.dims<d0>>, %s: tensor<768xf32>, %o: tensor<768xf32>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.layer_norm %x, %s, %o axis = 1 eps = 1.0e-5 : (tensor<?x768xf32, #dhlo.dims<d0>>, tensor<768xf32>, tensor<768xf32>) -> tensor<?x768xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x768xf32, #dhlo.dims<d0>>
}

// Operands are copied to shared memory while others are multiplied; their addresses are of
// one space from the start.

// CHECK-LABEL: .visible .entry dense$medium(
// CHECK-NOT:     cvta.to.shared
// CHECK:         cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4, %{{.*}};
// CHECK:         cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, {{.*}};
// CHECK:         cp.async.commit_group
// CHECK:         cp.async.wait_group 2
// CHECK:         bar.sync
// CHECK:         ld.shared.v4.b32
// CHECK:         fma.rn.f32
dlhlo.kernel @dense contraction {
^bb0(%x: tensor<?x768xf32, #dhlo.dims<d0>>, %w: tensor<768x3072xf32>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x768xf32, #dhlo.dims<d0>>, tensor<768x3072xf32>) -> tensor<?x3072xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x3072xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: .visible .entry conv$medium(
// CHECK:         cp.async.cg.shared.global
// CHECK:         fma.rn.f32
// CHECK:         st.global.v4.b32
dlhlo.kernel @conv convolution {
^bb0(%x: tensor<?x14x14x32xf32, #dhlo.dims<d0>>, %w: tensor<3x3x32x64xf32>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x14x14x32xf32, #dhlo.dims<d0>>, tensor<3x3x32x64xf32>) -> tensor<?x14x14x64xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x14x14x64xf32, #dhlo.dims<d0>>
}

// Matmuls of 16 bits go by tensor cores: a warp's four results at two steps.

// CHECK-LABEL: .visible .entry narrow$medium(
// CHECK-NOT:     cp.async.ca
// CHECK:         cp.async.cg.shared.global
// CHECK:         ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK:         ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-8: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT:     mma.sync
// CHECK:         bar.sync
// CHECK-LABEL: .visible .entry narrow$few(
dlhlo.kernel @narrow contraction {
^bb0(%x: tensor<?x768xbf16, #dhlo.dims<d0>>, %w: tensor<768x3072xbf16>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x768xbf16, #dhlo.dims<d0>>, tensor<768x3072xbf16>) -> tensor<?x3072xbf16, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x3072xbf16, #dhlo.dims<d0>>
}

// CHECK-LABEL: .visible .entry half$medium(
// CHECK-NOT:     .trans
// CHECK-COUNT-8: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
dlhlo.kernel @half contraction {
^bb0(%x: tensor<?x768xf16, #dhlo.dims<d0>>, %w: tensor<3072x768xf16>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x768xf16, #dhlo.dims<d0>>, tensor<3072x768xf16>) -> tensor<?x3072xf16, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x3072xf16, #dhlo.dims<d0>>
}

// Integers become bf16 by way of f32, as on the CPU: sm_90a has an instruction that would round
// 33685505 once, to 33816576, in place of twice, to 33554432.

// CHECK-LABEL: .visible .entry halves(
// CHECK-NOT:     cvt.rn.bf16.s32
// CHECK:         cvt.rn.f32.s32
// CHECK-NOT:     cvt.rn.bf16.s32
// SM90:          cvt.rn.bf16{{(x2)?}}.f32
// CHECK-LABEL: .visible .entry unsigned_halves(
// CHECK-NOT:     cvt.rn.bf16.u64
// CHECK:         cvt.rn.f32.u64
// CHECK-NOT:     cvt.rn.bf16.u64
dlhlo.kernel @halves loop {
^bb0(%x: tensor<?xi32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.convert %x : (tensor<?xi32, #dhlo.dims<d0>>) -> tensor<?xbf16, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xbf16, #dhlo.dims<d0>>
}
dlhlo.kernel @unsigned_halves loop {
^bb0(%x: tensor<?xui64, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.convert %x : (tensor<?xui64, #dhlo.dims<d0>>) -> tensor<?xbf16, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xbf16, #dhlo.dims<d0>>
}
