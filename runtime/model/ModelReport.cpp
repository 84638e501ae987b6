//===- ModelReport.cpp - The deeds of a model and their reasons -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clock.h"
#include "Model.h"
#include "TextFile.h"

#include <cstdlib>

using namespace dyn::rt;

static void writeMember(std::FILE *file, const char *name,
                        const std::string &text) {
  std::fprintf(file, "\"%s\":", name);
  writeJsonString(file, text.c_str());
}

void dyn_model::writeReport(std::FILE *file) {
  std::fputc('{', file);
  writeMember(file, "artifact", path);
  std::fprintf(
      file,
      ",\"ms\":%.3f,\"compiling\":%s,\"compilations\":%llu,\"failures\":%llu,"
      "\"variants\":[",
      double(now() - begin) / 1e6, recompiler->isRunning() ? "true" : "false",
      (unsigned long long)compilations, (unsigned long long)failures);
  for (const VariantPtr &variant : variants) {
    const dyn_artifact &artifact = variant->context->artifact();
    std::fprintf(file, "%s{\"number\":%u,\"calls\":%llu,",
                 variant == variants.front() ? "" : ",", variant->number,
                 (unsigned long long)variant->calls);
    writeMember(file, "id", artifact.info().id);
    std::fputc(',', file);
    writeMember(file, "reason", variant->reason);
    std::fputs(",\"guards\":[", file);
    const char *separator = "";
    for (size_t i = 0; i < variant->guards.size(); ++i)
      for (const SizeGuard &guard : variant->guards[i]) {
        const Signature &entry = artifact.entries()[i];
        std::fprintf(file, "%s{", separator);
        writeMember(file, "entry", entry.desc().name);
        std::fputc(',', file);
        writeMember(file, "input", entry.desc().inputs[guard.input].name);
        std::fprintf(file, ",\"axis\":%u,\"min\":%lld,\"max\":%lld}",
                     guard.axis, (long long)guard.min, (long long)guard.max);
        separator = ",";
      }
    std::fputs("]}", file);
  }
  std::fputs("],", file);
  if (drift) {
    std::fputs("\"reoptimise\":", file);
    drift->writeReport(file);
    std::fputc(',', file);
  }
  if (automatic) {
    std::fputs("\"auto\":", file);
    automatic->writeReport(file);
    std::fputc(',', file);
  }
  std::fprintf(file, "\"events\":%llu,\"last_events\":[",
               (unsigned long long)eventCount);
  for (const Event &event : events) {
    std::fprintf(file, "%s{\"ms\":%.3f,", &event == &events.front() ? "" : ",",
                 double(event.time) / 1e6);
    writeMember(file, "what", event.what);
    std::fprintf(file, ",\"variant\":%u,", event.variant);
    writeMember(file, "detail", event.detail);
    std::fputc('}', file);
  }
  std::fputs("]}", file);
}

std::string dyn_model::report() {
  char *text = nullptr;
  size_t size = 0;
  std::FILE *file = ::open_memstream(&text, &size);
  if (!file)
    throw std::bad_alloc();
  {
    std::lock_guard<std::mutex> guard(lock.mutex);
    writeReport(file);
  }
  bool complete = std::fclose(file) == 0;
  std::string result(text ? text : "", size);
  std::free(text);
  if (!complete)
    throw std::bad_alloc();
  return result;
}
