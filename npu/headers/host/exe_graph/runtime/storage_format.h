#pragma once

#include "exe_graph/runtime/expand_dims_type.h"

namespace gert {

class StorageFormat {
 public:
  StorageFormat() = default;
  StorageFormat(ge::Format origin, ge::Format storage) : origin_(origin), storage_(storage) {}
  StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType& expand_dims_type)
      : origin_(origin), storage_(storage), expand_dims_type_(expand_dims_type) {}
  ge::Format GetOriginFormat() const { return origin_; }
  ge::Format GetStorageFormat() const { return storage_; }
  void SetOriginFormat(ge::Format format) { origin_ = format; }
  void SetStorageFormat(ge::Format format) { storage_ = format; }
  ExpandDimsType GetExpandDimsType() const { return expand_dims_type_; }
  void SetExpandDimsType(const ExpandDimsType& type) { expand_dims_type_ = type; }
  ExpandDimsType& MutableExpandDimsType() { return expand_dims_type_; }
  bool operator==(const StorageFormat& other) const {
    return origin_ == other.origin_ && storage_ == other.storage_ && expand_dims_type_ == other.expand_dims_type_;
  }
  bool operator!=(const StorageFormat& other) const { return !(*this == other); }

 private:
  ge::Format origin_ = ge::FORMAT_ND, storage_ = ge::FORMAT_ND;
  ExpandDimsType expand_dims_type_;
};

}  // namespace gert
