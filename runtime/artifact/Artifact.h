//===- Artifact.h - A loaded artifact -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_ARTIFACT_ARTIFACT_H
#define DYN_RUNTIME_ARTIFACT_ARTIFACT_H

#include "Constants.h"
#include "Image.h"
#include "Object.h"
#include "Signature.h"

/// See runtime.h. Immutable once loaded.
struct dyn_artifact final : dyn::rt::Object<dyn_artifact> {
  dyn_status_t load(const char *path, const dyn_load_options_t &options);

  const dyn_descriptor_t &desc() const { return *image.descriptor(); }
  const std::vector<dyn::rt::Signature> &entries() const { return signatures; }
  const dyn::rt::Constants &constants() const { return constantArea; }
  dyn_artifact_info_t info() const;
  /// Maps the pages of the code.
  void populateCode() const { image.populate(); }

private:
  std::string path;
  std::string id;
  dyn::rt::Image image;
  dyn::rt::Constants constantArea;
  std::vector<dyn::rt::Signature> signatures;
};

#endif // DYN_RUNTIME_ARTIFACT_ARTIFACT_H
