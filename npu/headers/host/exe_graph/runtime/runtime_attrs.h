#pragma once

#include <type_traits>

#include "exe_graph/runtime/continuous_vector.h"

namespace gert {

class Tensor;

// What a caller takes an attribute for.
enum class KgAttributeForm {
  kBool,
  kInteger,
  kFloat,
  kDouble,
  kText,
  kBools,
  kIntegers,
  kFloats,
  kList,
  kLists,
  kOther
};

template <typename T>
constexpr KgAttributeForm kg_attribute_form() {
  using Form = KgAttributeForm;
  if constexpr (std::is_same_v<T, bool>) return Form::kBool;
  if constexpr (std::is_same_v<T, char>) return Form::kText;
  if constexpr (std::is_integral_v<T>) return sizeof(T) > 1 ? Form::kInteger : Form::kOther;
  if constexpr (std::is_same_v<T, float>) return Form::kFloat;
  if constexpr (std::is_same_v<T, double>) return Form::kDouble;
  if constexpr (std::is_same_v<T, TypedContinuousVector<bool>>) return Form::kBools;
  if constexpr (std::is_same_v<T, TypedContinuousVector<int64_t>>) return Form::kIntegers;
  if constexpr (std::is_same_v<T, TypedContinuousVector<float>>) return Form::kFloats;
  if constexpr (std::is_same_v<T, ContinuousVector>) return Form::kList;
  if constexpr (std::is_same_v<T, ContinuousVectorVector>) return Form::kLists;
  return Form::kOther;
}

// The attributes in the definition's order. A pointer is null for an index beyond them. For a text it is the text
// itself, for a list to its ContinuousVector.
class RuntimeAttrs {
 public:
  virtual ~RuntimeAttrs() = default;
  virtual size_t GetAttrNum() const = 0;

  template <typename T>
  const T* GetAttrPointer(size_t index) const {
    return static_cast<const T*>(value(index, kg_attribute_form<T>()));
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
  virtual const void* value(size_t index, KgAttributeForm form) const = 0;
};

}  // namespace gert
