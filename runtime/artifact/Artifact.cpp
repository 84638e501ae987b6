//===- Artifact.cpp - A loaded artifact -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artifact.h"

#include "Options.h"
#include "Validate.h"

using namespace dyn::rt;

dyn_status_t dyn_artifact::load(const char *givenPath,
                                const dyn_load_options_t &options) {
  path = givenPath;
  File file;
  DYN_RETURN_IF_FAILED(file.open(path));
  DYN_RETURN_IF_FAILED(image.open(file));
  DYN_RETURN_IF_FAILED(validate(image, givenPath));
  std::string folder = ".";
  if (options.sidecar_folder)
    folder = options.sidecar_folder;
  else if (size_t slash = path.rfind('/'); slash != std::string::npos)
    folder = path.substr(0, slash);
  DYN_RETURN_IF_FAILED(constantArea.open(desc(), file, folder));
  signatures.reserve(desc().entry_count);
  for (uint32_t i = 0; i < desc().entry_count; ++i)
    signatures.emplace_back(desc().entries[i]);
  for (uint8_t byte : desc().id) {
    const char *digits = "0123456789abcdef";
    id += digits[byte >> 4];
    id += digits[byte & 15];
  }
  return DYN_STATUS_OK;
}

dyn_artifact_info_t dyn_artifact::info() const {
  dyn_artifact_info_t info = {};
  info.path = path.c_str();
  info.producer = desc().producer;
  info.metadata = desc().metadata;
  id.copy(info.id, sizeof(info.id) - 1);
  info.entry_count = desc().entry_count;
  info.kernel_count = desc().kernel_count;
  info.constant_bytes = desc().constants_bytes;
  return info;
}

//===----------------------------------------------------------------------===//
// ABI
//===----------------------------------------------------------------------===//

static dyn_status_t findSignature(const dyn_artifact_t *artifact,
                                  uint32_t entry, const Signature *&out) {
  if (!artifact)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "artifact is null");
  if (entry >= artifact->entries().size())
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "entry %u does not exist: the artifact has %zu", entry,
                artifact->entries().size());
  out = &artifact->entries()[entry];
  return DYN_STATUS_OK;
}

dyn_status_t dyn_artifact_load(const char *path,
                               const dyn_load_options_t *options,
                               dyn_artifact_t **out_artifact) {
  return guarded([&]() -> dyn_status_t {
    if (!out_artifact)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_artifact is null");
    *out_artifact = nullptr;
    if (!path)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "path is null");
    dyn_load_options_t given;
    DYN_RETURN_IF_FAILED(readOptions(options, "dyn_load_options_t", given));
    auto artifact = Ref<dyn_artifact_t>::adopt(new dyn_artifact_t());
    DYN_RETURN_IF_FAILED(artifact->load(path, given));
    *out_artifact = artifact.take();
    return DYN_STATUS_OK;
  });
}

void dyn_artifact_retain(dyn_artifact_t *artifact) {
  if (artifact)
    artifact->retain();
}
void dyn_artifact_release(dyn_artifact_t *artifact) {
  if (artifact)
    artifact->release();
}

dyn_status_t dyn_artifact_info(const dyn_artifact_t *artifact,
                               dyn_artifact_info_t *out_info) {
  if (!artifact)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "artifact is null");
  return fillInfo(artifact->info(), "dyn_artifact_info_t", out_info);
}

dyn_status_t dyn_artifact_entry(const dyn_artifact_t *artifact, uint32_t entry,
                                dyn_entry_info_t *out_info) {
  const Signature *signature = nullptr;
  DYN_RETURN_IF_FAILED(findSignature(artifact, entry, signature));
  dyn_entry_info_t info = {};
  info.name = signature->desc().name;
  info.input_count = signature->desc().input_count;
  info.output_count = signature->desc().output_count;
  info.dim_count = signature->desc().dim_count;
  info.ranks = signature->desc().ranks;
  info.rank = signature->desc().rank;
  info.part_of = info.ranks ? signature->desc().part_of : nullptr;
  return fillInfo(info, "dyn_entry_info_t", out_info);
}

dyn_status_t dyn_artifact_find_entry(const dyn_artifact_t *artifact,
                                     const char *name, uint32_t *out_entry) {
  return guarded([&]() -> dyn_status_t {
    if (!artifact || !name || !out_entry)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "artifact, name or out_entry is null");
    std::string names;
    for (uint32_t i = 0; i < artifact->entries().size(); ++i) {
      std::string found = artifact->entries()[i].desc().name;
      if (found == name) {
        *out_entry = i;
        return DYN_STATUS_OK;
      }
      names += (i ? ", '" : "'") + found + "'";
    }
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "entry '%s' does not exist: expected one of %s", name,
                names.c_str());
  });
}

static dyn_status_t describePort(const Signature &signature, uint32_t index,
                                 const std::vector<Port> &ports,
                                 const char *what, dyn_port_info_t *out_info) {
  if (index >= ports.size())
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "%s %u does not exist: entry '%s' has %zu", what, index,
                signature.desc().name, ports.size());
  return fillInfo(ports[index].info(), "dyn_port_info_t", out_info);
}

dyn_status_t dyn_artifact_input(const dyn_artifact_t *artifact, uint32_t entry,
                                uint32_t index, dyn_port_info_t *out_info) {
  const Signature *signature = nullptr;
  DYN_RETURN_IF_FAILED(findSignature(artifact, entry, signature));
  return describePort(*signature, index, signature->inputs(), "input",
                      out_info);
}

dyn_status_t dyn_artifact_output(const dyn_artifact_t *artifact, uint32_t entry,
                                 uint32_t index, dyn_port_info_t *out_info) {
  const Signature *signature = nullptr;
  DYN_RETURN_IF_FAILED(findSignature(artifact, entry, signature));
  return describePort(*signature, index, signature->outputs(), "output",
                      out_info);
}

dyn_status_t dyn_artifact_dim(const dyn_artifact_t *artifact, uint32_t entry,
                              uint32_t index, dyn_dim_info_t *out_info) {
  const Signature *signature = nullptr;
  DYN_RETURN_IF_FAILED(findSignature(artifact, entry, signature));
  if (index >= signature->desc().dim_count)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "size %u does not exist: entry '%s' has %u", index,
                signature->desc().name, signature->desc().dim_count);
  const dyn_dim_t &dim = signature->desc().dims[index];
  dyn_dim_info_t info = {};
  info.name = dim.name;
  info.min = dim.min;
  info.max = dim.max;
  info.multiple_of = dim.multiple_of;
  info.likely = dim.likely;
  return fillInfo(info, "dyn_dim_info_t", out_info);
}
