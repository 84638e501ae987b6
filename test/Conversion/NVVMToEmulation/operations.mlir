// RUN: dyn-opt %s -split-input-file -convert-nvvm-to-emulation | FileCheck %s

// Each special register is a field of the thread, which needs no call.

// CHECK-LABEL: llvm.func @registers(
// CHECK-SAME:    %[[THREAD:[^ ]*]]: !llvm.ptr) attributes {{.*}}dyn.sites = []
// CHECK-NEXT:    %[[TIDY:.*]] = llvm.getelementptr %[[THREAD]][20]
// CHECK-NEXT:    llvm.load %[[TIDY]] : !llvm.ptr -> i32
// CHECK-NEXT:    llvm.getelementptr %[[THREAD]][28]
// CHECK:         llvm.getelementptr %[[THREAD]][32]
// CHECK:         llvm.getelementptr %[[THREAD]][40]
// CHECK:         llvm.getelementptr %[[THREAD]][52]
// CHECK-NOT:     llvm.call
// CHECK:         llvm.return
gpu.module @registers {
  llvm.func @registers(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %0 = nvvm.read.ptx.sreg.tid.y : i32
    %1 = nvvm.read.ptx.sreg.ctaid.x : i32
    %2 = nvvm.read.ptx.sreg.ctaid.y : i32
    %3 = nvvm.read.ptx.sreg.ntid.x : i32
    %4 = nvvm.read.ptx.sreg.nctaid.x : i32
    llvm.return
  }
}

// -----

// Modes have the numbers of emulated.h, and sites those of their order. What is for ptxas goes.

// CHECK-LABEL: llvm.func @shuffles(
// CHECK-NOT:     nvvm.kernel
// CHECK-NOT:     nvvm.reqntid
// CHECK-NOT:     nvvm.minctasm
// CHECK:         %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
// CHECK:         %[[CLAMP:.*]] = llvm.mlir.constant(31 : i32)
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:         %[[IDX:.*]] = llvm.mlir.constant(0 : i32)
// CHECK:         llvm.getelementptr %{{.*}}[24]
// CHECK:         %[[SITE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK:         %[[A:.*]] = llvm.call %{{.*}}(%{{.*}}, %[[SITE]], %[[IDX]], %[[ALL]], %[[ONE]], %[[ONE]], %[[CLAMP]])
// CHECK:         %[[UP:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:         %[[SITE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:         %[[B:.*]] = llvm.call %{{.*}}(%{{.*}}, %[[SITE]], %[[UP]], %[[ALL]], %[[A]], %[[ONE]], %[[CLAMP]])
// CHECK:         %[[DOWN:.*]] = llvm.mlir.constant(2 : i32)
// CHECK:         %[[SITE:.*]] = llvm.mlir.constant(2 : i32)
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %[[SITE]], %[[DOWN]], %[[ALL]], %[[B]], %[[ONE]], %[[CLAMP]])
gpu.module @shuffles {
  llvm.func @shuffles(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, nvvm.minctasm = 2 : i32} {
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %0 = nvvm.shfl.sync idx %all, %one, %one, %clamp : i32 -> i32
    %1 = nvvm.shfl.sync up %all, %0, %one, %clamp : i32 -> i32
    %2 = nvvm.shfl.sync down %all, %1, %one, %clamp : i32 -> i32
    llvm.return
  }
}

// -----

// The stack of a thread and constants in the code are no memory of the device: of these
// accesses, the emulator is told of the atomic one alone. Functions of the host stay, and
// shared variables that no function uses go.

// CHECK-LABEL: llvm.func @host()
// CHECK-NOT:     gpu.module
// CHECK:       llvm.mlir.global internal constant @table
// CHECK-NOT:   @shared
// CHECK-LABEL: llvm.func @private(
// CHECK-SAME:    dyn.sites = {{\[\[}}"llvm.atomicrmw", "/model/Scatter"]]
// CHECK-NOT:     llvm.call
// CHECK:         %[[ATOMIC:.*]] = llvm.mlir.constant(2 : i32)
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[ATOMIC]])
// CHECK-NOT:     llvm.call
// CHECK:         llvm.atomicrmw max
// A site is named by the model, else by the file, else not at all.
// CHECK-LABEL: llvm.func @second(
// CHECK-SAME:    dyn.param_bytes = 12
// CHECK-SAME:    dyn.sites = {{\[\[}}"nvvm.barrier0", "/model/Sort"], ["nvvm.barrier0", "model.mlir:7:3"], ["nvvm.barrier0", ""]]
llvm.func @host() {
  llvm.return
}
gpu.module @private {
  llvm.mlir.global internal constant @table(dense<[1, 2]> : tensor<2xi32>) : !llvm.array<2 x i32>
  llvm.mlir.global internal @shared() {addr_space = 3 : i32} : !llvm.array<2 x i32>
  llvm.func @private(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %p = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %one = llvm.mlir.constant(1 : i32) : i32
    %stack = llvm.alloca %one x !llvm.array<2 x i32> : (i32) -> !llvm.ptr
    %second = llvm.getelementptr %stack[4] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %one, %second : i32, !llvm.ptr
    %table = llvm.mlir.addressof @table : !llvm.ptr
    %v = llvm.load %table : !llvm.ptr -> i32
    %old = llvm.atomicrmw max %p, %v monotonic : !llvm.ptr, i32 loc(fused[unknown, "/model/Scatter"])
    llvm.return
  }
  llvm.func @second(%params: !llvm.ptr {llvm.byval = !llvm.array<3 x i32>}) attributes {nvvm.kernel} {
    nvvm.barrier0 loc(callsite("/model/Sort" at "caller"))
    nvvm.barrier0 loc("model.mlir":7:3)
    nvvm.barrier0 loc(unknown)
    llvm.return
  }
}

// -----

// CHECK-LABEL: llvm.func @mma(
// CHECK:         %[[TYPE:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK-COUNT-6: llvm.store %{{.*}} : vector<2xf16>
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %[[TYPE]], %{{.*}})
gpu.module @mma {
  llvm.func @mma(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %a = llvm.mlir.constant(dense<0.0> : vector<2xf16>) : vector<2xf16>
    %c = llvm.mlir.constant(0.0 : f32) : f32
    %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%c, %c, %c, %c] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    llvm.return
  }
}

// -----

gpu.module @bits {
  llvm.func @bits(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %p = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %i = llvm.load %p : !llvm.ptr -> i32
    %d = llvm.load %p : !llvm.ptr -> f64
    %n = llvm.fptrunc %d : f64 to bf16
    llvm.store %n, %p : bf16, !llvm.ptr
    %w = llvm.fpext %n : bf16 to f64
    llvm.store %w, %p : f64, !llvm.ptr
    %u = llvm.uitofp %i : i32 to bf16
    llvm.store %u, %p : bf16, !llvm.ptr
    %c = llvm.mlir.constant(dense<[1.0, -2.0]> : vector<2xbf16>) : vector<2xbf16>
    %b = llvm.bitcast %c : vector<2xbf16> to i32
    llvm.store %b, %p : i32, !llvm.ptr
    %back = llvm.bitcast %i : i32 to vector<2xbf16>
    %wide = llvm.fpext %back : vector<2xbf16> to vector<2xf32>
    %narrow = llvm.fptrunc %wide : vector<2xf32> to vector<2xbf16>
    llvm.store %narrow, %p : vector<2xbf16>, !llvm.ptr
    llvm.return
  }
}
