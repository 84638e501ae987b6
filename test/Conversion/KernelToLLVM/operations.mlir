// RUN: dyn-opt %s --convert-kernel-to-llvm | FileCheck %s
// RUN: dyn-opt %s '--pass-pipeline=builtin.module(gpu.module(convert-kernel-to-llvm))' | FileCheck %s --check-prefix=DEVICE
// Operations of each dialect that schedules emit, in one conversion.

// Helpers stay internal.
// CHECK-LABEL: llvm.func @loop(%{{.*}}: !llvm.ptr, %{{.*}}: i64)
// CHECK:       ^[[HEAD:.*]](%[[I:.*]]: i64):
// CHECK:         llvm.cond_br %{{.*}}, ^[[BODY:.*]], ^{{.*}}
// CHECK:       ^[[BODY]]:
// CHECK:         llvm.call @helper(%{{.*}}, %[[I]])
// CHECK:         llvm.br ^[[HEAD]]
// CHECK:       llvm.func internal @helper(%{{.*}}: !llvm.ptr, %{{.*}}: i64)
func.func @loop(%p: !llvm.ptr, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @helper(%p, %i) : (!llvm.ptr, index) -> ()
  }
  return
}
func.func private @helper(%p: !llvm.ptr, %i: index) attributes {llvm.linkage = #llvm.linkage<internal>} {
  return
}

// Divisions that round up or down are corrected where the signs say so.
// CHECK-LABEL: llvm.func @up(
// CHECK:         %[[Q:.*]] = llvm.sdiv %[[A:.*]], %[[B:.*]] : i64
// CHECK:         %[[SAME:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i1
// CHECK:         %[[RAISED:.*]] = llvm.add %[[Q]], %{{.*}}
// CHECK:         llvm.select %{{.*}}, %[[RAISED]], %[[Q]]
func.func @up(%i: index, %j: index) -> index {
  %0 = arith.ceildivsi %i, %j : index
  return %0 : index
}

// CHECK-LABEL: llvm.func @down(
// CHECK:         %[[Q:.*]] = llvm.sdiv %{{.*}}, %{{.*}} : i64
// CHECK:         %[[OTHER:.*]] = llvm.icmp "ne" %{{.*}}, %{{.*}} : i1
// CHECK:         %[[LOWERED:.*]] = llvm.add %[[Q]], %{{.*}}
// CHECK:         llvm.select %{{.*}}, %[[LOWERED]], %[[Q]]
func.func @down(%i: index, %j: index) -> index {
  %0 = arith.floordivsi %i, %j : index
  return %0 : index
}

// `math.fma` is one instruction everywhere, unlike `vector.fma`.
// CHECK-LABEL: llvm.func @vectors(
// CHECK:         %[[A:.*]] = llvm.intr.fmuladd(%{{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK:         %[[B:.*]] = llvm.intr.fma(%[[A]], %{{.*}})
// CHECK:         %[[C:.*]] = llvm.shufflevector %[[B]]
// CHECK:         llvm.mlir.poison : vector<4xf32>
// CHECK:         llvm.return %[[C]]
func.func @vectors(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<4xf32> {
  %0 = vector.fma %x, %y, %y : vector<8xf32>
  %1 = math.fma %0, %y, %x : vector<8xf32>
  %2 = vector.shuffle %1, %1 [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
  %3 = ub.poison : vector<4xf32>
  return %2 : vector<4xf32>
}

// CHECK-LABEL: llvm.func @buffer(
// CHECK:         %[[AT:.*]] = llvm.getelementptr {{.*}}, f32
// CHECK:         llvm.load %[[AT]] : !llvm.ptr -> f32
func.func @buffer(%m: memref<?xf32>, %i: index) -> f32 {
  %0 = memref.load %m[%i] : memref<?xf32>
  return %0 : f32
}

// CHECK-LABEL: llvm.func @blocks(
// CHECK:         llvm.cond_br %{{.*}}, ^[[TAKEN:.*]](%{{.*}} : i64), ^{{.*}}
// CHECK:       ^[[TAKEN]](%{{.*}}: i64):
func.func @blocks(%p: i1, %i: index) -> index {
  cf.cond_br %p, ^bb1(%i : index), ^bb2
^bb1(%j: index):
  return %j : index
^bb2:
  %0 = arith.constant 7 : index
  return %0 : index
}

// The code of a device is lowered when the pass runs on its module, and then nothing else.
// CHECK-LABEL: gpu.module @device
// CHECK:         func.func @kernel(%{{.*}}: index)
// DEVICE:      func.func @blocks(
// DEVICE:      gpu.module @device
// DEVICE:        llvm.func @kernel(%{{.*}}: i64)
// DEVICE:          %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x : i32
// DEVICE:          llvm.sext %[[TID]] : i32 to i64
gpu.module @device {
  func.func @kernel(%i: index) -> index {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %0 = arith.index_cast %tid : i32 to index
    %1 = arith.addi %0, %i : index
    return %1 : index
  }
}
