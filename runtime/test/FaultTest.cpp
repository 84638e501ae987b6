//===- FaultTest.cpp - Artifacts with one mistake each --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include "dyn/comm.h"

#include <tuple>

using namespace dyn::test;

//===----------------------------------------------------------------------===//
// Descriptors with one mistake each
//===----------------------------------------------------------------------===//

namespace {
struct Fault {
  const char *name;
  dyn_status_t status;
  const char *message; ///< after "'path'"
};
void PrintTo(const Fault &fault, std::ostream *out) { *out << fault.name; }
class FaultTest : public ::testing::TestWithParam<Fault> {};
} // namespace

TEST_P(FaultTest, IsFoundAtLoad) {
  std::string path =
      artifactPath(std::string("faulty_") + GetParam().name + ".so");
  dyn_artifact_t *artifact = nullptr;
  EXPECT_EQ(dyn_artifact_load(path.c_str(), nullptr, &artifact),
            GetParam().status);
  EXPECT_EQ(artifact, nullptr);
  EXPECT_EQ(dyn_last_error(), "'" + path + "'" + GetParam().message);
}

static const Fault faults[] = {
    {"version", DYN_STATUS_UNSUPPORTED,
     " has version 999: this runtime reads version 12"},
    {"refuses", DYN_STATUS_UNSUPPORTED,
     " needs a newer runtime: this one reads artifacts up to version 12"},
    {"descriptor", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the descriptor lies outside the image"},
    {"struct_size", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the descriptor has 8 bytes: expected at least 152"},
    {"no_entry", DYN_STATUS_BAD_ARTIFACT, " is damaged: it has no entry"},
    {"entry_count", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the table of entries (1000000) lies outside the image"},
    {"kernel_table", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the table of kernels (1) lies outside the image"},
    {"output_table", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the table of outputs of entry 0 (1) lies outside the image"},
    {"entry_code", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: entry 0 is not code of the image"},
    {"arenas", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: entry 0 has 4294967295 arenas"},
    {"dim_bounds", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: size 0 of entry 0 has impossible bounds"},
    {"dtype", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: input 0 of entry 0 has element type 99"},
    {"rank", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: input 0 of entry 0 has rank 99"},
    {"port_name", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the name of input 0 of entry 0 is not a string of the "
     "image"},
    {"size_text", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the text of axis 0 of input 0 of entry 0 is not a string of "
     "the image"},
    {"symbol_index", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: axis 0 of input 0 of entry 0 has a size out of range"},
    {"no_size", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: axis 0 of input 0 of entry 0 has no size"},
    {"unbound", DYN_STATUS_BAD_ARTIFACT,
     ", entry 'main': the size 'n' cannot be bound: expected an input that has "
     "it as the whole size of an axis"},
    {"expression_opcode", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: axis 1 of input 0 of entry 0 has an unsound expression"},
    {"expression_depth", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: axis 1 of input 0 of entry 0 has an unsound expression"},
    {"expression_symbol", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: axis 1 of input 0 of entry 0 has an unsound expression"},
    {"expression_operand", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: axis 1 of input 0 of entry 0 has an unsound expression"},
    {"expression_stack", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: axis 1 of input 0 of entry 0 has an unsound expression"},
    {"kernel_buffers", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: kernel 0 has 4294967295 buffers and 0 sizes"},
    {"kernel_dims", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: kernel 0 has 0 buffers and 4294967295 sizes"},
    {"no_code", DYN_STATUS_BAD_ARTIFACT, " is damaged: kernel 0 has no code"},
    {"half_code", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the body of kernel 0 is not code of the image"},
    {"data_as_code", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the body of kernel 0 is not code of the image"},
    {"site_text", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: site 0 is not a string of the image"},
    {"constant_range", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: constant 0 lies outside the constants area"},
    {"constant_alignment", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: constant 0 lies outside the constants area"},
    {"program_table", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the table of programs (1) lies outside the image"},
    {"program_entries", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the number of entries of program 0 is 0"},
    {"no_version", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: kernel 0 of program 0 has no code"},
    {"version_name", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: version 0 of kernel 0 of program 0 is not a string of the "
     "image"},
    {"device_arguments", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: kernel 0 of program 0 has 4294967295 buffers and 1 sizes"},
    {"grid", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the grid of kernel 0 of program 0 is not code of the image"},
    {"gemm_table", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the table of the GEMM of kernel 0 of program 0 (1) lies "
     "outside the image"},
    {"gemm_buffer", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the GEMM of kernel 0 of program 0 has buffer 2"},
    {"gemm_dtype", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the GEMM of kernel 0 of program 0 has element type 4"},
    {"gemm_activation", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the GEMM of kernel 0 of program 0 has activation 3"},
    {"gemm_size", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the GEMM of kernel 0 of program 0 has a size out of "
     "range"},
    {"image", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: image 0 of program 0 lies outside the image"},
    {"emulated_bytes", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: image 0 of program 0 is not for the emulator"},
    {"emulated_magic", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: image 0 of program 0 is not for the emulator"},
    {"emulated_table", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the table of kernels of image 0 of program 0 "
     "(461168601842738792) lies outside the image"},
    {"emulated_name", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the name of kernel 0 of image 0 of program 0 is not a "
     "string of the image"},
    {"emulated_code", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: kernel 0 of image 0 of program 0 is not code of the image"},
    {"emulated_sites", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the table of sites of kernel 0 of image 0 of program 0 "
     "(1073741824) lies outside the image"},
    {"emulated_site", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: site 0 of kernel 0 of image 0 of program 0 is not a string "
     "of the image"},
    {"router_table", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the table of routers (1) lies outside the image"},
    {"router_name", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: a name of router 0 is not a string of the image"},
    {"router_paths", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: router 0 has 0 paths"},
    {"router_order", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: router 0 comes after router 0"},
    {"router_load", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the table of the load of router 0 (2) lies outside the "
     "image"},
    {"part_name", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the model of entry 0 is not a string of the image"},
    {"part_rank", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: entry 0 is of rank 2 of 2"},
    {"entry_reads", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: entry 0 reads constant 99 of 1"},
    {"entry_reads_table", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the table of the constants of entry 0 (1) lies outside the "
     "image"},
    {"sidecar_bytes", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: its sidecar has 8 bytes of 0"},
    {"sidecar_path", DYN_STATUS_BAD_ARTIFACT,
     " is damaged: the sidecar's name is '../../etc/passwd': expected a file "
     "beside the artifact"},
    {"sidecar_missing", DYN_STATUS_NOT_FOUND,
     " needs its sidecar: cannot open '" DYN_TEST_ARTIFACTS
     "/nowhere.weights': No such file or directory"},
};
INSTANTIATE_TEST_SUITE_P(, FaultTest, ::testing::ValuesIn(faults),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

//===----------------------------------------------------------------------===//
// Faults that are found when a context is made or a call runs
//===----------------------------------------------------------------------===//

TEST(ContextTest, ForcedIsa) {
  Artifact artifact = load(artifactPath("zoo.so"));
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  dyn_context_t *context = nullptr;
  for (const char *name : {"v2", "x86-64-v2"}) {
    options.isa = name;
    ASSERT_EQ(dyn_context_create(artifact.get(), &options, &context),
              DYN_STATUS_OK);
    EXPECT_EQ(dyn_context_isa(context), DYN_ISA_X86_64_V2);
    dyn_context_release(context);
  }
  options.isa = "sse9";
  EXPECT_FAILURE(dyn_context_create(artifact.get(), &options, &context),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "unknown instruction set 'sse9': expected x86-64-v2, "
                 "x86-64-v3, x86-64-v4, x86-64-v4-vnni, x86-64-v4-bf16 or "
                 "x86-64-v4-amx");
  EXPECT_EQ(context, nullptr);
}

TEST(ContextTest, IsaOfTheArtifact) {
  Artifact older = load(artifactPath("faulty_older_isa.so"));
  Context context = makeContext(older.get());
  EXPECT_EQ(dyn_context_isa(context.get()), DYN_ISA_X86_64_V2);

  std::string path = artifactPath("faulty_newer_isa.so");
  Artifact newer = load(path);
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.isa = "v2";
  dyn_context_t *out = nullptr;
  EXPECT_EQ(dyn_context_create(newer.get(), &options, &out),
            DYN_STATUS_UNSUPPORTED);
  EXPECT_EQ(dyn_last_error(),
            "'" + path +
                "' holds no code of kernel 'k' for x86-64-v2 or less; compile "
                "it with --isa=v2");
}

TEST(ContextTest, UnknownDevice) {
  Artifact artifact = load(artifactPath("zoo.so"));
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.device = dyn_device_kind_t(7);
  dyn_context_t *context = nullptr;
  EXPECT_FAILURE(dyn_context_create(artifact.get(), &options, &context),
                 DYN_STATUS_UNSUPPORTED,
                 "device 7 is not in this build of the runtime: expected "
                 "DYN_DEVICE_CPU or DYN_DEVICE_CUDA");
}

TEST(ContextTest, Communicator) {
  dyn_communicator_t *self = nullptr;
  ASSERT_EQ(dyn_communicator_create_self(&self), DYN_STATUS_OK);
  EXPECT_EQ(dyn_communicator_rank(self), 0u);
  EXPECT_EQ(dyn_communicator_size(self), 1u);
  Artifact artifact = load(artifactPath("zoo.so"));
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.communicator = self;
  dyn_context_t *context = nullptr;
  EXPECT_EQ(dyn_context_create(artifact.get(), &options, &context),
            DYN_STATUS_OK);
  dyn_communicator_release(self);
  dyn_context_release(context);
}

TEST(ContextTest, HalfADriver) {
  Artifact artifact = load(artifactPath("zoo.so"));
  dyn_driver_t driver = {};
  driver.struct_size = sizeof(driver);
  driver.allocate = [](void *, uint64_t, uint64_t) -> void * {
    return nullptr;
  };
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.driver = &driver;
  dyn_context_t *context = nullptr;
  EXPECT_FAILURE(dyn_context_create(artifact.get(), &options, &context),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "dyn_driver_t: expected both allocate and deallocate, or "
                 "neither");
}

TEST(GeometryTest, ImpossibleGeometryFailsTheCall) {
  for (auto [name, status, message] :
       {std::tuple("faulty_grain.so", DYN_STATUS_INTERNAL,
                   "kernel 'k' has grain 0 and 0 bytes of scratch"),
        std::tuple("faulty_results.so", DYN_STATUS_INTERNAL,
                   "kernel 'k' has 1 items of 0 bytes in 1 results of 0"),
        std::tuple("faulty_result_bytes.so", DYN_STATUS_INTERNAL,
                   "kernel 'k' has 3 items of 8 bytes in 1 results of 15"),
        std::tuple("faulty_result_overflow.so", DYN_STATUS_INTERNAL,
                   "kernel 'k' has 3 items of 4611686018427387903 bytes in 1 "
                   "results of 9223372036854775807"),
        std::tuple("faulty_scratch.so", DYN_STATUS_OUT_OF_MEMORY,
                   "the sizes of this call need more bytes than fit in 63 "
                   "bits")}) {
    Artifact artifact = load(artifactPath(name));
    Context context = makeContext(artifact.get());
    Execution execution = makeExecution(context.get());
    int64_t shape[] = {1, 2};
    float data[2] = {};
    dyn_tensor_t input = {data, shape, DYN_F32, 2, 0, 0};
    EXPECT_FAILURE(
        dyn_execution_run(execution.get(), nullptr, &input, 1, nullptr, 0),
        status, message);
  }
}
