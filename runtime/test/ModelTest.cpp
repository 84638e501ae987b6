//===- ModelTest.cpp - Models that change while they run ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace dyn::test;
namespace fs = std::filesystem;

namespace {

using Model = Handle<dyn_model_t, dyn_model_release>;

/// The first element of row 0 in the table of each artifact.
const std::pair<const char *, float> artifacts[] = {{"zoo_sidecar.so", 32},
                                                    {"zoo_variant1.so", 16},
                                                    {"zoo_variant3.so", 48},
                                                    {"zoo_variant4.so", 64},
                                                    {"zoo_fixed.so", 80}};

class ModelTest : public ::testing::Test {
protected:
  ModelTest() {
    char name[] = "/tmp/dyn-model-test-XXXXXX";
    folder = ::mkdtemp(name);
    options.struct_size = sizeof(options);
    options.work_folder = folder.c_str();
  }
  ~ModelTest() override {
    model.reset();
    EXPECT_TRUE(fs::is_empty(folder)) << "a compilation left something";
    fs::remove_all(folder);
  }

  void open() {
    dyn_model_t *made = nullptr;
    EXPECT_EQ(dyn_model_create(load(artifactPath("zoo_sidecar.so")).get(),
                               &options, &made),
              DYN_STATUS_OK)
        << dyn_last_error();
    model.reset(made);
  }
  /// With a script as the compiler: $2 is its output.
  void openWithScript(std::string text) {
    script = std::move(text);
    const char *words[] = {"sh", "-c", script.c_str(), "sh", nullptr};
    options.compiler = words;
    open();
  }
  uint32_t add(const char *name) {
    uint32_t number = 0;
    EXPECT_EQ(dyn_model_add(model.get(), artifactPath(name).c_str(), &number),
              DYN_STATUS_OK)
        << dyn_last_error();
    return number;
  }
  /// The first element of a call with `n` indices, all 0; its artifact's own
  /// value goes to `expected`.
  float call(int64_t n, float *expected = nullptr) {
    Value ids = Value::of(std::vector<int64_t>(size_t(n), 0));
    dyn_tensor_t input = ids.tensor(), output = {};
    dyn_execution_t *execution = nullptr;
    dyn_status_t status =
        dyn_model_take(model.get(), gatherEntry, &input, 1, &execution);
    if (status != DYN_STATUS_OK)
      return -1;
    dyn_call_options_t call = {};
    call.struct_size = sizeof(call);
    call.entry = gatherEntry;
    status = dyn_execution_run(execution, &call, &input, 1, &output, 1);
    float found =
        status == DYN_STATUS_OK ? *static_cast<float *>(output.data) : -2;
    if (expected)
      *expected =
          valueOf(dyn_context_artifact(dyn_execution_context(execution)));
    dyn_model_give(model.get(), execution);
    return found;
  }
  static float valueOf(const dyn_artifact_t *artifact) {
    dyn_artifact_info_t info = {};
    info.struct_size = sizeof(info);
    EXPECT_EQ(dyn_artifact_info(artifact, &info), DYN_STATUS_OK);
    // "variantN", or the name of the zoo.
    int variant = std::strncmp(info.id, "76617269616e74", 14) == 0
                      ? std::stoi(std::string(info.id + 14, 2), nullptr, 16)
                      : 2;
    return float(16 * variant);
  }
  std::string report() {
    const char *text = nullptr;
    EXPECT_EQ(dyn_model_report(model.get(), &text), DYN_STATUS_OK);
    return text ? text : "";
  }
  bool reports(const std::string &what) {
    return report().find(what) != std::string::npos;
  }
  void compile(const std::vector<const char *> &dims = {}) {
    ASSERT_EQ(dyn_model_recompile(model.get(), "a test", nullptr, dims.data(),
                                  uint32_t(dims.size())),
              DYN_STATUS_OK)
        << dyn_last_error();
    ASSERT_EQ(dyn_model_wait(model.get()), DYN_STATUS_OK);
  }
  /// Expects that a compilation fails and that nothing else changes.
  void expectFailure(const std::string &reason) {
    compile();
    EXPECT_EQ(call(1), 32);
    EXPECT_TRUE(reports("\"failures\":1,")) << report();
    EXPECT_TRUE(reports(reason)) << report();
  }

  static uint32_t findGather() {
    uint32_t entry = 0;
    dyn_artifact_find_entry(load(artifactPath("zoo_sidecar.so")).get(),
                            "gather", &entry);
    return entry;
  }

  fs::path folder;
  std::string script;
  dyn_model_options_t options = {};
  Model model;
  uint32_t gatherEntry = findGather();
};

/// Number of mappings of a file in this process.
size_t countMappings(const std::string &name) {
  size_t count = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    count += line.find(name) != std::string::npos;
  return count;
}

/// Whether a file is unloaded in time: after its last call, by another thread.
bool becomesUnloaded(const std::string &name) {
  for (int i = 0; i < 2000 && countMappings(name) > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return countMappings(name) == 0;
}

TEST_F(ModelTest, CallsTakeTheVariantForTheirSizes) {
  open();
  EXPECT_EQ(call(2), 32);
  uint32_t fixed = add("zoo_fixed.so");
  EXPECT_EQ(call(2), 80);
  EXPECT_EQ(call(1), 32);
  // One for all sizes is asked after it.
  add("zoo_variant1.so");
  EXPECT_EQ(call(2), 80);
  EXPECT_EQ(call(1), 16);
  EXPECT_TRUE(reports("{\"entry\":\"gather\",\"input\":\"ids\",\"axis\":0,"
                      "\"min\":2,\"max\":2}"))
      << report();
  EXPECT_EQ(dyn_model_drop(model.get(), fixed), DYN_STATUS_OK);
  EXPECT_EQ(call(2), 16);
}

TEST_F(ModelTest, OneForAllSizesReplacesTheLast) {
  open();
  uint32_t first = add("zoo_variant1.so");
  EXPECT_EQ(countMappings("zoo_variant1.so") > 0, true);
  EXPECT_EQ(call(1), 16);
  uint32_t second = add("zoo_variant3.so");
  EXPECT_EQ(call(1), 48);
  // Unloaded, since no call has it.
  EXPECT_EQ(countMappings("zoo_variant1.so"), 0u);
  EXPECT_FAILURE(dyn_model_drop(model.get(), first),
                 DYN_STATUS_INVALID_ARGUMENT, "variant 1 does not exist");
  EXPECT_EQ(dyn_model_drop(model.get(), second), DYN_STATUS_OK);
  EXPECT_EQ(call(1), 32);
}

TEST_F(ModelTest, ACallOutlivesItsVariant) {
  open();
  uint32_t number = add("zoo_variant1.so");
  Value ids = Value::of<int64_t>({0});
  dyn_tensor_t input = ids.tensor(), output = {};
  dyn_execution_t *execution = nullptr;
  ASSERT_EQ(dyn_model_take(model.get(), gatherEntry, &input, 1, &execution),
            DYN_STATUS_OK);
  EXPECT_EQ(dyn_model_drop(model.get(), number), DYN_STATUS_OK);
  EXPECT_GT(countMappings("zoo_variant1.so"), 0u);
  EXPECT_EQ(run(execution, "gather", {ids}, output), DYN_STATUS_OK);
  EXPECT_EQ(*static_cast<float *>(output.data), 16);
  dyn_model_give(model.get(), execution);
  EXPECT_TRUE(becomesUnloaded("zoo_variant1.so"));
}

TEST_F(ModelTest, AnExecutionThatIsReleasedEndsItsVariant) {
  open();
  uint32_t number = add("zoo_variant1.so");
  Value ids = Value::of<int64_t>({0});
  dyn_tensor_t input = ids.tensor();
  dyn_execution_t *execution = nullptr;
  ASSERT_EQ(dyn_model_take(model.get(), gatherEntry, &input, 1, &execution),
            DYN_STATUS_OK);
  EXPECT_EQ(dyn_model_drop(model.get(), number), DYN_STATUS_OK);
  dyn_execution_release(execution);
  EXPECT_TRUE(becomesUnloaded("zoo_variant1.so"));
  EXPECT_EQ(call(1), 32);
}

/// A first call of a variant finds an execution, memory and mapped pages.
TEST_F(ModelTest, AFirstCallFindsWhatItNeeds) {
  open();
  const int64_t n = 20000;
  Value ids = Value::of(std::vector<int64_t>(size_t(n), 0));
  dyn_tensor_t input = ids.tensor(), output = {};
  auto countFaults = [] {
    rusage usage = {};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
  };
  dyn_call_options_t options = {};
  options.struct_size = sizeof(options);
  options.entry = gatherEntry;
  EXPECT_EQ(call(n), 32);
  for (auto [name, first] : {artifacts[1], artifacts[2]}) {
    add(name);
    long faults = countFaults();
    dyn_execution_t *execution = nullptr;
    dyn_status_t status =
        dyn_model_take(model.get(), gatherEntry, &input, 1, &execution);
    if (status == DYN_STATUS_OK)
      status = dyn_execution_run(execution, &options, &input, 1, &output, 1);
    faults = countFaults() - faults;
    ASSERT_EQ(status, DYN_STATUS_OK) << dyn_last_error();
    EXPECT_EQ(*static_cast<float *>(output.data), first);
    dyn_stats_t stats = {};
    stats.struct_size = sizeof(stats);
    EXPECT_EQ(dyn_execution_stats(execution, &stats), DYN_STATUS_OK);
    EXPECT_EQ(stats.allocations, 0u) << name;
    if (!sanitized)
      EXPECT_EQ(faults, 0) << name;
    dyn_model_give(model.get(), execution);
  }
}

/// Memory is that of as many calls as there are at a time, whatever the number
/// of variants.
TEST_F(ModelTest, VariantsShareTheMemoryOfCalls) {
  static std::atomic<int64_t> bytes{0};
  bytes = 0;
  dyn_driver_t driver = {};
  driver.struct_size = sizeof(driver);
  driver.allocate = [](void *, uint64_t size, uint64_t alignment) {
    bytes += int64_t(size);
    return std::aligned_alloc(alignment, size);
  };
  driver.deallocate = [](void *, void *block, uint64_t size) {
    bytes -= int64_t(size);
    std::free(block);
  };
  dyn_context_options_t context = {};
  context.struct_size = sizeof(context);
  context.driver = &driver;
  options.context = &context;
  open();
  EXPECT_EQ(call(100), 32);
  const int64_t before = bytes;
  EXPECT_GT(before, 0);
  add("zoo_fixed.so");
  add("zoo_variant1.so");
  EXPECT_EQ(call(2), 80);
  EXPECT_EQ(call(100), 16);
  add("zoo_variant3.so");
  EXPECT_EQ(call(100), 48);
  EXPECT_EQ(bytes, before);
  model.reset();
  EXPECT_EQ(bytes, 0);
}

TEST_F(ModelTest, RefusesWhatIsNoVariant) {
  open();
  auto refuse = [&](const char *name, const std::string &reason) {
    uint32_t number = 7;
    EXPECT_EQ(dyn_model_add(model.get(), artifactPath(name).c_str(), &number),
              DYN_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(dyn_last_error(),
              "'" + artifactPath(name) + "' is no variant of '" +
                  artifactPath("zoo_sidecar.so") + "': " + reason);
  };
  refuse("zoo_foreign.so", "it does not share the model's weights (dyn-compile "
                           "--share-weights)");
  refuse("zoo.so", "it does not share the model's weights (dyn-compile "
                   "--share-weights)");
  refuse("zoo_renamed.so", "entry 'gather', input 0: expected ids, found rows");
  refuse("zoo_wider.so", "entry 'facts', input 0 'ids': expected i64[rows, s], "
                         "found i64[rows, s]");
  EXPECT_FAILURE(dyn_model_add(model.get(), "/nonexistent.so", nullptr),
                 DYN_STATUS_NOT_FOUND,
                 "cannot open '/nonexistent.so': No such file or directory");
  EXPECT_EQ(call(1), 32);
}

TEST_F(ModelTest, Misuse) {
  dyn_model_t *made = nullptr;
  EXPECT_FAILURE(dyn_model_create(nullptr, nullptr, &made),
                 DYN_STATUS_INVALID_ARGUMENT, "artifact is null");
  EXPECT_FAILURE(dyn_model_create(nullptr, nullptr, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_model is null");
  EXPECT_FAILURE(dyn_model_add(nullptr, "x", nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "model is null");
  open();
  dyn_execution_t *execution = nullptr;
  EXPECT_FAILURE(dyn_model_add(model.get(), nullptr, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "path is null");
  EXPECT_FAILURE(dyn_model_drop(model.get(), 0), DYN_STATUS_INVALID_ARGUMENT,
                 "variant 0 is the first artifact, which stays");
  EXPECT_FAILURE(dyn_model_take(model.get(), 0, nullptr, 0, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_execution is null");
  EXPECT_FAILURE(dyn_model_take(model.get(), 0, nullptr, 1, &execution),
                 DYN_STATUS_INVALID_ARGUMENT, "inputs is null");
  EXPECT_FAILURE(dyn_model_recompile(model.get(), "", nullptr, nullptr, 1),
                 DYN_STATUS_INVALID_ARGUMENT, "dims[0] is null");
  EXPECT_FAILURE(dyn_model_recompile(model.get(), "", nullptr, nullptr, 0),
                 DYN_STATUS_UNSUPPORTED,
                 "the model has no compiler: expected "
                 "dyn_model_options_t.compiler or recompile");
  EXPECT_FAILURE(dyn_model_report(model.get(), nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_report is null");
  const char *words[] = {"cc", nullptr};
  options.compiler = words;
  options.recompile = [](void *, const dyn_recompile_request_t *) { return 0; };
  EXPECT_FAILURE(dyn_model_create(load(artifactPath("zoo_sidecar.so")).get(),
                                  &options, &made),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "dyn_model_options_t: expected compiler or recompile, not "
                 "both");
  dyn_model_give(nullptr, nullptr);
  dyn_model_release(nullptr);
}

//===----------------------------------------------------------------------===//
// Compilers
//===----------------------------------------------------------------------===//

TEST_F(ModelTest, ACompilerIsAChildProcess) {
  openWithScript("test \"$1\" = -o && case \"$3\" in --share-weights=*/"
                 "zoo_sidecar.so) ;; *) exit 4;; esac && test \"$4 $5\" = "
                 "'--dim n=2' && cp " +
                 artifactPath("zoo_fixed.so") + " \"$2\"");
  compile({"n=2"});
  EXPECT_EQ(call(2), 80) << report();
  EXPECT_TRUE(reports("\"compilations\":1,\"failures\":0")) << report();
}

TEST_F(ModelTest, ANewProfileReplacesTheOldOne) {
  script = "test \"$3\" = --share-weights=" + artifactPath("zoo_sidecar.so") +
           " && test \"$4\" = --profile=new.json && test $# = 4 && cp " +
           artifactPath("zoo_variant1.so") + " \"$2\"";
  const char *words[] = {
      "sh", "-c", script.c_str(), "sh", "--profile=old.json", nullptr};
  options.compiler = words;
  open();
  ASSERT_EQ(dyn_model_recompile(model.get(), nullptr, "new.json", nullptr, 0),
            DYN_STATUS_OK);
  ASSERT_EQ(dyn_model_wait(model.get()), DYN_STATUS_OK);
  EXPECT_EQ(call(1), 16) << report();
}

TEST_F(ModelTest, ACompilerIsAFunction) {
  options.recompile = [](void *user, const dyn_recompile_request_t *request) {
    EXPECT_STREQ(request->reason, "a test");
    EXPECT_EQ(request->profile, nullptr);
    EXPECT_EQ(request->dim_count, 0u);
    EXPECT_EQ(*request->cancel, 0);
    fs::copy_file(static_cast<const char *>(user), request->output);
    return 0;
  };
  std::string path = artifactPath("zoo_variant4.so");
  options.user = path.data();
  open();
  compile();
  EXPECT_EQ(call(1), 64) << report();
}

TEST_F(ModelTest, AFunctionThatFails) {
  options.recompile = [](void *, const dyn_recompile_request_t *) { return 5; };
  open();
  expectFailure("the host's function returned 5");
}

/// So that it has a part of a processor on which the host calls without a
/// pause.
TEST_F(ModelTest, ACompilerIsBelowTheHost) {
  int before = ::getpriority(PRIO_PROCESS, 0);
  std::string expected = std::to_string(std::min(before + 3 + 11, 19));
  std::thread([&] { // whose priority alone changes
    ASSERT_EQ(::setpriority(PRIO_PROCESS, 0, before + 3), 0);
    openWithScript("i=0; while test $(nice) != " + expected +
                   " && test $i -lt 200; do sleep 0.02; i=$((i + 1)); done; "
                   "echo nice $(nice); exit 3");
    expectFailure("exit status 3: nice " + expected);
  })
      .join();
}

TEST_F(ModelTest, ACompilerIsNotInRealTime) {
  bool isRefused = false;
  std::thread([&] {
    sched_param first = {};
    first.sched_priority = 1;
    isRefused = ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &first);
    if (isRefused)
      return;
    openWithScript("echo policy $(cut -d ' ' -f 41 /proc/self/stat); exit 3");
    expectFailure("exit status 3: policy " + std::to_string(SCHED_OTHER));
  }).join();
  if (isRefused)
    GTEST_SKIP() << "threads may not run in real time here";
}

TEST_F(ModelTest, ACompilerThatFails) {
  openWithScript("echo the model is bad >&2; exit 3");
  expectFailure("exit status 3: the model is bad");
}

TEST_F(ModelTest, ACompilerThatCrashes) {
  openWithScript("touch \"$2\"; kill -SEGV $$");
  expectFailure("it died of signal 11");
}

/// Not taken for one that has used its processor time.
TEST_F(ModelTest, ACompilerThatIsKilled) {
  openWithScript("touch \"$2\"; kill -KILL $$");
  expectFailure("it died of signal 9");
}

/// The folder it worked in goes with all that is in it, links not followed.
TEST_F(ModelTest, ACompilerThatLeavesFolders) {
  const fs::path kept = folder.string() + "-kept";
  fs::create_directory(kept);
  openWithScript("cd \"$(dirname \"$2\")\"; mkdir -p a/b; touch a/b/c; ln -s " +
                 kept.string() + " link; exit 3");
  std::ofstream(kept / "file") << "kept";
  expectFailure("exit status 3");
  EXPECT_TRUE(fs::exists(kept / "file"));
  fs::remove_all(kept);
}

TEST_F(ModelTest, ACompilerThatHangs) {
  options.wall_ms = 100;
  openWithScript("sleep 1000 & wait");
  expectFailure("it ran for more than 100 ms");
}

/// The system counts the time. On a busy machine it would be long until a
/// second is used up.
TEST_F(ModelTest, ACompilerThatNeedsTooMuchTime) {
  options.cpu_seconds = 1;
  options.wall_ms = 60000;
  openWithScript("until test \"$(ulimit -St) $(ulimit -Ht)\" = '1 2'; "
                 "do sleep 0.02; done; kill -XCPU $$");
  expectFailure("it was ended after 1 s of processor time");
}

TEST_F(ModelTest, ACompilerThatFillsTheDisk) {
  options.file_bytes = 1 << 20;
  openWithScript("sleep 0.1; exec head -c 100000000 /dev/zero > \"$2\"");
  expectFailure("it wrote a file of more than 1048576 bytes");
}

TEST_F(ModelTest, ACompilerThatWritesNothing) {
  openWithScript("true");
  expectFailure("it wrote no artifact");
}

TEST_F(ModelTest, ACompilerThatWritesSomethingElse) {
  openWithScript("echo no > \"$2\"");
  expectFailure("is not an artifact");
}

TEST_F(ModelTest, ACompilerOfAnotherModel) {
  openWithScript("cp " + artifactPath("zoo_renamed.so") + " \"$2\"");
  expectFailure("is no variant of");
}

TEST_F(ModelTest, ACompilerThatDoesNotExist) {
  const char *words[] = {"/nonexistent/compiler", nullptr};
  options.compiler = words;
  open();
  expectFailure("cannot start '/nonexistent/compiler': No such file");
}

TEST_F(ModelTest, AFolderThatDoesNotExist) {
  options.work_folder = "/nonexistent";
  openWithScript("true");
  expectFailure("cannot make a folder in '/nonexistent'");
}

TEST_F(ModelTest, OneAtATimeAndReleaseCancels) {
  openWithScript("sleep 1000");
  ASSERT_EQ(dyn_model_recompile(model.get(), "a", nullptr, nullptr, 0),
            DYN_STATUS_OK);
  EXPECT_TRUE(reports("\"compiling\":true"));
  EXPECT_FAILURE(dyn_model_recompile(model.get(), "b", nullptr, nullptr, 0),
                 DYN_STATUS_BUSY, "another variant is being compiled");
  EXPECT_EQ(call(1), 32);
  auto begin = std::chrono::steady_clock::now();
  model.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

//===----------------------------------------------------------------------===//
// Drift
//===----------------------------------------------------------------------===//

class DriftTest : public ModelTest {
protected:
  /// A compilation writes to `profile`.
  ~DriftTest() override { model.reset(); }

  /// A compiler that keeps the profile that it gets and writes a variant.
  void openAndWatch() {
    options.reoptimise = 1;
    options.drift_threshold = 0.5;
    options.window_ms = 2;
    options.user = &profile;
    options.recompile = [](void *user, const dyn_recompile_request_t *given) {
      std::ifstream file(given->profile);
      static_cast<std::string *>(user)->assign(
          std::istreambuf_iterator<char>(file), {});
      std::error_code code;
      fs::copy_file(artifactPath("zoo_variant1.so"), given->output, code);
      return code.value();
    };
    open();
  }
  /// Calls with rows for path 0, or for all, until the report has a text.
  bool routeUntil(const std::string &what, bool balanced,
                  int milliseconds = 20000) {
    uint32_t entry = 0;
    dyn_artifact_find_entry(load(artifactPath("zoo_sidecar.so")).get(), "route",
                            &entry);
    std::vector<int64_t> rows(64);
    for (size_t i = 0; balanced && i < rows.size(); ++i)
      rows[i] = int64_t(i % 4);
    Value ids = Value::of(rows, {64, 1});
    auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin <
           std::chrono::milliseconds(milliseconds)) {
      dyn_tensor_t input = ids.tensor(), output = {};
      dyn_execution_t *execution = nullptr;
      EXPECT_EQ(dyn_model_take(model.get(), entry, &input, 1, &execution),
                DYN_STATUS_OK);
      EXPECT_EQ(run(execution, "route", {ids}, output), DYN_STATUS_OK)
          << dyn_last_error();
      dyn_model_give(model.get(), execution);
      if (reports(what))
        return true;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return false;
  }
  int countCompilations() {
    std::string text = report(), name = "\"compilations\":";
    return std::stoi(text.substr(text.find(name) + name.size()));
  }
  std::string profile;
};

TEST_F(DriftTest, RoutesThatDriftAreCompiledFor) {
  openAndWatch();
  EXPECT_FALSE(routeUntil("\"what\":\"compiles\"", /*balanced=*/true, 100))
      << report();
  EXPECT_TRUE(reports("{\"key\":\"layers.1\",\"rows\":")) << report();
  EXPECT_TRUE(routeUntil("\"what\":\"added\"", /*balanced=*/false)) << report();
  EXPECT_TRUE(reports("drift is 0.750, 0.0")) << report();
  EXPECT_TRUE(reports("\"threshold\":0.5")) << report();
  EXPECT_EQ(dyn_model_wait(model.get()), DYN_STATUS_OK);
  EXPECT_NE(profile.find("\"key\": \"layers.0\""), std::string::npos);
  // Of the balanced calls it has at most a part of a window.
  size_t at = profile.find("\"load\": [");
  ASSERT_NE(at, std::string::npos);
  int hot = 0, cold = 0;
  std::sscanf(profile.c_str() + at, "\"load\": [%d,%d", &hot, &cold);
  EXPECT_GT(hot, 4 * cold) << profile;
  EXPECT_EQ(call(1), 16);
}

TEST_F(DriftTest, CallsOfStaticVariantsCount) {
  openAndWatch();
  uint32_t fixed = add("zoo_fixed.so"); // It runs entry "route" of all sizes.
  EXPECT_FALSE(routeUntil("\"what\":\"compiles\"", /*balanced=*/true, 50));
  EXPECT_TRUE(routeUntil("\"what\":\"compiles\"", /*balanced=*/false))
      << report();
  EXPECT_EQ(dyn_model_wait(model.get()), DYN_STATUS_OK);
  // The profile is for the program of all sizes.
  EXPECT_NE(profile.find("\"fingerprint\": \"00000000000000ab\""),
            std::string::npos)
      << profile;
  EXPECT_EQ(profile.find("fixedab"), std::string::npos) << profile;
  EXPECT_EQ(dyn_model_drop(model.get(), fixed), DYN_STATUS_OK);
  routeUntil("nothing", /*balanced=*/false, 50);
  EXPECT_FALSE(reports("\"rows\":18446744")) << report();
}

TEST_F(DriftTest, ItIsNotCompiledForEndlessly) {
  // The variant was compiled for the same load as the first artifact.
  openAndWatch();
  routeUntil("nothing", /*balanced=*/false, 600);
  int count = countCompilations();
  EXPECT_GE(count, 1);
  // Pauses of 20, 40, 80, ... ms.
  EXPECT_LE(count, 6) << report();
  EXPECT_TRUE(reports("\"paused\":")) << report();
}

TEST_F(DriftTest, TheProfileOfTheHostCounts) {
  openAndWatch();
  EXPECT_FALSE(routeUntil("\"what\":\"compiles\"", /*balanced=*/true, 50));
  dyn_profile_t *made = nullptr;
  ASSERT_EQ(dyn_profile_create(nullptr, &made), DYN_STATUS_OK);
  Profile host(made);
  // The model's gives way.
  EXPECT_EQ(dyn_profile_start(made), DYN_STATUS_OK) << dyn_last_error();
  EXPECT_FAILURE(dyn_profile_start(made), DYN_STATUS_BUSY,
                 "this profile records already: expected dyn_profile_stop "
                 "first");
  EXPECT_TRUE(routeUntil("\"what\":\"compiles\"", /*balanced=*/false))
      << report();
  EXPECT_EQ(dyn_profile_stop(made), DYN_STATUS_OK);
  EXPECT_GT(dyn_profile_decisions(made), 0u);
}

TEST_F(DriftTest, AForkedChildCalls) {
  if (!forksAreFollowed)
    GTEST_SKIP() << "sanitizers do not follow threads that start after a fork";
  openAndWatch();
  EXPECT_FALSE(routeUntil("nothing", /*balanced=*/true, 50));
  for (int i = 0; i < 20; ++i) {
    pid_t child = ::fork();
    if (child == 0) {
      bool right = call(1) == 32;
      model.reset();
      ::_exit(right ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

/// Of a process whose model begins and ends compilations, for which a thread
/// waits, while it forks.
TEST_F(ModelTest, AForkedChildDoesNotWaitForACompiler) {
  if (!forksAreFollowed)
    GTEST_SKIP() << "sanitizers do not follow threads that start after a fork";
  options.recompile = [](void *, const dyn_recompile_request_t *) { return 1; };
  open();
  std::atomic<bool> stops{false};
  std::thread compiles([&] {
    while (!stops)
      dyn_model_recompile(model.get(), nullptr, nullptr, nullptr, 0);
  });
  std::thread waits([&] {
    while (!stops)
      dyn_model_wait(model.get());
  });
  for (int i = 0; i < 200; ++i) {
    pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      bool right = call(1) == 32 && !report().empty() &&
                   dyn_model_wait(model.get()) == DYN_STATUS_OK;
      model.reset();
      ::_exit(right ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  stops = true;
  compiles.join();
  waits.join();
}

TEST_F(DriftTest, NeedsACompiler) {
  options.reoptimise = 1;
  dyn_model_t *made = nullptr;
  EXPECT_FAILURE(dyn_model_create(load(artifactPath("zoo_sidecar.so")).get(),
                                  &options, &made),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "dyn_model_options_t: reoptimise needs compiler or recompile");
}

//===----------------------------------------------------------------------===//
// Automatic mode
//===----------------------------------------------------------------------===//

class AutoTest : public ModelTest {
protected:
  /// With a compiler that writes a variant for two indices.
  void openAutomatic() {
    options.mode = DYN_MODEL_AUTO;
    options.hot_ms = 1;
    options.window_ms = 2;
    options.recompile = [](void *, const dyn_recompile_request_t *given) {
      EXPECT_EQ(given->dim_count, 1u);
      EXPECT_STREQ(given->dims[0], "n=2");
      std::error_code code;
      fs::copy_file(artifactPath("zoo_fixed.so"), given->output, code);
      return code.value();
    };
    open();
  }
  bool callUntil(const std::string &what) {
    auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin <
           std::chrono::seconds(20)) {
      for (int i = 0; i < 100; ++i) {
        float expected = 0;
        EXPECT_EQ(call(2, &expected), expected);
      }
      if (reports(what))
        return true;
    }
    return false;
  }
};

TEST_F(AutoTest, AHotSizeIsTried) {
  openAutomatic();
  EXPECT_TRUE(callUntil("faster: ")) << report();
  EXPECT_TRUE(reports("\"dims\":[\"n=2\"]")) << report();
  EXPECT_TRUE(reports("n=2: 100 % of the calls")) << report();
  EXPECT_TRUE(reports("of 40 pairs")) << report();
  EXPECT_TRUE(reports("\"compilations\":1,\"failures\":0")) << report();
}

TEST_F(AutoTest, SizesThatNeverRepeat) {
  openAutomatic();
  for (int64_t n = 3; n < 3000; ++n)
    EXPECT_EQ(call(n), 32);
  EXPECT_TRUE(reports("all sizes run dynamic: none is hot")) << report();
  EXPECT_TRUE(reports("\"compilations\":0")) << report();
}

TEST_F(AutoTest, ShortMemory) {
  options.memory_floor = UINT64_MAX;
  openAutomatic();
  for (int i = 0; i < 20000; ++i)
    EXPECT_EQ(call(2), 32);
  EXPECT_TRUE(reports("\"compilations\":0")) << report();
}

TEST_F(AutoTest, ManyThreadsAndReleasedExecutions) {
  openAutomatic();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        float expected = 0;
        wrong += call(2, &expected) != expected;
        if (i % 100)
          continue;
        Value ids = Value::of<int64_t>({0, 0});
        dyn_tensor_t input = ids.tensor();
        dyn_execution_t *execution = nullptr;
        dyn_model_take(model.get(), gatherEntry, &input, 1, &execution);
        dyn_execution_release(execution);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(AutoTest, Misuse) {
  dyn_model_t *made = nullptr;
  options.mode = DYN_MODEL_AUTO;
  EXPECT_FAILURE(dyn_model_create(load(artifactPath("zoo_sidecar.so")).get(),
                                  &options, &made),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "dyn_model_options_t: the automatic mode needs compiler or "
                 "recompile");
  options.mode = 7;
  EXPECT_FAILURE(dyn_model_create(load(artifactPath("zoo_sidecar.so")).get(),
                                  &options, &made),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "dyn_model_options_t: expected a mode of dyn_model_mode_t, "
                 "got 7");
}

//===----------------------------------------------------------------------===//
// Many threads
//===----------------------------------------------------------------------===//

/// Four threads call while variants are compiled, added and dropped at random:
/// no call is lost, and each has the bits of its variant.
TEST_F(ModelTest, CallsGoOnWhileVariantsChange) {
  static std::atomic<uint32_t> turn{0};
  options.recompile = [](void *, const dyn_recompile_request_t *request) {
    uint32_t now = turn++;
    if (now % 5 == 4)
      return 1;
    std::error_code code;
    fs::copy_file(artifactPath(artifacts[1 + now % 4].first), request->output,
                  code);
    return code.value();
  };
  open();
  constexpr int kThreads = 4, kCalls = 2500;
  constexpr uint32_t kChanges = 100;
  std::atomic<int> running{kThreads}, calls{0}, done{0}, wrong{0};
  std::atomic<uint32_t> changes{0};
  std::vector<std::chrono::nanoseconds> times(kThreads * kCalls);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      std::minstd_rand random{uint32_t(thread + 1)};
      // On a busy machine, variants change less often than calls end.
      for (int i = 0; i < kCalls || changes <= kChanges; ++i) {
        auto begin = std::chrono::steady_clock::now();
        float expected = 0, found = call(int64_t(1 + random() % 3), &expected);
        times[size_t(thread * kCalls + i % kCalls)] =
            std::chrono::steady_clock::now() - begin;
        ++calls;
        done += found >= 0;
        wrong += found != expected;
      }
      --running;
    });
  std::minstd_rand random{99};
  uint32_t last = 0;
  for (; running > 0; ++changes) {
    switch (random() % 3) {
    case 0: {
      const char *name = artifacts[1 + random() % 4].first;
      EXPECT_EQ(dyn_model_add(model.get(), artifactPath(name).c_str(), &last),
                DYN_STATUS_OK)
          << dyn_last_error();
      break;
    }
    case 1:
      dyn_model_drop(model.get(), uint32_t(1 + random() % (last + 2)));
      break;
    default:
      dyn_model_recompile(model.get(), "random", nullptr, nullptr, 0);
    }
    // Bounds the number of variants for one size, which add to each other.
    for (uint32_t old = last > 8 ? last - 8 : 1; old + 4 < last; ++old)
      dyn_model_drop(model.get(), old);
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_GE(calls, kThreads * kCalls);
  EXPECT_EQ(done, calls);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(dyn_model_wait(model.get()), DYN_STATUS_OK);
  // Not asserted: a busy machine has other causes.
  std::sort(times.begin(), times.end());
  auto quantile = [&](double part) {
    return double(times[size_t(part * double(times.size() - 1))].count()) / 1e3;
  };
  std::printf("%u changes; a call takes %.1f us (median), %.1f us (p99), %.1f "
              "us (most)\n",
              changes.load(), quantile(0.5), quantile(0.99), quantile(1));
  RecordProperty("p99_us", std::to_string(quantile(0.99)));
  model.reset();
  for (const char *name :
       {"zoo_variant", "zoo_fixed", "zoo.weights", "variant.so", "zoo_sidecar"})
    EXPECT_EQ(countMappings(name), 0u) << name;
}

} // namespace
