// An artifact for the CPU and for the emulator of a GPU runs on both.

// RUN: rm -rf %t && mkdir %t && dyn-compile %s -o %t/m.so --target=cpu,emu --isa=v3
// RUN: dyn-compile --describe %t/m.so | FileCheck %s
// RUN: llvm-nm -D --undefined-only %t/m.so | count 0
// RUN: dyn-run --reference %s --input x=random:3x5x64 --output %t/r.npz
// RUN: dyn-run %t/m.so --input x=random:3x5x64 --check %t/r.npz
// RUN: dyn-run %t/m.so --device=emu --input x=random:3x5x64 --check %t/r.npz
// RUN: dyn-run --reference %s --input x=random:0x5x64 --output %t/z.npz
// RUN: dyn-run %t/m.so --device=emu --input x=random:0x5x64 --check %t/z.npz
// RUN: dyn-run --reference %s --input x=random:1x1x64 --output %t/o.npz
// RUN: dyn-run %t/m.so --device=emu --input x=random:1x1x64 --check %t/o.npz

// A contraction whose axes of one role lie apart, in another order on either side.
// RUN: dyn-compile %S/Inputs/between.mlir -o %t/b.so --target=cpu,emu --isa=v3
// RUN: dyn-run --reference %S/Inputs/between.mlir --input x=random:7x8x5x3 --input y=random:3x8x16 --output %t/b.npz
// RUN: dyn-run %t/b.so --device=emu --input x=random:7x8x5x3 --input y=random:3x8x16 --check %t/b.npz

// CHECK: kernels: {{[0-9]+}} for x86-64-v3
// CHECK-NEXT: kernels: {{[0-9]+}} for emulator
// The weight and the norm's scale are there once, in the order that both read.
// CHECK-NEXT: constants: {{[0-9]+}}, {{[0-9]+}} bytes

// One copy of the input, one of the output; one wait.
// RUN: dyn-run %t/m.so --device=emu --input x=random:3x5x64 --repeat=2 --stats | FileCheck %s --check-prefix=STATS
// STATS: device: emu
// STATS: launches per call: [[#]]
// STATS-NEXT: copies per call: 1 to the device, 1 back
// STATS-NEXT: waits per call: 1{{$}}
// STATS-NEXT: device memory: [[USED:[0-9]+]] bytes used, [[USED]] at most, 0 kept; 3 calls of the driver
// STATS: (contraction)
// RUN: dyn-run %t/m.so --device=emu --input x=random:3x5x64 --repeat=2 --stats=json | FileCheck %s --check-prefix=JSON
// JSON: "device": "emu"
// JSON: "device_memory":
// JSON: "device_waits":

// RUN: not dyn-run %t/m.so --device=emu --isa=v3 --input x=random:1x1x64 2>&1 | FileCheck %s --check-prefix=ISA
// ISA: dyn-run: error: isa: expected none on a device, got 'v3'
// RUN: not dyn-run %t/m.so --device=tpu --input x=random:1x1x64 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: dyn-run: error: --device: expected cpu, cuda or emu, found 'tpu'

// The program of the device can be looked at: nothing is packed, and attention
// is one kernel.
// RUN: dyn-compile %s --emit=fusions --target=cpu,emu | FileCheck %s --check-prefix=FUSIONS
// FUSIONS-NOT: packed
// FUSIONS: dlhlo.fusion attention
// FUSIONS-NOT: packed

dhlo.dim @B in [0, 64]
dhlo.dim @S in [1, 512]
func.func @main(%x: tensor<?x?x64xf32, #dhlo.dims<B, S>> {dhlo.name = "x"})
    -> (tensor<?x?x64xf32, #dhlo.dims<B, S>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w = dhlo.constant dense<0.03125> : tensor<64x64xf32>
  %s = dhlo.constant dense<0.05> : tensor<64xf32>
  %o = dhlo.constant dense<0.0> : tensor<64xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x64xf32, #dhlo.dims<B, S>>, tensor<64x64xf32>) -> tensor<?x?x64xf32, #dhlo.dims<B, S>>
  %1 = dhlo.gelu erf %0 : tensor<?x?x64xf32, #dhlo.dims<B, S>>
  %2 = dhlo.add %1, %x : tensor<?x?x64xf32, #dhlo.dims<B, S>>
  %3 = dhlo.layer_norm %2, %s, %o axis = 2 eps = 1.0e-5 : (tensor<?x?x64xf32, #dhlo.dims<B, S>>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x?x64xf32, #dhlo.dims<B, S>>
  %4 = dhlo.dot_general %3, %x batch = 1 lhs_contract = [2] rhs_contract = [2]
      : (tensor<?x?x64xf32, #dhlo.dims<B, S>>, tensor<?x?x64xf32, #dhlo.dims<B, S>>) -> tensor<?x?x?xf32, #dhlo.dims<B, S, S>>
  %5 = dhlo.softmax %4 axis = 2 : tensor<?x?x?xf32, #dhlo.dims<B, S, S>>
  %6 = dhlo.dot_general %5, %x batch = 1 lhs_contract = [2] rhs_contract = [1]
      : (tensor<?x?x?xf32, #dhlo.dims<B, S, S>>, tensor<?x?x64xf32, #dhlo.dims<B, S>>) -> tensor<?x?x64xf32, #dhlo.dims<B, S>>
  return %6 : tensor<?x?x64xf32, #dhlo.dims<B, S>>
}
