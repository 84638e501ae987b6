//===- DeviceFailureTest.cpp - Missing and failing devices ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTesting.h"

#include <cstdlib>

using namespace dyn::test;

namespace {

//===----------------------------------------------------------------------===//
// Machines without a driver, device or code
//===----------------------------------------------------------------------===//

TEST(DeviceFailureTest, MachinesThatLackSomething) {
  Artifact artifact = load(artifactPath("device.so"));
  EXPECT_EQ(tryContext(artifact, deviceOptions("libnowhere.so")),
            DYN_STATUS_UNSUPPORTED);
  EXPECT_EQ(std::string(dyn_last_error())
                .find("no driver of CUDA: libnowhere.so: cannot open"),
            0u)
      << dyn_last_error();
  EXPECT_EQ(tryContext(artifact, deviceOptions("libm.so.6")),
            DYN_STATUS_UNSUPPORTED);
  EXPECT_EQ(std::string(dyn_last_error())
                .find("'libm.so.6' is no driver of CUDA 11 or newer: it has no "
                      "'"),
            0u)
      << dyn_last_error();
  dyn_context_options_t options = deviceOptions();
  options.device_ordinal = 3;
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_UNSUPPORTED,
                 "device 3 of CUDA does not exist: there are 1");

  // The device that was asked for is named, whatever the artifact lacks.
  std::string path = artifactPath("zoo.so");
  EXPECT_FAILURE(tryContext(load(path), deviceOptions(nullptr)),
                 DYN_STATUS_UNSUPPORTED,
                 ("'" + path +
                  "' holds no code for CUDA; compile it with "
                  "--target=cpu,cuda:sm_80")
                     .c_str());
  for (const char *name : {"zoo.so", "device_fatbin.so"}) {
    path = artifactPath(name);
    EXPECT_FAILURE(tryContext(load(path), deviceOptions()),
                   DYN_STATUS_UNSUPPORTED,
                   ("'" + path +
                    "' holds no code for the emulator; compile it with "
                    "--target=cpu,emu")
                       .c_str());
  }
}

/// A driver that fails on request, with an artifact for it.
class StubTest : public testing::Test {
protected:
  ~StubTest() override { failAt("", DYN_CUDA_SUCCESS); }
  template <typename Fn> static Fn *ofStub(const char *name) {
    return reinterpret_cast<Fn *>(dlsym(dlopen(DYN_TEST_STUB, RTLD_NOW), name));
  }
  void failAt(const char *function, int result) {
    ofStub<void(const char *, int)>("dyn_stub_fail")(function, result);
  }
  /// How many objects of the driver the runtime has.
  int getHeld() { return ofStub<int()>("dyn_stub_held")(); }
  dyn_status_t add(int64_t n) {
    Value x = Value::iota<float>({n});
    dyn_tensor_t output = {};
    return run(execution.get(), "add", {x, x}, output);
  }

  std::string path = artifactPath("device_fatbin.so");
  Artifact artifact = load(path);
  dyn_context_options_t options = deviceOptions(DYN_TEST_STUB);
  Context context;
  Execution execution;
};

TEST_F(StubTest, OtherArchitecture) {
  for (int result :
       {DYN_CUDA_NO_BINARY_FOR_GPU, DYN_CUDA_UNSUPPORTED_PTX_VERSION}) {
    failAt("cuModuleLoadData", result);
    EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_UNSUPPORTED,
                   ("'" + path +
                    "' holds code for sm_80, which 'stub' (sm_75) does not run")
                       .c_str());
  }
  failAt("cuModuleLoadData", DYN_CUDA_INVALID_IMAGE);
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_UNSUPPORTED,
                 "cannot load the code of the artifact: as the test wants "
                 "(error 200 of the device)");
  failAt("cuModuleGetFunction", DYN_CUDA_NOT_FOUND);
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_BAD_ARTIFACT,
                 "the image for 'stub' has no 'add'");
  EXPECT_EQ(getHeld(), 0);
}

// A driver is started once for each name of its library, unless it fails.
TEST_F(StubTest, DriverThatDoesNotStart) {
  std::string library = DYN_TEST_STUB;
  library.insert(library.rfind('/'), "/.");
  options = deviceOptions(library.c_str());
  failAt("cuInit", DYN_CUDA_NO_DEVICE);
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_UNSUPPORTED,
                 "cannot start the driver of CUDA: as the test wants (error "
                 "100 of the device)");
  failAt("", DYN_CUDA_SUCCESS);
  EXPECT_EQ(tryContext(artifact, options), DYN_STATUS_OK) << dyn_last_error();
}

TEST_F(StubTest, EachStepOfOpening) {
  const struct {
    const char *function, *message;
    int result;
    dyn_status_t status;
  } steps[] = {
      {"cuDeviceGetCount",
       "cannot count the devices: as the test wants (error 100 of the device)",
       DYN_CUDA_NO_DEVICE, DYN_STATUS_UNSUPPORTED},
      {"cuDeviceGet",
       "cannot find the device: as the test wants (error 101 of the device)",
       DYN_CUDA_INVALID_DEVICE, DYN_STATUS_UNSUPPORTED},
      {"cuDevicePrimaryCtxRetain",
       "cannot use the device: as the test wants (error 2 of the device)",
       DYN_CUDA_OUT_OF_MEMORY, DYN_STATUS_OUT_OF_MEMORY},
      {"cuMemAlloc_v2",
       "'stub' has no 256 bytes for the model's constants: the context uses 0 "
       "bytes",
       DYN_CUDA_OUT_OF_MEMORY, DYN_STATUS_OUT_OF_MEMORY},
      {"cuMemcpyHtoD_v2",
       "cannot copy constants to the device: as the test wants (error 214 of "
       "the device)",
       DYN_CUDA_ECC_UNCORRECTABLE, DYN_STATUS_DEVICE_ERROR},
  };
  for (const auto &step : steps) {
    failAt(step.function, step.result);
    EXPECT_FAILURE(tryContext(artifact, options), step.status, step.message);
    EXPECT_EQ(getHeld(), 0) << step.function;
  }
}

TEST_F(StubTest, EachStepOfACall) {
  context = makeContext(artifact, options);
  failAt("cuStreamCreate", DYN_CUDA_OUT_OF_MEMORY);
  dyn_execution_t *none = nullptr;
  EXPECT_FAILURE(dyn_execution_create(context.get(), nullptr, &none),
                 DYN_STATUS_OUT_OF_MEMORY,
                 "cannot make a stream: as the test wants (error 2 of the "
                 "device)");
  failAt("", DYN_CUDA_SUCCESS);
  execution = makeExecution(context.get());
  const struct {
    const char *function, *what;
  } steps[] = {{"cuMemcpyHtoDAsync_v2", "copy inputs to the device"},
               {"cuLaunchKernel", "add"},
               {"cuMemcpyDtoHAsync_v2", "copy from the device"},
               {"cuStreamSynchronize", "run the model"}};
  for (const auto &step : steps) {
    failAt(step.function, DYN_CUDA_ECC_UNCORRECTABLE);
    EXPECT_FAILURE(add(8), DYN_STATUS_DEVICE_ERROR,
                   ("cannot " + std::string(step.what) +
                    ": as the test wants (error 214 of the device)")
                       .c_str());
    failAt("", DYN_CUDA_SUCCESS);
    EXPECT_EQ(add(8), DYN_STATUS_OK) << dyn_last_error();
  }
}

TEST_F(StubTest, ObjectsAreGivenBack) {
  context = makeContext(artifact, options);
  int opened = getHeld();
  EXPECT_GT(opened, 0);
  execution = makeExecution(context.get());
  ASSERT_EQ(add(64), DYN_STATUS_OK) << dyn_last_error();
  failAt("cuLaunchKernel", DYN_CUDA_ECC_UNCORRECTABLE);
  EXPECT_EQ(add(64), DYN_STATUS_DEVICE_ERROR);
  failAt("", DYN_CUDA_SUCCESS);
  execution.reset();
  dyn_context_trim(context.get());
  EXPECT_EQ(getHeld(), opened);
  context.reset();
  EXPECT_EQ(getHeld(), 0);
}

TEST_F(StubTest, EachStepOfAsynchronousCalls) {
  context = makeContext(artifact, options);
  execution = makeExecution(context.get());
  const struct {
    const char *function, *what;
    bool isInWait;
  } steps[] = {{"cuMemsetD8Async", "fill memory of the device", false},
               {"cuMemcpyHtoDAsync_v2", "copy inputs to the device", false},
               {"cuLaunchKernel", "add", false},
               {"cuMemcpyDtoHAsync_v2", "copy from the device", true},
               {"cuStreamSynchronize", "run the model", true}};
  Value x = Value::iota<float>({8});
  for (const auto &step : steps) {
    dyn_call_options_t call = callOptions(execution.get(), "add");
    call.output_device = DYN_DEVICE_CUDA;
    call.asynchronous = 1;
    std::string message = "cannot " + std::string(step.what) +
                          ": as the test wants (error 214 of the device)";
    dyn_tensor_t output = {};
    if (!step.isInWait)
      failAt(step.function, DYN_CUDA_ECC_UNCORRECTABLE);
    dyn_status_t status = run(execution.get(), call, {x, x}, output);
    if (step.isInWait) {
      EXPECT_EQ(status, DYN_STATUS_OK) << dyn_last_error();
      failAt(step.function, DYN_CUDA_ECC_UNCORRECTABLE);
      status = dyn_execution_wait(execution.get());
    }
    EXPECT_EQ(status, DYN_STATUS_DEVICE_ERROR);
    EXPECT_EQ(dyn_last_error(), message);
    failAt("", DYN_CUDA_SUCCESS);
    EXPECT_EQ(dyn_execution_wait(execution.get()), DYN_STATUS_OK)
        << dyn_last_error();
  }
}

TEST_F(StubTest, NoMemoryInACall) {
  context = makeContext(artifact, options);
  execution = makeExecution(context.get());
  ASSERT_EQ(add(64), DYN_STATUS_OK);
  failAt("cuMemHostAlloc", DYN_CUDA_OUT_OF_MEMORY);
  EXPECT_FAILURE(add(1000), DYN_STATUS_OUT_OF_MEMORY,
                 "cannot allocate 8448 bytes for intermediate results or "
                 "outputs");
  failAt("cuMemAlloc_v2", DYN_CUDA_ECC_UNCORRECTABLE);
  EXPECT_FAILURE(add(9000), DYN_STATUS_DEVICE_ERROR,
                 "cannot take memory of the device: as the test wants (error "
                 "214 of the device)");
  failAt("", DYN_CUDA_SUCCESS);
  EXPECT_EQ(add(9000), DYN_STATUS_OK) << dyn_last_error();
}

// If the device cannot be made current, the host's own device stays current.
TEST_F(StubTest, CurrentDeviceOfTheHost) {
  auto *getDepth = ofStub<int()>("dyn_stub_depth");
  context = makeContext(artifact, options);
  execution = makeExecution(context.get());
  ASSERT_EQ(add(8), DYN_STATUS_OK);
  EXPECT_EQ(getDepth(), 0);
  failAt("cuCtxPushCurrent_v2", 709);
  const char *message =
      "cannot use the device: as the test wants (error 709 of the device)";
  EXPECT_FAILURE(add(8), DYN_STATUS_DEVICE_ERROR, message);
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_DEVICE_ERROR,
                 message);
  dyn_execution_t *none = nullptr;
  EXPECT_FAILURE(dyn_execution_create(context.get(), nullptr, &none),
                 DYN_STATUS_DEVICE_ERROR, message);
  dyn_context_trim(context.get());
  EXPECT_EQ(getDepth(), 0);
  failAt("", DYN_CUDA_SUCCESS);
  EXPECT_EQ(add(9000), DYN_STATUS_OK) << dyn_last_error();
  EXPECT_EQ(getDepth(), 0);
}

TEST_F(StubTest, TensorsNameTheirDevice) {
  options.device_ordinal = 1;
  context = makeContext(artifact, options);
  execution = makeExecution(context.get());
  Value x = Value::iota<float>({8});
  dyn_call_options_t call = callOptions(execution.get(), "add");
  dyn_tensor_t output = {};
  ASSERT_EQ(run(execution.get(), call, {x, x}, output), DYN_STATUS_OK);
  EXPECT_EQ(output.device_ordinal, 0);
  call.output_device = DYN_DEVICE_CUDA;
  ASSERT_EQ(run(execution.get(), call, {x, x}, output), DYN_STATUS_OK);
  EXPECT_EQ(output.device_ordinal, 1);
  alignas(DYN_DEVICE_ALIGNMENT) float numbers[8] = {};
  dyn_tensor_t inputs[] = {x.tensor(), x.tensor()};
  inputs[1].data = numbers;
  inputs[1].device = DYN_DEVICE_CUDA;
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &call, inputs, 2, &output, 1),
      DYN_STATUS_INVALID_ARGUMENT,
      "input 'y': expected a tensor of device 1, got one of device 0");
  inputs[1].device_ordinal = 1;
  EXPECT_EQ(dyn_execution_run(execution.get(), &call, inputs, 2, &output, 1),
            DYN_STATUS_OK)
      << dyn_last_error();
}

// A call does not fail because it cannot be recorded.
TEST_F(StubTest, NoMemoryForRoutes) {
  context = makeContext(artifact, options);
  execution = makeExecution(context.get());
  dyn_profile_t *made = nullptr;
  ASSERT_EQ(dyn_profile_create(nullptr, &made), DYN_STATUS_OK);
  Profile profile(made);
  Value x = Value::iota<float>({8});
  dyn_tensor_t output = {};
  ASSERT_EQ(run(execution.get(), "route", {x, x}, output), DYN_STATUS_OK);
  ASSERT_EQ(dyn_profile_start(made), DYN_STATUS_OK) << dyn_last_error();
  failAt("cuMemHostAlloc", DYN_CUDA_OUT_OF_MEMORY);
  EXPECT_EQ(run(execution.get(), "route", {x, x}, output), DYN_STATUS_OK)
      << dyn_last_error();
  EXPECT_EQ(dyn_profile_lost(made), 1u);
  EXPECT_EQ(dyn_profile_decisions(made), 0u);
  failAt("", DYN_CUDA_SUCCESS);
  EXPECT_EQ(run(execution.get(), "route", {x, x}, output), DYN_STATUS_OK);
  EXPECT_EQ(dyn_profile_decisions(made), 2u);
  EXPECT_EQ(dyn_profile_stop(made), DYN_STATUS_OK);
}

//===----------------------------------------------------------------------===//
// Separate processes
//===----------------------------------------------------------------------===//

// Objects that a host holds until its statics are destroyed.
Artifact lastArtifact;
Context lastContext;
Execution lastExecution;

[[noreturn]] void releaseAtTheEnd() {
  std::atexit([] {
    lastExecution.reset();
    lastContext.reset();
    lastArtifact.reset();
  });
  lastArtifact = load(artifactPath("device_fatbin.so"));
  lastContext = makeContext(lastArtifact, deviceOptions(DYN_TEST_STUB));
  lastExecution = makeExecution(lastContext.get());
  std::exit(lastExecution ? 0 : 1);
}

TEST(DeviceFailureTest, ObjectsThatOutliveStatics) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // Memory that was freed is overwritten.
  setenv("GLIBC_TUNABLES",
         "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165", 1);
  EXPECT_EXIT(releaseAtTheEnd(), testing::ExitedWithCode(0), "");
  unsetenv("GLIBC_TUNABLES");
}

//===----------------------------------------------------------------------===//
// The emulator, configured by the environment
//===----------------------------------------------------------------------===//

// Each test runs in a process in which the emulator is not yet loaded.

/// Whether a call returns a status and a message; prints the actual ones if
/// not.
bool gives(dyn_execution_t *execution, int64_t n, dyn_status_t status,
           const std::string &message) {
  Value x = Value::iota<float>({n});
  dyn_tensor_t output = {};
  dyn_status_t got = run(execution, "add", {x, x}, output);
  bool isRight = got == status && (!got || dyn_last_error() == message);
  if (!isRight)
    std::fprintf(stderr, "%s: %s\n", dyn_status_name(got), dyn_last_error());
  return isRight;
}

[[noreturn]] void loseDevice() {
  setenv("DYN_EMU_LOSE", "3", 1);
  Artifact artifact = load(artifactPath("device.so"));
  Context context = makeContext(artifact, deviceOptions());
  Execution execution = makeExecution(context.get());
  const std::string reason = ": the device is lost, its memory has failed "
                             "(error 214 of the device)";
  bool isRight =
      gives(execution.get(), 8, DYN_STATUS_OK, "") &&
      // The first of two launches.
      gives(execution.get(), 8, DYN_STATUS_DEVICE_ERROR,
            "cannot add" + reason) &&
      gives(execution.get(), 8, DYN_STATUS_DEVICE_ERROR,
            "cannot copy inputs to the device" + reason) &&
      gives(execution.get(), 9000, DYN_STATUS_DEVICE_ERROR,
            "cannot take memory of the device" + reason) &&
      tryContext(artifact, deviceOptions()) == DYN_STATUS_DEVICE_ERROR;
  execution.reset();
  context.reset();
  std::exit(isRight ? 0 : 1);
}

[[noreturn]] void fillDevice() {
  setenv("DYN_EMU_MEMORY", "4096", 1);
  Artifact artifact = load(artifactPath("device.so"));
  Context context = makeContext(artifact, deviceOptions());
  Execution execution = makeExecution(context.get());
  bool isRight =
      gives(execution.get(), 64, DYN_STATUS_OK, "") &&
      gives(execution.get(), 1000, DYN_STATUS_OUT_OF_MEMORY,
            "'emulator' has no 12544 bytes for intermediate results or "
            "outputs: the context uses 512 bytes") &&
      // The new block fits only without the old one.
      gives(execution.get(), 192, DYN_STATUS_OK, "");
  std::exit(isRight ? 0 : 1);
}

TEST(DeviceFailureTest, LostDevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(loseDevice(), testing::ExitedWithCode(0), "");
}

TEST(DeviceFailureTest, FullDevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(fillDevice(), testing::ExitedWithCode(0), "");
}

} // namespace
