// RUN: dyn-opt %s -split-input-file -convert-nvvm-to-emulation | FileCheck %s

// Registers are fields of the thread; accesses are told before they are made, but for
// those of parameters; what the table of kernels needs stays as attributes.

// CHECK-LABEL: llvm.func @copy(
// CHECK-SAME:    %[[PARAMS:.*]]: !llvm.ptr, %[[THREAD:.*]]: !llvm.ptr)
// CHECK-SAME:    dyn.param_bytes = 16 : i64, dyn.shared_bytes = 0 : i64
// CHECK-SAME:    dyn.sites = {{\[\[}}"llvm.load", "/model/Copy"], ["llvm.store", "/model/Copy"]]
// CHECK-NOT:     nvvm.kernel
// CHECK:         %[[IN:.*]] = llvm.load %[[PARAMS]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[THREAD]][16]
// CHECK:         %[[TID:.*]] = llvm.load %[[FIELD]] : !llvm.ptr -> i32
// CHECK:         %[[AT:.*]] = llvm.getelementptr %[[IN]][%[[TID]]]
// CHECK-DAG:     %[[BYTES:.*]] = llvm.mlir.constant(4 : i32) : i32
// CHECK-DAG:     %[[TABLE:.*]] = llvm.load %[[THREAD]]
// CHECK-DAG:     %[[SLOT:.*]] = llvm.getelementptr %[[TABLE]][8]
// CHECK-DAG:     %[[ACCESS:.*]] = llvm.load %[[SLOT]]
// CHECK:         llvm.call %[[ACCESS]](%[[THREAD]], %{{.*}}, %[[AT]], %[[BYTES]], %{{.*}})
// CHECK:         llvm.load %[[AT]]
// CHECK:         llvm.call
// CHECK:         llvm.store
gpu.module @copy {
  llvm.func @copy(%params: !llvm.ptr {llvm.byval = !llvm.array<2 x i64>}) attributes {nvvm.kernel} {
    %in = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %word = llvm.getelementptr %params[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %out = llvm.load %word : !llvm.ptr -> !llvm.ptr
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %in[%tid] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32 loc("/model/Copy")
    llvm.store %v, %to : f32, !llvm.ptr loc("/model/Copy")
    llvm.return
  }
}

// -----

// A vector that is aligned to its elements alone is as many accesses.

// CHECK-LABEL: llvm.func @wide(
// CHECK:         llvm.call
// CHECK-NOT:     llvm.call
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-COUNT-4: llvm.call
// CHECK-NOT:     llvm.call
// CHECK:         llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xf32>
gpu.module @wide {
  llvm.func @wide(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %p = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
    %q = llvm.getelementptr %p[5] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %v, %q {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    llvm.return
  }
}

// -----

// The shared variables that a function uses have offsets in the block's memory, 16-byte
// aligned here. What others take part in is a call.

// CHECK-NOT:   llvm.mlir.global
// CHECK-LABEL: llvm.func @reduce(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[THREAD:.*]]: !llvm.ptr)
// CHECK-SAME:    dyn.shared_bytes = 48 : i64
// CHECK-SAME:    "llvm.store"{{.*}}"nvvm.barrier0"{{.*}}"llvm.load"{{.*}}"nvvm.shfl.sync"{{.*}}"llvm.atomicrmw"
// CHECK:         llvm.getelementptr %[[THREAD]][8]
// CHECK:         llvm.getelementptr %[[THREAD]][8]
// CHECK:         %[[SHARED:.*]] = llvm.load
// CHECK:         llvm.getelementptr %[[SHARED]][16]
// CHECK:         llvm.store
// CHECK:         llvm.getelementptr %{{.*}}[16]
// CHECK:         llvm.call
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK:         %[[BFLY:.*]] = llvm.mlir.constant(3 : i32) : i32
// CHECK:         %[[GOT:.*]] = llvm.call {{.*}} -> i32
// CHECK:         llvm.atomicrmw add %{{.*}}, %[[GOT]]
// A function has what it uses alone.
// CHECK-LABEL: llvm.func @alone(
// CHECK-SAME:    dyn.shared_bytes = 32 : i64
gpu.module @reduce {
  llvm.mlir.global internal @first() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<3 x i32>
  llvm.mlir.global internal @second() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x i32>
  llvm.mlir.global internal @others() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x i32>
  llvm.func @reduce(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %p = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %before = llvm.mlir.addressof @first : !llvm.ptr<3>
    %first = llvm.addrspacecast %before : !llvm.ptr<3> to !llvm.ptr
    %address = llvm.mlir.addressof @second : !llvm.ptr<3>
    %shared = llvm.addrspacecast %address : !llvm.ptr<3> to !llvm.ptr
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    llvm.store %tid, %shared : i32, !llvm.ptr
    nvvm.barrier0
    %v = llvm.load %shared : !llvm.ptr -> i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %other = nvvm.shfl.sync bfly %all, %v, %one, %clamp : i32 -> i32
    %sum = llvm.atomicrmw add %p, %other monotonic : !llvm.ptr, i32
    llvm.return
  }
  llvm.func @alone(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %address = llvm.mlir.addressof @second : !llvm.ptr<3>
    %shared = llvm.addrspacecast %address : !llvm.ptr<3> to !llvm.ptr
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    llvm.store %tid, %shared : i32, !llvm.ptr
    llvm.return
  }
}

// -----

// Registers of a matmul are arrays of the thread, which the emulator reads when
// all lanes have come.

// CHECK-LABEL: llvm.func @mma(
// CHECK-DAG:     %[[C:.*]] = llvm.alloca %{{.*}} x !llvm.array<4 x f32>
// CHECK-DAG:     %[[A:.*]] = llvm.alloca %{{.*}} x !llvm.array<4 x i32>
// CHECK-DAG:     %[[B:.*]] = llvm.alloca %{{.*}} x !llvm.array<2 x i32>
// CHECK:         %[[TYPE:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %[[TYPE]], %[[A]], %[[B]], %[[C]], %[[C]])
// CHECK-COUNT-4: llvm.insertvalue
// CHECK-NOT:     nvvm
gpu.module @mma {
  llvm.func @mma(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %p = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %a = llvm.mlir.constant(0 : i32) : i32
    %c = llvm.mlir.constant(0.0 : f32) : f32
    %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%c, %c, %c, %c] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %first = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    llvm.store %first, %p : f32, !llvm.ptr
    llvm.return
  }
}

// -----

// Matrices go to an array of the thread, transposed or not; copies are told with how many
// bytes there are. Casts to one space go.

// CHECK-LABEL: llvm.func @matrices(
// CHECK-SAME:    "nvvm.ldmatrix"{{.*}}"nvvm.ldmatrix"
// CHECK-DAG:     %[[FOUR:.*]] = llvm.alloca %{{.*}} x !llvm.array<4 x i32>
// CHECK-DAG:     %[[ONE:.*]] = llvm.alloca %{{.*}} x !llvm.array<1 x i32>
// CHECK-NOT:     llvm.addrspacecast
// CHECK:         llvm.getelementptr %{{.*}}[40]
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %[[ROW:.*]], %{{.*}}, %{{.*}}, %[[FOUR]]) : {{.*}}(!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr)
// CHECK-COUNT-4: llvm.insertvalue
// CHECK:         %[[COUNT:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:         %[[TRANSPOSES:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %[[ROW]], %[[COUNT]], %[[TRANSPOSES]], %[[ONE]])
// CHECK:         llvm.load %[[ONE]] : !llvm.ptr -> i32
// CHECK-NOT:     nvvm
gpu.module @matrices {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f16>
  llvm.func @matrices(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %p = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %address = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %shared = llvm.addrspacecast %address : !llvm.ptr<3> to !llvm.ptr
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %row = llvm.getelementptr %shared[%tid, 0] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<8 x f16>
    %at = llvm.addrspacecast %row : !llvm.ptr to !llvm.ptr<3>
    %four = nvvm.ldmatrix %at {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}
        : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    %one = nvvm.ldmatrix %at {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}
        : (!llvm.ptr<3>) -> i32
    %first = llvm.extractvalue %four[0] : !llvm.struct<(i32, i32, i32, i32)>
    %sum = llvm.add %first, %one : i32
    llvm.store %sum, %p : i32, !llvm.ptr
    llvm.return
  }
}

// CHECK-LABEL: llvm.func @copies(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[THREAD:.*]]: !llvm.ptr)
// CHECK:         %[[P:.*]] = llvm.load
// CHECK:         %[[VALID:.*]] = llvm.mlir.constant(12 : i32)
// CHECK:         llvm.getelementptr %{{.*}}[48]
// CHECK:         llvm.call %{{.*}}(%[[THREAD]], %{{.*}}, %[[TO:.*]], %[[P]], %{{.*}}, %[[VALID]]) : {{.*}}(!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, i32, i32)
// CHECK:         %[[BYTES:.*]] = llvm.mlir.constant(4 : i32)
// CHECK:         llvm.call %{{.*}}(%[[THREAD]], %{{.*}}, %[[TO]], %[[P]], %[[BYTES]], %[[BYTES]])
// CHECK:         llvm.getelementptr %{{.*}}[56]
// CHECK:         llvm.call %{{.*}}(%[[THREAD]], %{{.*}}) : {{.*}}(!llvm.ptr, i32)
// CHECK:         %[[PENDING:.*]] = llvm.mlir.constant(2 : i32)
// CHECK:         llvm.getelementptr %{{.*}}[64]
// CHECK:         llvm.call %{{.*}}(%[[THREAD]], %{{.*}}, %[[PENDING]]) : {{.*}}(!llvm.ptr, i32, i32)
gpu.module @copies {
  llvm.mlir.global internal @stage() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i32>
  llvm.func @copies(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %p = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %address = llvm.mlir.addressof @stage : !llvm.ptr<3>
    %shared = llvm.addrspacecast %address : !llvm.ptr<3> to !llvm.ptr
    %valid = llvm.mlir.constant(12 : i32) : i32
    %row = llvm.getelementptr %shared[0] : (!llvm.ptr) -> !llvm.ptr, i32
    %to = llvm.addrspacecast %row : !llvm.ptr to !llvm.ptr<3>
    %from = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<1>
    nvvm.cp.async.shared.global %to, %from, 16, cache = cg, %valid : !llvm.ptr<3>, !llvm.ptr<1>, i32
    nvvm.cp.async.shared.global %to, %from, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 2
    llvm.return
  }
}

// -----

// Values of bf16 are their bits, in vectors and from block to block: a host without
// instructions for bf16 would keep them as f32, and narrow these by a function that does not
// exist. Conversions are operations on the bits; integers become bf16 by way of f32.

// CHECK-LABEL: llvm.func @bits(
// CHECK-NOT:     -> bf16
// CHECK-NOT:     xbf16
// CHECK:         %[[BITS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK:         llvm.insertelement %[[BITS]], %{{.*}} : vector<2xi16>
// CHECK:         llvm.mlir.constant(16256 : i16) : i16
// CHECK:         llvm.cond_br %{{.*}}, ^[[MOVE:.*]](%[[BITS]] : i16), ^{{.*}}
// CHECK:       ^[[MOVE]](%[[ARG:.*]]: i16):
// CHECK:         llvm.store %[[ARG]], %{{.*}} : i16, !llvm.ptr
// CHECK:         %[[WORD:.*]] = llvm.zext %[[ARG]] : i16 to i32
// CHECK:         %[[HIGH:.*]] = llvm.shl %[[WORD]], %{{.*}} : i32
// CHECK:         %[[WIDE:.*]] = llvm.bitcast %[[HIGH]] : i32 to f32
// CHECK:         llvm.fneg %[[WIDE]] : f32
// CHECK:         llvm.sitofp %{{.*}} : i32 to f32
// CHECK:         %[[NAN:.*]] = llvm.fcmp "uno"
// CHECK:         %[[NARROW:.*]] = llvm.select %[[NAN]], %{{.*}}, %{{.*}} : i1, i16
// CHECK:         llvm.store %[[NARROW]], %{{.*}} : i16, !llvm.ptr
// CHECK:         llvm.return
gpu.module @bits {
  llvm.func @bits(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %p = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %first = llvm.icmp "eq" %tid, %zero : i32
    %v = llvm.load %p : !llvm.ptr -> bf16
    %none = llvm.mlir.poison : vector<2xbf16>
    %pair = llvm.insertelement %v, %none[%zero : i32] : vector<2xbf16>
    llvm.store %pair, %p : vector<2xbf16>, !llvm.ptr
    %one = llvm.mlir.constant(1.0 : bf16) : bf16
    llvm.store %one, %p : bf16, !llvm.ptr
    llvm.cond_br %first, ^move(%v : bf16), ^end
  ^move(%w: bf16):
    llvm.store %w, %p : bf16, !llvm.ptr
    %x = llvm.fpext %w : bf16 to f32
    %n = llvm.fneg %x : f32
    llvm.store %n, %p : f32, !llvm.ptr
    %i = llvm.sitofp %tid : i32 to bf16
    llvm.store %i, %p : bf16, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
}
