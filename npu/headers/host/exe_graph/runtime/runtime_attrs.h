#pragma once

#include "exe_graph/runtime/continuous_vector.h"

namespace gert {

class Tensor;

// The attributes in the definition's order. A pointer is null for an index beyond them. For a text it is the text
// itself, for a list to its ContinuousVector.
class RuntimeAttrs {
 public:
  virtual ~RuntimeAttrs() = default;
  virtual size_t GetAttrNum() const = 0;

  template <typename T>
  const T* GetAttrPointer(size_t index) const {
    return static_cast<const T*>(value(index));
  }
  const bool* GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
  const int64_t* GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
  const float* GetFloat(size_t index) const { return GetAttrPointer<float>(index); }
  const char* GetStr(size_t index) const { return GetAttrPointer<char>(index); }
  const TypedContinuousVector<bool>* GetListBool(size_t index) const {
    return GetAttrPointer<TypedContinuousVector<bool>>(index);
  }
  const TypedContinuousVector<int64_t>* GetListInt(size_t index) const {
    return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
  }
  const TypedContinuousVector<float>* GetListFloat(size_t index) const {
    return GetAttrPointer<TypedContinuousVector<float>>(index);
  }
  const ContinuousVectorVector* GetListListInt(size_t index) const {
    return GetAttrPointer<ContinuousVectorVector>(index);
  }
  // A definition has no attributes of these types.
  const Tensor* GetTensor(size_t) const { return nullptr; }
  const ContinuousVectorVector* GetListListFloat(size_t) const { return nullptr; }

 private:
  virtual const void* value(size_t index) const = 0;
};

}  // namespace gert
