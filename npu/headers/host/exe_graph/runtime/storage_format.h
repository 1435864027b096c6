#pragma once

#include "graph/types.h"

namespace gert {

class StorageFormat {
 public:
  StorageFormat() = default;
  StorageFormat(ge::Format origin, ge::Format storage) : origin_(origin), storage_(storage) {}
  ge::Format GetOriginFormat() const { return origin_; }
  ge::Format GetStorageFormat() const { return storage_; }
  void SetOriginFormat(ge::Format format) { origin_ = format; }
  void SetStorageFormat(ge::Format format) { storage_ = format; }

 private:
  ge::Format origin_ = ge::FORMAT_ND, storage_ = ge::FORMAT_ND;
};

}  // namespace gert
